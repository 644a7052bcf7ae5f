use super::*;

/// The keys of the contract.
const KEYS: [&str; 16] = [
    "pages_known",
    "pages_fetched",
    "pages_indexed",
    "pages_failed",
    "hosts",
    "robots_active",
    "robots_max",
    "buffer_occupancy",
    "buffer_capacity",
    "lost",
    "obsolete",
    "budget_per_day",
    "stale_estimate",
    "stale_bound",
    "stale_uniform",
    "stale_proportional",
];

#[test]
fn without_an_engine() {
    let site = Site::new();
    let run = site.run("status");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!("status", run.out);
    let status = site.json("status");
    for key in KEYS {
        assert!(status.get(key).is_some(), "{key}");
    }
    assert_eq!(status["running"], false);
    assert_eq!((&status["pages_known"], &status["pages_fetched"]), (&8.into(), &4.into()));
    assert_eq!(
        (&status["pages_indexed"], &status["pages_failed"], &status["hosts"]),
        (&3.into(), &1.into(), &2.into())
    );
    assert_eq!((&status["robots_active"], &status["buffer_occupancy"]), (&0.into(), &0.into()));
    assert!(status["stale_estimate"].is_null());
    assert_eq!(status["states"]["redirect"], 1);
}

#[test]
fn beside_a_running_engine() {
    let site = Site::new();
    let said = r#"{"robots_active": 3, "robots_mean": 2.625, "robots_max": 16, "buffer_occupancy": 5, "buffer_capacity": 64, "lost": 1,
        "obsolete": 2, "budget_per_day": 432000.0, "stale_estimate": 0.0425, "stale_bound": 0.04, "stale_uniform": 0.051, "stale_proportional": 0.07,
        "pages_known": 9, "pages_kept_fresh": 4,
        "control": {"rule": "thresholds", "policy": "16 up to 3 documents, then 1", "measured": {"p_loss": 0.0125, "active_robots": 3.25},
        "predicted": {"p_loss": 0.01, "p_starvation": 0.5, "sojourn_served": 0.125, "active_robots": 3.5, "cost": 6.75}},
        "something_new": [1]}"#;
    let engine = engine(&site.data(), said);
    let run = site.run("status");
    insta::assert_snapshot!("status_running", run.out);
    let status = site.json("status");
    assert_eq!((&status["running"], &status["robots_active"]), (&true.into(), &3.into()));
    assert_eq!(status["pages_known"], 9, "the engine knows better");
    assert_eq!(status["pages_indexed"], 3, "what it does not say is counted");
    assert_eq!(status["something_new"][0], 1, "what else it says is passed on");
    drop(engine);
    let status = site.json("status");
    assert_eq!((&status["running"], &status["robots_active"], &status["lost"]), (&false.into(), &0.into(), &().into()));
}

/// Words of an engine that make no sense are as if it had said nothing.
#[test]
fn an_engine_that_says_nothing_or_nonsense() {
    for said in ["", "[]", "{\"lost\": {}}", "\u{1b}[2J"] {
        let site = Site::new();
        let _engine = engine(&site.data(), said);
        let status = site.json("status");
        assert_eq!((&status["running"], &status["pages_known"]), (&true.into(), &8.into()), "{said}");
        assert!(status["robots_active"].is_null(), "{said}");
        assert_eq!(site.run("status").code, 0);
    }
}

#[test]
fn watching() {
    use std::io::{BufRead, BufReader};
    let site = Site::new();
    let mut command = site.folder.command("status --watch --json");
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().take(2);
    for line in lines {
        let status: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        assert_eq!(status["pages_known"], 8);
    }
    child.kill().unwrap();
    child.wait().unwrap();
}
