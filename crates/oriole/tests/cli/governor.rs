//! The number of robots is decided by what goes on, and the decision outlives the engine.

use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Folder;
use super::livingweb::play;

const QUICK: &str = "--allow-private --delay 0 --connections-per-host 16 --budget unlimited --no-archive";

/// How the engine decides, as soon as it says what is wanted.
fn control(folder: &Folder, engine: &Child, is_there: fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let status = folder.run("status --json").out;
        let said: Value = serde_json::from_str(&status).unwrap_or_default();
        if said["pid"] == engine.id() && is_there(&said["control"]) {
            return said["control"].clone();
        }
        assert!(began.elapsed() < Duration::from_secs(90), "{status}");
        thread::sleep(Duration::from_millis(100));
    }
}

fn kill(mut engine: Child) {
    engine.kill().unwrap();
    engine.wait().unwrap();
}

#[test]
fn thresholds_are_found_and_remembered() {
    // Every visit finds a change, so there is always something to index.
    let settings = livingweb::Settings { pages: 200, hosts: 2, mean_interval: 0.05, ..livingweb::Settings::default() };
    let (_runtime, living) = play(&settings);
    let folder = Folder::new();
    let refit = |time: &str| format!("[control]\nrefit = \"{time}\"\nmost = 6\n[revisit]\nleast = \"0\"\n");
    std::fs::write(folder.path("oriole.toml"), refit("1s")).unwrap();
    let run = format!("run {} {QUICK} --index-time exp(5ms)", living.seeds().join(" "));
    let engine = folder.command(&run).spawn().unwrap();
    let decided =
        control(&folder, &engine, |control| control["policy"].is_string() && control["measured"]["cost"].is_number());
    let robots = |control: &Value| -> Vec<u64> {
        control["robots"].as_array().unwrap().iter().map(|robots| robots.as_u64().unwrap()).collect()
    };
    assert_eq!(decided["rule"], "thresholds");
    // Places 0 to 64, never more robots with more documents, none beyond the most.
    assert!(robots(&decided).len() == 65 && robots(&decided).is_sorted_by(|a, b| a >= b), "{decided}");
    assert!((1..=6).contains(&robots(&decided)[0]), "{decided}");
    // The indexer takes 5 ms longer than it would, on average: of 200 documents, with which the model is fitted, the mean is within
    // 28 % of that, four standard errors. On a busy machine it takes longer still.
    let service = decided["fitted"]["service_seconds"].as_f64().unwrap();
    assert!((0.0036..0.5).contains(&service), "{service}");
    for part in ["p_loss", "p_obsolete", "p_starvation"] {
        let share = decided["predicted"][part].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&share), "{part} is {share}");
    }
    // What is decided is written with the next batch.
    thread::sleep(Duration::from_secs(3));
    kill(engine);
    std::fs::write(folder.path("oriole.toml"), refit("1d")).unwrap();
    let engine = folder.command(&run).spawn().unwrap();
    let remembered = control(&folder, &engine, Value::is_object);
    kill(engine);
    assert!(remembered["policy"].is_string(), "{remembered}");
    assert_eq!(robots(&remembered).len(), 65);
    assert!(remembered["fitted"]["service_seconds"].is_number() && remembered["predicted"]["cost"].is_number());
}

#[test]
fn a_fixed_number_of_robots_is_measured_too() {
    let settings = livingweb::Settings { pages: 200, hosts: 2, mean_interval: 0.05, ..livingweb::Settings::default() };
    let (_runtime, living) = play(&settings);
    let folder = Folder::new();
    std::fs::write(folder.path("oriole.toml"), "[control]\nrefit = \"1s\"\n[revisit]\nleast = \"0\"\n").unwrap();
    let run = format!("run {} {QUICK} --index-time exp(5ms) --robots 3", living.seeds().join(" "));
    let engine = folder.command(&run).spawn().unwrap();
    let both = |control: &Value| ["predicted", "measured"].iter().all(|kind| control[*kind]["cost"].is_number());
    let said = control(&folder, &engine, both);
    kill(engine);
    assert_eq!((&said["rule"], &said["policy"]), (&"fixed".into(), &"3".into()), "{said}");
    // Places are kept for what robots bring, so they are not all at work.
    let robots = said["measured"]["active_robots"].as_f64().unwrap();
    assert!(robots > 0.0 && robots < 3.1, "{said}");
    let brings = said["fitted"]["brings"].as_f64().unwrap();
    assert!(brings > 0.2 && brings <= 1.0, "{said}");
}
