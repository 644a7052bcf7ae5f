use std::fmt::Write as _;

use super::*;

#[test]
fn the_table() {
    let folder = Folder::with("pages.csv", FIVE);
    let run = folder.run("plan pages.csv --budget 5/day");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    // The sequences of index and stride may improve; what they cost is checked below.
    let evaluated = |line: &str| line.starts_with("index") || line.starts_with("stride");
    let lines: Vec<&str> = run.out.lines().filter(|line| !evaluated(line)).collect();
    assert_eq!(lines.len() + 2, run.out.lines().count());
    insta::assert_snapshot!(lines.join("\n"));
}

/// Cho and Garcia-Molina: five accesses a day for pages that change 1..5 times a day, to the digits they print.
#[test]
fn a_known_example() {
    let folder = Folder::with("pages.csv", FIVE);
    let plan = folder.json("plan pages.csv --budget 5/day --frequencies");
    let visits: Vec<f64> =
        plan["frequencies"].as_array().unwrap().iter().map(|page| number(page, "visits_per_day")).collect();
    for (got, wanted) in visits.iter().zip([1.15, 1.36, 1.35, 1.14, 0.0]) {
        assert!((got - wanted).abs() < 0.005, "{visits:?}");
    }
    close(visits.iter().sum(), 5.0, 1e-12);
    assert_eq!(plan["pages_not_worth_a_visit"], 1);
}

/// Law F-4: with weights proportional to rates and exponential times of one day, C* = mu - 1 + prod 1/(1 + mu_i).
#[test]
fn the_units_of_the_paper() {
    let folder = Folder::with("pages.csv", "page,change_rate\na,0.01\nb,0.02\nc,0.3\n");
    let plan = folder.json("plan pages.csv --access-time exp(1d) --weights proportional");
    let bound = 0.33 - 1.0 + 1.0 / (1.01 * 1.02 * 1.3);
    // The subtraction above loses two digits.
    close(number(&plan, "lower_bound"), bound, 1e-13);
    assert_eq!(number(&plan, "budget_per_day"), 1.0);
    close(number(&plan, "total_weight"), 0.33, 1e-15);
}

/// Every cost is at least the bound; the sequences with a guarantee are within it; and each says how it was found.
#[test]
fn costs_are_in_order() {
    let mut text = "page,change_rate,weight\n".to_string();
    for page in 0..300 {
        // Rates over four decades and weights over two, in no relation.
        let rate = 10f64.powf(f64::from(page * 37 % 300) / 75.0 - 3.0);
        let weight = 10f64.powf(f64::from(page * 91 % 300) / 150.0);
        writeln!(text, "p{page},{rate},{weight}").unwrap();
    }
    let folder = Folder::with("pages.csv", text);
    let plan = folder.json("plan pages.csv --budget 200/day");
    let ratio = |policy: &str| number(&plan, &format!("ratios_to_bound.{policy}"));
    // 1e-6 for what a finite sequence may gain at its ends.
    for policy in ["index", "stride", "golden_ratio", "randomised", "uniform", "proportional"] {
        assert!(ratio(policy) > 1.0 - 1e-6, "{policy} {}", ratio(policy));
        assert!(plan["methods"][policy].is_string());
    }
    assert!(ratio("index") < 1.005, "{}", ratio("index"));
    assert!(ratio("stride") < 1.05, "{}", ratio("stride"));
    // Law F-14: phi^5/10, for no page has a large share of the accesses.
    assert!(ratio("golden_ratio") < 1.1091, "{}", ratio("golden_ratio"));
    assert!(ratio("uniform") > 1.2 && ratio("randomised") > 1.2);
    assert!(number(&plan, "freshness_ratios.index") > 0.999);
    assert!(plan["methods"]["index"].as_str().unwrap().starts_with("sequence of 200,000 accesses"));
    assert_eq!(plan["methods"]["randomised"], "exact");
}

/// Law F-3 by hand: N equal pages in turn at budget B are each out of date 1 - (1 - e^-u)/u of the time, u = mu N/B.
#[test]
fn equal_pages_cost_what_the_formula_says() {
    let folder = Folder::with("pages.csv", "page,change_rate\na,2\nb,2\nc,2\nd,2\n");
    let plan = folder.json("plan pages.csv --budget 10/day");
    let u = 2.0 * 4.0 / 10.0;
    let cost = 4.0 * (1.0 - (1.0 - f64::exp(-u)) / u);
    for policy in ["index", "stride", "uniform", "proportional"] {
        // A window of 200,000 accesses is not a whole number of turns: one access in 200,000.
        close(number(&plan, &format!("costs.{policy}")), cost, 1e-5);
    }
    close(number(&plan, "lower_bound"), cost, 1e-12);
}

#[test]
fn the_least_budget_gives_what_was_asked_for() {
    let folder = Folder::with("pages.csv", FIVE);
    let asked = folder.json("plan pages.csv --target-stale 5% --access-time exp(200ms)");
    let budget = number(&asked, "budget_per_day");
    close(number(&asked, "stale_at_bound"), 0.05, 1e-9);
    assert_eq!(number(&asked, "robots"), 1.0);
    let given = folder.json(&format!("plan pages.csv --budget {budget}/day --access-time exp(200ms)"));
    close(number(&given, "stale_at_bound"), 0.05, 1e-9);
}

#[test]
fn a_target_met_by_doing_nothing() {
    let folder = Folder::with("pages.csv", "page,change_rate\na,1\nb,0\nc,0\nd,0\n");
    let plan = folder.json("plan pages.csv --target-stale 30%");
    assert_eq!(number(&plan, "budget_per_day"), 0.0);
    assert_eq!(number(&plan, "lower_bound"), 1.0);
    let run = folder.run("plan pages.csv --target-stale 30% --plot plan.svg");
    assert_eq!(run.err, "warning: no access is needed, so there is nothing to draw: plan.svg was not written\n");
    assert!(run.out.contains("none: copies are fresh enough as they are"), "{}", run.out);
}

#[test]
fn robots_and_budgets_mean_the_same() {
    let folder = Folder::with("pages.csv", FIVE);
    let robots = folder.json("plan pages.csv --access-time gamma(2,1h) --robots 3");
    let budget = folder.json("plan pages.csv --access-time gamma(2,1h) --budget 72/day");
    close(number(&robots, "lower_bound"), number(&budget, "lower_bound"), 1e-13);
    assert_eq!(number(&budget, "robots"), 3.0);
    // The variance of the access time costs something.
    let constant = folder.json("plan pages.csv --budget 72/day");
    assert!(number(&budget, "lower_bound") > number(&constant, "lower_bound") * 1.001);
}

#[test]
fn measured_access_times() {
    let folder = Folder::with("pages.csv", FIVE);
    folder.write("times.csv", "when,seconds\n1,600\n2,1800\n");
    let plan = folder.json("plan pages.csv --access-time file:times.csv");
    close(number(&plan, "mean_access_time_days"), 1200.0 / 86_400.0, 1e-15);
    folder.write("bare.csv", "600\n1800\n");
    assert_eq!(folder.json("plan pages.csv --access-time file:bare.csv"), plan);
    folder.write("wrong.csv", "seconds\n1\n-2\n");
    let run = folder.run("plan pages.csv --access-time file:wrong.csv");
    assert_eq!(
        (run.code, run.err.as_str()),
        (2, "error: wrong.csv:3: seconds is -2; give a finite number of at least 0\n")
    );
}

#[test]
fn a_host_limit_is_kept() {
    let mut text = "page,change_rate,host\n".to_string();
    for page in 0..20 {
        writeln!(text, "p{page},{},{}", 1 + page % 4, if page < 15 { "big.org" } else { "small.org" }).unwrap();
    }
    let folder = Folder::with("pages.csv", text);
    let plan = folder.json("plan pages.csv --budget 20/day --host-limit 12/day --frequencies");
    let visits = |pages: std::ops::Range<usize>| -> f64 {
        pages.map(|page| number(&plan["frequencies"][page], "visits_per_day")).sum()
    };
    // Without the limit the big host would have 15.
    close(visits(0..15), 12.0, 1e-9);
    close(visits(15..20), 8.0, 1e-9);
    assert_eq!(plan["hosts"]["at_limit"], 1);
    let at_limit = plan["hosts"]["multipliers_at_limit"]["big.org"].as_f64().unwrap();
    assert!(at_limit > number(&plan, "multiplier"), "{plan}");
    let free = folder.json("plan pages.csv --budget 20/day");
    assert!(number(&plan, "lower_bound") > number(&free, "lower_bound"));
    assert!(number(&plan, "ratios_to_bound.index") < 1.05, "{plan}");
    assert_eq!(plan["methods"]["randomised"], "exact, ignoring the host limit");
}

/// The same answer from every format, and a plan is itself an input.
#[test]
fn every_format_gives_the_same_answer() {
    let folder = Folder::with("pages.csv", "page,change_rate,weight\na,1,2\n\"b,\"\"c\",0.25,1\nd,0,1\n");
    let wanted = folder.json("plan pages.csv --budget 5/day --frequencies");
    let mut names = vec!["plan.csv", "plan.jsonl"];
    if cfg!(feature = "parquet") {
        names.push("plan.parquet");
    }
    for name in names {
        let run = folder.run(&format!("plan pages.csv --budget 5/day --out {name}"));
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{name}");
        assert_eq!(folder.json(&format!("plan {name} --budget 5/day --frequencies")), wanted, "{name}");
    }
    let gzip = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    for input in [folder.read("pages.csv"), folder.read("plan.jsonl"), format!(" \n{}", folder.read("plan.jsonl"))] {
        for bytes in [input.clone().into_bytes(), gzip(&input)] {
            let run = folder.run_with_input("plan - --budget 5/day --frequencies --json", bytes);
            assert_eq!(run.code, 0, "{}", run.err);
            assert_eq!(serde_json::from_str::<serde_json::Value>(&run.out).unwrap(), wanted);
        }
    }
}

#[test]
fn the_file_of_visits() {
    let folder = Folder::with("pages.csv", "page,change_rate,host\na,1,x.org\nb,1,x.org\n");
    folder.run("plan pages.csv --budget 4/day --host-limit 9/day --out plan.csv");
    insta::assert_snapshot!(folder.read("plan.csv"));
}

#[test]
fn the_picture() {
    let folder = Folder::with("pages.csv", "page,change_rate\n<script>&'\",1\nb,20\nc,0\n");
    let run = folder.run("plan pages.csv --budget 5/day --plot plan.svg");
    assert_eq!(run.code, 0, "{}", run.err);
    let picture = folder.read("plan.svg");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(picture.contains("<title>Plan for 3 pages at 5 accesses a day</title>"));
    assert!(picture.contains("&lt;script&gt;&amp;&#39;&quot;: 1 changes"));
    for wrong in ["<script>", "NaN", "inf"] {
        assert!(!picture.contains(wrong), "{wrong}");
    }
    // Five curves on the left, two lines on the right; a page that never changes has no place on a logarithmic axis.
    assert_eq!(picture.matches("<polyline").count(), 7);
    // Two pages, and index and stride at nine budgets and in the legend.
    assert_eq!(picture.matches("<circle").count(), 2 + 2 * 9 + 2);
}

#[test]
fn nothing_changes() {
    let folder = Folder::with("pages.csv", "page,change_rate\na,0\nb,0\n");
    let run = folder.run("plan pages.csv --budget 5/day --json --plot plan.svg --out plan.csv");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.err, "warning: no page ever changes: every copy stays current and every cost is 0\n");
    let plan: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    for policy in ["index", "golden_ratio", "stride", "randomised", "uniform", "proportional"] {
        assert_eq!(number(&plan, &format!("costs.{policy}")), 0.0);
    }
    assert_eq!(folder.files(), ["pages.csv", "plan.csv", "plan.svg"]);
}

/// More pages than are evaluated one by one: the sample says it is one, and gives what the whole would.
#[test]
fn many_pages() {
    let mut text = "page,change_rate,weight\n".to_string();
    for page in 0..30_000 {
        let rate = 10f64.powf(f64::from(page * 7_919 % 30_000) / 15_000.0 - 2.0);
        writeln!(text, "https://example.org/{page},{rate},{}", 1 + page % 7).unwrap();
    }
    let folder = Folder::with("pages.csv", text);
    let plan = folder.json("plan pages.csv --budget 5000/day");
    let method = plan["methods"]["index"].as_str().unwrap();
    assert_eq!(method, "sequence of 200,000 accesses on a sample of 5,000 pages");
    for policy in ["index", "stride"] {
        let ratio = number(&plan, &format!("ratios_to_bound.{policy}"));
        assert!((1.0 - 1e-4..1.01).contains(&ratio), "{policy} {ratio}");
    }
}

#[test]
fn a_failed_write_leaves_the_old_file() {
    let folder = Folder::with("pages.csv", FIVE);
    let run = folder.run("plan pages.csv --budget 5/day --out missing/plan.csv");
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.starts_with("error: cannot write in missing: "), "{}", run.err);
    folder.write("plan.csv", "old");
    // The input has a mistake, so nothing is written.
    folder.write("wrong.csv", "page,change_rate\na,-1\n");
    assert_eq!(folder.run("plan wrong.csv --budget 5/day --out plan.csv").code, 2);
    assert_eq!(folder.read("plan.csv"), "old");
    assert_eq!(folder.files(), ["pages.csv", "plan.csv", "wrong.csv"]);
}
