use super::*;

#[test]
fn the_table() {
    let run = Folder::new().run("reproduce --table 1");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!(run.out);
}

/// Nothing differs without explanation, and the report is complete.
#[test]
fn the_whole_report() {
    let folder = Folder::new();
    let report = folder.json("reproduce --out report");
    assert_eq!(number(&report, "differ"), 0.0);
    assert_eq!(report["parts"].as_array().unwrap().len(), 15);
    let html = folder.read("report/index.html");
    for part in ["table-1", "table-5", "figure-4", "formulas", "beyond", "baselines", "freshness"] {
        assert!(html.contains(&format!("id=\"{part}\"")), "{part}");
    }
    assert_eq!(html.matches("<svg").count(), 4);
    let mut files: Vec<_> =
        fs::read_dir(folder.path("report")).unwrap().map(|file| file.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["figure-1.svg", "figure-2.svg", "figure-3.svg", "figure-4.svg", "index.html"]);
}

#[test]
fn only_what_was_asked_for() {
    let report = Folder::new().json("reproduce --table 2 --figure 3");
    let parts: Vec<&str> =
        report["parts"].as_array().unwrap().iter().map(|part| part["part"].as_str().unwrap()).collect();
    assert_eq!(parts, ["table 2", "figure 3"]);
    assert_eq!(Folder::new().run("reproduce --table 6").code, 2);
}
