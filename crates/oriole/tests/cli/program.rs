use std::time::{Duration, Instant};

use super::*;

#[test]
fn every_command_has_help_with_examples() {
    let folder = Folder::new();
    let control = ["control", "control solve", "control optimise", "control sojourn", "control simulate"];
    let others =
        ["", "demo", "init", "plan", "schedule", "simulate", "fit", "livingweb", "reproduce", "completions", "man"];
    for command in others.into_iter().chain(control) {
        for flag in ["-h", "--help"] {
            let run = folder.run(&format!("{command} {flag}"));
            assert_eq!((run.code, run.err.as_str()), (0, ""), "{command}");
            assert!(run.out.contains("Examples:"), "{command} {flag}: {}", run.out);
        }
    }
}

#[test]
fn the_help() {
    let folder = Folder::new();
    insta::assert_snapshot!("help", folder.run("--help").out);
    insta::assert_snapshot!("help_demo", folder.run("demo --help").out);
    insta::assert_snapshot!("help_init", folder.run("init --help").out);
    insta::assert_snapshot!("help_plan", folder.run("plan --help").out);
    insta::assert_snapshot!("help_schedule", folder.run("schedule --help").out);
    insta::assert_snapshot!("help_simulate", folder.run("simulate --help").out);
    insta::assert_snapshot!("help_control", folder.run("control --help").out);
    insta::assert_snapshot!("help_control_solve", folder.run("control solve --help").out);
    insta::assert_snapshot!("help_control_optimise", folder.run("control optimise --help").out);
    insta::assert_snapshot!("help_control_sojourn", folder.run("control sojourn --help").out);
    insta::assert_snapshot!("help_control_simulate", folder.run("control simulate --help").out);
    insta::assert_snapshot!("help_fit", folder.run("fit --help").out);
    insta::assert_snapshot!("help_livingweb", folder.run("livingweb --help").out);
    insta::assert_snapshot!("help_reproduce", folder.run("reproduce --help").out);
}

#[test]
fn the_version() {
    let run = Folder::new().run("--version");
    assert_eq!((run.code, run.out), (0, format!("oriole {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn wrong_usage() {
    let folder = Folder::new();
    for arguments in ["", "plot", "plan", "plan a.csv b.csv", "plan a.csv --budgt 5/s", "completions cmd"] {
        let run = folder.run(arguments);
        assert_eq!(run.code, 2, "{arguments}");
        assert_eq!(run.out, "", "{arguments}");
    }
    assert!(folder.run("plan a.csv --budgt 5/s").err.contains("'--budget'"));
}

#[test]
fn colours_only_where_they_are_wanted() {
    let folder = Folder::with("pages.csv", FIVE);
    let coloured = |color: &str| folder.run(&format!("plan pages.csv --budget 5/day {color}")).out.contains('\x1b');
    assert!(!coloured(""));
    assert!(!coloured("--color never"));
    assert!(coloured("--color always"));
    assert!(!folder.run("plan pages.csv --budget 5/day --json --color always").out.contains('\x1b'));
    assert!(folder.run("plan absent.csv --budget 5/day --color always").err.contains('\x1b'));
}

#[test]
fn completions_for_every_shell() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = folder.run(&format!("completions {shell}"));
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{shell}");
        assert!(run.out.contains("target-stale"), "{shell}");
    }
}

#[test]
fn manual_pages() {
    let folder = Folder::new();
    let run = folder.run("man");
    assert_eq!(run.code, 0);
    assert!(run.out.contains(".TH oriole 1"), "{}", run.out);
    assert_eq!(folder.run("man --out pages").code, 0);
    let mut files: Vec<_> =
        fs::read_dir(folder.path("pages")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    files.sort();
    let commands = [
        "oriole-add",
        "oriole-check",
        "oriole-completions",
        "oriole-control-optimise",
        "oriole-control-simulate",
        "oriole-control-sojourn",
        "oriole-control-solve",
        "oriole-control",
        "oriole-demo",
        "oriole-export",
        "oriole-fit",
        "oriole-import",
        "oriole-init",
        "oriole-livingweb",
        "oriole-man",
        "oriole-page",
        "oriole-pages",
        "oriole-pause",
        "oriole-plan",
        "oriole-remove",
        "oriole-reproduce",
        "oriole-resume",
        "oriole-run",
        "oriole-schedule",
        "oriole-search",
        "oriole-serve",
        "oriole-simulate",
        "oriole-status",
        "oriole",
    ];
    let wanted = commands.map(|command| std::ffi::OsString::from(format!("{command}.1")));
    assert_eq!(files, wanted);
    assert!(folder.read("pages/oriole-plan.1").contains("target\\-stale"));
}

/// The program is interrupted while its output is half written: exit code 130, the old file as it was, and nothing else.
#[cfg(unix)]
#[test]
fn interrupted() {
    let mut pages = "page,change_rate\n".to_string();
    for page in 0..400_000 {
        pages.push_str(&format!("{page},1\n"));
    }
    let folder = Folder::with("pages.csv", pages);
    folder.write("plan.csv", "old");
    let mut command = folder.command("plan pages.csv --budget 5/s --out plan.csv");
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let begun = || folder.files().iter().any(|name| name.ends_with(".part"));
    let start = Instant::now();
    while !begun() {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing was written");
        assert!(child.try_wait().unwrap().is_none(), "the program ended before it could be interrupted");
        std::thread::sleep(Duration::from_millis(1));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.read("plan.csv"), "old");
    assert_eq!(folder.files(), ["pages.csv", "plan.csv"]);
}
