use super::control::PAPER;
use super::*;

/// A measured crawler: two size classes.
const CRAWLER: &str = include_str!("../../../../examples/control/measured-crawler.toml");

const POLICY: &str = "model.toml --modes 3,1 --thresholds 2";

fn paper() -> Folder {
    Folder::with("model.toml", PAPER)
}

/// The example without obsolescence.
fn for_ever() -> Folder {
    let law = "[obsolescence]                              # mean 5; leave this table out if pages never become obsolete\n\
               start = [0.3, 0.7]\nrates = [[-0.6, 0.4], [0.1, -0.3]]\n";
    assert!(PAPER.contains(law));
    Folder::with("model.toml", PAPER.replace(law, ""))
}

/// The example with two phases of obsolescence that matter, and a buffer too large for an exact solution.
fn bounded() -> Folder {
    let law = "start = [0.9, 0.1]\nrates = [[-1.0, 0.0], [0.0, -0.024390243902439025]]";
    let model = PAPER.replace("start = [0.3, 0.7]\nrates = [[-0.6, 0.4], [0.1, -0.3]]", law);
    Folder::with("model.toml", model.replace("buffer = 5", "buffer = 30"))
}

/// Bounds are printed for every measure and every level.
#[test]
fn bounds_of_every_measure() {
    let folder = bounded();
    let run = folder.run(&format!("control solve {POLICY} --accuracy 10%"));
    assert_eq!(run.err, "");
    insta::assert_snapshot!("solve_bounded", run.out);
    let solved = folder.json(&format!("control solve {POLICY} --accuracy 10%"));
    assert_eq!(solved["accuracy_reached"], true);
    let interval = solved["interval"].as_object().unwrap();
    assert_eq!(interval.len(), 11);
    for (name, ends) in interval.iter().filter(|(name, _)| *name != "levels") {
        let [low, high] = [0, 1].map(|end| ends[end].as_f64().unwrap());
        assert!(low <= number(&solved, name) && number(&solved, name) <= high, "{name}: {ends}");
    }
    assert_eq!(interval["levels"].as_array().unwrap().len(), 31);
}

/// Simulated values lie near the bounds that are printed beside them: within five half-widths of them.
#[test]
fn a_simulation_beside_bounds() {
    let folder = bounded();
    let report = folder.json(&format!("control simulate {POLICY} --accuracy 10%"));
    assert_eq!((&report["method"], &report["accuracy_reached"]), (&"certified".into(), &true.into()));
    for measure in report["measures"].as_array().unwrap() {
        let [low, high] = [0, 1].map(|end| measure["interval"][end].as_f64().unwrap());
        let (simulated, within) = (number(measure, "simulated"), number(measure, "half_width_95"));
        assert!(low - 5.0 * within <= simulated && simulated <= high + 5.0 * within, "{measure}");
        assert!(within > 0.0 && low <= high, "{measure}");
    }
    let text = folder.run(&format!("control simulate {POLICY} --accuracy 10% --for 1000")).out;
    assert!(text.contains("certified bounds") && text.contains(" to "), "{text}");
}

/// Pages that do not exist have no times.
#[test]
fn without_obsolescence() {
    let folder = for_ever();
    let solved = folder.json(&format!("control solve {POLICY}"));
    assert_eq!((number(&solved, "p_obsolete"), &solved["sojourn_obsolete"]), (0.0, &serde_json::Value::Null));
    let sojourn = folder.json(&format!("control sojourn {POLICY}"));
    assert!(sojourn["obsolete"].is_null() && sojourn["distribution"][0]["obsolete"].is_null());
    let simulated = folder.json(&format!("control simulate {POLICY} --for 1000"));
    let row =
        simulated["measures"].as_array().unwrap().iter().find(|row| row["measure"] == "sojourn_obsolete").unwrap();
    assert!(row["simulated"].is_null() && row["half_width_95"].is_null() && row["solved"].is_null());
    let texts = ["solve", "sojourn", "simulate --for 1000"].map(|command| {
        let (command, options) = command.split_once(' ').unwrap_or((command, ""));
        folder.run(&format!("control {command} {POLICY} {options}")).out
    });
    insta::assert_snapshot!("without_obsolescence", texts.join("\n"));
}

/// The third moment by hand: that of the mixture of the fates is the mixture of theirs.
#[test]
fn moments_of_times() {
    let sojourn = paper().json(&format!("control sojourn {POLICY}"));
    for k in 0..4 {
        let of = |fate: &str| sojourn[fate]["moments"][k].as_f64().unwrap();
        let share = |fate: &str| number(&sojourn[fate], "probability");
        close(of("any"), share("served") * of("served") + share("obsolete") * of("obsolete"), 1e-10);
    }
    let served = &sojourn["served"];
    let [m1, m2, m3] = [0, 1, 2].map(|k| served["moments"][k].as_f64().unwrap());
    close(number(served, "mean"), m1, 1e-12);
    let skewness = (m3 - 3.0 * m1 * m2 + 2.0 * m1.powi(3)) / number(served, "standard_deviation").powi(3);
    close(number(served, "skewness"), skewness, 1e-9);
}

/// Every controller runs, says what its settings are, and does the same when they are typed.
#[test]
fn controllers() {
    let folder = paper();
    for name in ["fixed", "on-off", "hysteresis", "proportional", "aimd", "pid", "codel", "belief"] {
        let report = folder.json(&format!("control simulate model.toml --for 2000 --controller {name}"));
        let words = report["controller"].as_str().unwrap();
        let typed = words.split_once(": ").map_or(words, |(typed, _)| typed).to_string();
        assert!(typed.starts_with(&format!("{name},")), "{words}");
        let again = folder.json(&format!("control simulate model.toml --for 2000 --controller {typed}"));
        // Settings are printed to six digits.
        close(number(&again["measures"][0], "simulated"), number(&report["measures"][0], "simulated"), 0.02);
        let solved = ["fixed", "on-off"].contains(&name);
        assert_eq!(report["measures"][0]["solved"].is_number(), solved, "{name}");
        assert_eq!(report["method"].is_string(), solved, "{name}");
    }
    let dwell = folder.json(&format!("control simulate {POLICY} --for 2000 --controller thresholds,dwell=3"));
    assert!(dwell["controller"].as_str().unwrap().contains("at least 3") && dwell["method"].is_null());
    for wrong in [
        "--controller pid --modes 3",
        "--controller amd",
        "--controller aimd,period=0",
        "--controller fixed,robots=9",
        "--controller on-off,threshold=6",
        "--controller hysteresis,low=3,high=2",
        "--controller proportional,least=3,most=1",
        "",
    ] {
        assert_eq!(folder.run(&format!("control simulate model.toml {wrong}")).code, 2, "{wrong}");
    }
}

/// The least of another measure keeps the limits; a policy with less would be one of those that solving finds.
#[test]
fn the_least_of_another_measure() {
    let folder = paper();
    let run = folder.run("control optimise model.toml --minimise p_starvation --limit active_robots=1.8");
    insta::assert_snapshot!("optimise_another", run.out);
    let best = folder.json("control optimise model.toml --minimise p_starvation --limit active_robots=1.8");
    let value = number(&best, "limited.value");
    assert!(number(&best["limited"]["limits"][0], "reached") <= 1.8);
    assert!(best["limited"]["proven"] == true && number(&best, "limited.markov_bound") <= value);
    for thresholds in 0..5 {
        for modes in ["4,1", "3,1", "2,1", "3,2", "4,2", "4,3"] {
            let solved = folder.json(&format!("control solve model.toml --modes {modes} --thresholds {thresholds}"));
            assert!(number(&solved, "active_robots") > 1.8 || number(&solved, "p_starvation") >= value * (1.0 - 1e-9));
        }
    }
    let loss = folder.json("control optimise model.toml --minimise p_loss");
    close(number(&loss, "limited.value"), 0.134466, 1e-5);
    assert!(loss["limited"]["markov_bound"].is_null());
}

#[test]
fn a_curve_of_two_measures() {
    let folder = paper();
    let command = "control optimise model.toml --pareto active_robots,p_starvation";
    insta::assert_snapshot!("pareto", folder.run(&format!("{command} --plot curve.svg")).out);
    assert_eq!(folder.read("curve.svg").matches("<polyline").count(), 1);
    let curve = folder.json(command);
    let points: Vec<[f64; 2]> = curve["pareto"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| ["active_robots", "p_starvation"].map(|name| number(point, name)))
        .collect();
    assert!(points.windows(2).all(|pair| pair[0][0] < pair[1][0] && pair[0][1] > pair[1][1]), "{points:?}");
    assert_eq!(folder.run("control optimise model.toml --pareto p_loss").code, 2);
}

/// Reference value of an independent program: 552.51 with the size class, where thresholds reach 564.49.
#[test]
fn what_the_size_class_is_worth() {
    let folder = Folder::with("model.toml", CRAWLER);
    let best = folder.json("control optimise model.toml --sees size-class");
    close(number(&best, "observed.cost"), 552.51, 1e-5);
    let robots = best["observed"]["robots"].as_array().unwrap();
    assert_eq!((robots.len(), robots[0].as_array().unwrap().len(), robots[1].as_array().unwrap().len()), (21, 1, 2));
    assert!(number(&best, "observed.cost") >= number(&best, "markov_bound"));
    let text = folder.run("control optimise model.toml --sees size-class").out;
    assert!(text.contains("seeing more") && text.contains("robots by size class"), "{text}");
    // On the first example thresholds are the best of all policies that see the pages.
    let pages = paper().json("control optimise model.toml --sees pages");
    close(number(&pages, "observed.cost"), number(&pages, "best.cost"), 1e-9);
}

/// What is compared could have been chosen.
#[test]
fn savings_are_against_the_modes_given() {
    let text = paper().run("control optimise model.toml --modes 4,1").out;
    assert!(text.contains("against always 4 robots") && text.contains("with any of the model's numbers"), "{text}");
}

/// Blanks in lists, percentages, ranges of numbers, and pictures by their right name.
#[test]
fn as_people_type() {
    let folder = paper();
    let mut command = folder.command("control solve model.toml --json --modes");
    let spaced = Run::of(command.args(["3, 1", "--thresholds", " 2"]).output().unwrap());
    assert_eq!(spaced.out, folder.run(&format!("control solve {POLICY} --json")).out);
    let same = |a: &str, b: &str| assert_eq!(folder.run(a).out, folder.run(b).out);
    same("control optimise model.toml --limit p_loss=15%", "control optimise model.toml --limit p_loss=0.15");
    let quantiles = |list: &str| format!("control sojourn {POLICY} --quantiles {list}");
    same(&quantiles("50%,99%"), &quantiles("0.5,0.99"));
    same("reproduce --table 1,2 --figure 1", "reproduce --table 1..2 --figure 1");
    for command in ["control optimise model.toml --plot a.png", &format!("control sojourn {POLICY} --plot a.png")] {
        let run = folder.run(command);
        assert_eq!((run.code, run.err.contains("name it .svg")), (2, true), "{}", run.err);
    }
    assert_eq!(folder.files(), ["model.toml"]);
}

/// The examples of the help work on the shipped model.
#[test]
fn examples_in_the_help() {
    let folder = paper();
    let mut count = 0;
    for command in ["solve", "optimise", "sojourn", "simulate"] {
        let help = folder.run(&format!("control {command} --help")).out;
        for line in help.lines().filter_map(|line| line.trim().strip_prefix("oriole ")) {
            let line = line.split(" | ").next().unwrap().replace("--for 1e6", "--for 1e3");
            assert_eq!(folder.run(&line).code, 0, "{line}");
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
}
