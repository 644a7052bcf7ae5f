use std::fmt::Write as _;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;

/// Exponential numbers of mean one, always the same.
fn exponential(n: u32, seed: u64) -> impl Iterator<Item = f64> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    (0..n).map(move |_| -(1.0 - rng.random::<f64>()).ln())
}

/// Batches of two pages 0.001 apart every 10 units of time on average, and sizes of mean 3.
fn data() -> Folder {
    let mut times = "time\n".to_string();
    let mut now = 0.0;
    for gap in exponential(20_000, 1) {
        now += 10.0 * gap + 0.01;
        writeln!(times, "{now}\n{}", now + 0.001).unwrap();
    }
    let folder = Folder::with("times.csv", times);
    let sizes: Vec<String> = exponential(20_000, 2).map(|size| (3.0 * size).max(1e-9).to_string()).collect();
    folder.write("sizes.csv", sizes.join("\n"));
    folder
}

/// The fit finds the batches and the means, and writes a model that the other commands take.
#[test]
fn a_known_process_is_recovered() {
    let folder = data();
    for phases in ["", "--phases 2"] {
        let report = folder.json(&format!("fit --deliveries times.csv --sizes sizes.csv --out model.toml {phases}"));
        let batch_gap = number(&report, "batch_gap");
        assert!((0.001..1.0).contains(&batch_gap), "{batch_gap}");
        // 20,000 gaps: one standard error is 0.7% of the mean.
        close(number(&report, "pages_per_unit_of_time"), 0.2, 0.03);
        let service = &report["service"]["matched"][0];
        assert_eq!(service["quantity"], "mean");
        close(number(service, "fitted"), 3.0, 0.03);
        close(number(service, "fitted"), number(service, "sample"), 1e-6);
        assert!(number(&report["service"], "kolmogorov_smirnov") < 0.02);
        let best = folder.json("control optimise model.toml");
        assert!(number(&best, "best.cost") > number(&best, "markov_bound"));
    }
}

#[test]
fn the_report() {
    let folder = data();
    let options = "--speed 0.5 --buffer 7 --robots 2 --obsolete-after 100";
    let run = folder.run(&format!("fit --deliveries times.csv --sizes sizes.csv --out model.toml {options}"));
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!("report", run.out);
    let model = folder.read("model.toml");
    assert!(
        model.starts_with("# Fitted to 40,000 deliveries in times.csv and 20,000 sizes in sizes.csv.\n"),
        "{model}"
    );
    for line in ["buffer = 7 ", "robots = 1\n", "robots = 2\n", "[obsolescence]    # mean 100\n", "loss = 200.0 "] {
        assert!(model.contains(line), "{line}: {model}");
    }
    assert!(!model.contains("robots = 3"), "{model}");
}

#[test]
fn bad_samples() {
    let said = |times: &str, sizes: &str, options: &str| {
        let folder = Folder::with("times.csv", times);
        folder.write("sizes.csv", sizes);
        let run = folder.run(&format!("fit --deliveries times.csv --sizes sizes.csv --out model.toml {options}"));
        assert_eq!(run.code, 2, "{}", run.err);
        assert_eq!(folder.files(), ["sizes.csv", "times.csv"]);
        run.err
    };
    let times: String = (0..30).map(|k| format!("{}\n", k * k)).collect();
    let complaints = [
        said("time\n1\n2\nx\n", "1\n2\n", ""),
        said("time\n1\n3\n2\n", "1\n2\n", ""),
        said("time\n1\n", "1\n2\n", ""),
        said("when,page\n1,a\n2,b\n", "1\n2\n", ""),
        said(&times, "size\n1\n0\n", ""),
        said(&times, "size\n1\n", ""),
        said(&times, "1\n2\n3\n", "--speed 0"),
        said(&times, "1\n2\n3\n", "--phases 0"),
        said("time,robots\n1,1\n2,1.5\n", "1\n2\n", ""),
    ];
    insta::assert_snapshot!(complaints.concat());
}
