use std::fmt::Write as _;

use super::*;

fn policy<'a>(report: &'a serde_json::Value, name: &str) -> &'a serde_json::Value {
    report["policies"].as_array().unwrap().iter().find(|policy| policy["policy"] == name).unwrap()
}

/// A hundred pages with rates over two decades.
fn hundred() -> String {
    let mut text = "page,change_rate\n".to_string();
    for page in 0..100 {
        writeln!(text, "p{page},{}", 10f64.powf(f64::from(page * 37 % 100) / 50.0 - 1.0)).unwrap();
    }
    text
}

/// What is measured is what the formulas of `oriole plan` say, within five half-widths of the 95% interval: a chance of
/// less than 1e-6 each of failing without cause, and nothing depends on chance once the seed is fixed.
#[test]
fn measurements_agree_with_the_plan() {
    let folder = Folder::with("pages.csv", hundred());
    let plan = folder.json("plan pages.csv --budget 100/day --access-time exp(1min)");
    let report = folder
        .json("simulate pages.csv --budget 100/day --access-time exp(1min) --for 300d --policy index,random,uniform");
    close(number(&report, "lower_bound"), number(&plan, "lower_bound"), 1e-12);
    for (name, key) in [("index", "index"), ("random", "randomised"), ("uniform", "uniform")] {
        let measured = policy(&report, name);
        let (cost, half_width) = (number(measured, "cost"), number(measured, "half_width_95"));
        let formula = number(&plan, &format!("costs.{key}"));
        assert!((cost - formula).abs() < 5.0 * half_width, "{name}: {cost} +- {half_width}, formula {formula}");
        // The interval is narrow enough to tell the policies apart.
        assert!(half_width < 0.02 * cost, "{name}: {cost} +- {half_width}");
        close(number(measured, "accesses_per_day"), 100.0, 0.03);
    }
}

#[test]
fn the_seed_decides() {
    let folder = Folder::with("pages.csv", hundred());
    let run =
        |seed: u32| folder.run(&format!("simulate pages.csv --budget 100/day --for 10d --json --seed {seed}")).out;
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn the_table() {
    let folder = Folder::with("pages.csv", FIVE);
    let run = folder.run("simulate pages.csv --budget 5/day --policy uniform --for 1000d");
    insta::assert_snapshot!(run.out);
}

#[test]
fn learned_rates_come_near_to_known_ones() {
    let folder = Folder::with("pages.csv", hundred());
    let options = "simulate pages.csv --budget 100/day --for 400d --policy index";
    let known = folder.json(options);
    let learned = folder.json(&format!("{options} --learn"));
    let ratio = number(policy(&learned, "index"), "cost") / number(policy(&known, "index"), "cost");
    // 3% of the accesses are spent on learning, and a hundred visits leave an error of 10% in a rate.
    assert!((0.98..1.08).contains(&ratio), "{ratio}");
    let run = folder.run("simulate pages.csv --budget 100/day --policy uniform --learn");
    assert_eq!(run.code, 2);
    assert_eq!(run.err, "error: --learn has no effect on these policies; add index to --policy\n");
}

/// One page that changes every other day, visited twice a day: after each change it is out of date until the next visit.
#[test]
fn a_trace_is_replayed() {
    let mut text = "unix_time,page,event\n0,a,added\n".to_string();
    for change in 1..=60 {
        // A quarter of a day after a visit, hence for a quarter of a day before the next.
        writeln!(text, "{},a,changed", change * 2 * 86_400 + 21_600).unwrap();
    }
    let folder = Folder::with("changes.csv", text);
    let report = folder.json("simulate --trace changes.csv --budget 2/day --policy uniform --for 90d");
    // Visits end every half day from 0.5 on, so a quarter of a day in two days is stale: 1/8. The window of 90 days from
    // day 18 has 45 changes.
    close(number(policy(&report, "uniform"), "stale"), 0.125, 0.03);
    assert_eq!(report["pages"], 1);
    let run = folder.run("simulate --trace changes.csv --budget 2/day --policy uniform --for 200d");
    assert_eq!(run.code, 2);
    assert!(run.err.starts_with("error: the trace is too short for --for: it has 100."), "{}", run.err);
}

#[test]
fn a_trace_with_pages_of_ones_own() {
    let folder = Folder::with("changes.csv", "unix_time,page,event\n0,a,added\n86400,b,changed\n864000,a,changed\n");
    folder.write("pages.csv", "page,change_rate,weight\na,0.1,3\nz,1,1\n");
    let run = folder.run("simulate pages.csv --trace changes.csv --budget 2/day --policy index,nutch --json");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.err, "warning: pages not in the trace, taken as never changing: 1\n");
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(number(&report, "total_weight"), 4.0);
}

#[test]
fn something_must_be_simulated() {
    let folder = Folder::new();
    let run = folder.run("simulate --budget 5/s");
    assert_eq!(run.code, 2);
    let run = folder.run("simulate pages.csv --budget 5/s --policy indx");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("index, golden, stride"), "{}", run.err);
}

/// A host that allows four accesses a day gets no more, and the other pages what is left.
#[test]
fn a_host_limit_is_kept() {
    let folder = Folder::with("pages.csv", "page,change_rate,host\na,3,x\nb,3,x\nc,0.2,y\nd,0.2,z\n");
    let run = folder.run("simulate pages.csv --budget 12/day --host-limit 4/day --policy index --for 2000d --json");
    assert_eq!(run.code, 0, "{}", run.err);
    let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let policy = &answer["policies"][0];
    // Three hosts at four a day each are just the budget; spacing costs a little of it.
    assert!(policy["accesses_per_day"].as_f64().unwrap() <= 12.0 + 1e-9);
    let ratio = policy["ratio_to_bound"].as_f64().unwrap();
    assert!((0.95..1.3).contains(&ratio), "{ratio}");
}
