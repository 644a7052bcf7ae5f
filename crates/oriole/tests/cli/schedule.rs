use std::io::{BufRead, BufReader};

use super::*;

fn visits(folder: &Folder, arguments: &str) -> Vec<String> {
    let run = folder.run(&format!("schedule pages.csv {arguments}"));
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments}");
    run.out.lines().map(str::to_string).collect()
}

#[test]
fn every_policy_visits_as_often_as_planned() {
    let folder = Folder::with("pages.csv", FIVE);
    let plan = folder.json("plan pages.csv --budget 20/day --frequencies");
    for policy in ["index", "golden", "stride", "regular"] {
        let visits = visits(&folder, &format!("--budget 20/day --policy {policy} -n 20000"));
        assert_eq!(visits.len(), 20_000);
        for (page, name) in ["a", "b", "c", "d", "e"].iter().enumerate() {
            let share = visits.iter().filter(|visit| visit == name).count() as f64 / 20_000.0;
            let frequency = number(&plan["frequencies"][page], "frequency");
            // Five pages are few: the index may settle on neighbouring whole periods. The golden ratio's cycle of 377
            // rounds counts to whole numbers. The others differ by a visit or two.
            let tolerance = match policy {
                "index" => 0.05,
                "golden" => 1.0 / 377.0,
                _ => 2e-4,
            };
            assert!((share - frequency).abs() < tolerance, "{policy} {name}: {share} {frequency}");
        }
    }
}

/// Law F-18: frequencies 1/2, 1/4, 1/4 leave no choice but the order of the rare two.
#[test]
fn powers_of_two_are_evenly_spaced() {
    let folder = Folder::with("pages.csv", "page,change_rate\na,2\nb,1\nc,1\n");
    let visits = visits(&folder, "--budget 1/day --weights proportional --policy power-of-two -n 8");
    let every_other: Vec<&String> = visits.iter().step_by(2).collect();
    assert!(every_other.iter().all(|page| *page == every_other[0]), "{visits:?}");
    assert!(visits.chunks(4).all(|turn| turn == &visits[..4]), "{visits:?}");
    let folder = Folder::with("pages.csv", FIVE);
    let run = folder.run("schedule pages.csv --budget 5/day --policy power-of-two");
    assert_eq!(run.code, 2);
    assert!(run.err.starts_with("error: --policy power-of-two: `a` should get"), "{}", run.err);
}

#[test]
fn random_visits_follow_the_seed() {
    let folder = Folder::with("pages.csv", FIVE);
    let draw = |seed: u32| visits(&folder, &format!("--budget 20/day --policy random --seed {seed} -n 50"));
    assert_eq!(draw(7), draw(7));
    assert_ne!(draw(7), draw(8));
}

#[test]
fn round_robin_needs_no_budget() {
    let folder = Folder::with("pages.csv", FIVE);
    assert_eq!(visits(&folder, "--policy round-robin -n 7"), ["a", "b", "c", "d", "e", "a", "b"]);
    let run = folder.run("schedule pages.csv");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("in one of two ways"), "{}", run.err);
}

#[test]
fn json_lines() {
    let folder = Folder::with("pages.csv", "page,change_rate\n\"a \"\"b\",1\n");
    let run = folder.run("schedule pages.csv --policy round-robin -n 2 --json");
    assert_eq!(run.out, "{\"access\":1,\"page\":\"a \\\"b\"}\n{\"access\":2,\"page\":\"a \\\"b\"}\n");
}

#[test]
fn nothing_to_visit() {
    let folder = Folder::with("pages.csv", "page,change_rate\na,0\n");
    let run = folder.run("schedule pages.csv --budget 5/s");
    assert_eq!(run.code, 2);
    assert!(run.err.ends_with("none is worth an access; use --policy round-robin\n"), "{}", run.err);
}

/// `oriole schedule ... | head`
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = Folder::with("pages.csv", FIVE);
    let mut command = folder.command("schedule pages.csv --budget 5/s --policy stride -n 1000000000000");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().is_ok());
    drop(lines);
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
}

#[test]
fn unknown_policies_list_the_known_ones() {
    let folder = Folder::with("pages.csv", FIVE);
    let run = folder.run("schedule pages.csv --budget 5/s --policy indx");
    assert_eq!(run.code, 2);
    for name in ["index, golden, stride, random, regular, round-robin, power-of-two", "a similar value exists: 'index'"]
    {
        assert!(run.err.contains(name), "{}", run.err);
    }
}
