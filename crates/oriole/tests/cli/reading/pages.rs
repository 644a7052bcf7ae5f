use super::*;

fn urls(site: &Site, options: &str) -> Vec<String> {
    let run = site.run(&format!("pages --json {options}"));
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{options}");
    let rows = run.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    rows.map(|row| row["url"].as_str().unwrap().trim_start_matches(DOCS).to_owned()).collect()
}

#[test]
fn the_table() {
    let site = Site::new();
    let run = site.run("pages");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!("pages", run.out);
    let run = site.run("pages --state excluded");
    assert_eq!(run.out.lines().count(), 1, "only the heading: {}", run.out);
}

#[test]
fn rows_for_programs() {
    let site = Site::new();
    let rows = site.run("pages --json --limit 1").out;
    let mut row: serde_json::Value = serde_json::from_str(&rows).unwrap();
    row["probability_current"] = "[tested elsewhere]".into();
    insta::assert_snapshot!("pages_json", site.steady(&serde_json::to_string_pretty(&row).unwrap()));
    let run = site.run("pages --csv");
    let mut reader = csv::Reader::from_reader(run.out.as_bytes());
    let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(sorted, row.as_object().unwrap().keys().cloned().collect::<Vec<_>>(), "the same columns");
    let place = |name: &str| names.iter().position(|other| other == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 8);
    assert_eq!(&rows[7][place("retry_at")], site.retry_at().to_string());
    assert_eq!((&rows[5][place("duplicate_of")], &rows[6][place("redirect_to")]), ("1", DOCS));
}

#[test]
fn which_pages() {
    let site = Site::new();
    let blog = ["http://blog.example.net:8080/vogel"];
    assert_eq!(urls(&site, "--host blog.example.net"), blog);
    assert_eq!(urls(&site, "--host http://blog.example.net:8080/"), blog);
    assert_eq!(urls(&site, "--host blog.example.net --host DOCS.example.org").len(), 8);
    assert_eq!(urls(&site, "--state gone,failed"), ["old", "broken"]);
    assert_eq!(urls(&site, "--state fetched --stale 24h"), ["errors", blog[0]]);
    assert_eq!(urls(&site, "--changed-since 2d13h"), [""]);
    let day = site.ago(101).to_string();
    assert_eq!(urls(&site, &format!("--changed-since {day}")), ["", "errors", "errors?print=1"]);
    assert_eq!(urls(&site, "--changed-since 2999-01-01"), Vec::<String>::new());
    assert_eq!(urls(&site, "--limit 0"), Vec::<String>::new());
}

#[test]
fn in_which_order() {
    let site = Site::new();
    assert_eq!(
        urls(&site, "--sort checked --limit 3"),
        ["http://blog.example.net:8080/vogel", "errors", "errors?print=1"]
    );
    assert_eq!(urls(&site, "--sort checked --reverse --limit 2"), ["", "moved"]);
    assert_eq!(urls(&site, "--sort url --limit 2"), ["http://blog.example.net:8080/vogel", ""]);
    assert_eq!(urls(&site, "--reverse --limit 2"), ["broken", "moved"]);
    assert_eq!(urls(&site, "--sort links --state fetched")[0], "http://blog.example.net:8080/vogel");
}

#[test]
fn mistakes() {
    let site = Site::new();
    let wrong = ["--host example.com", "--state lost", "--stale soon", "--changed-since 31.1.2026", "--json --csv"];
    let said: Vec<String> = wrong
        .iter()
        .map(|options| {
            let run = site.run(&format!("pages {options}"));
            assert_eq!((run.code, run.out.as_str()), (2, ""), "{options}");
            format!("{options}\n{}", run.err.lines().next().unwrap())
        })
        .collect();
    insta::assert_snapshot!("pages_mistakes", said.join("\n"));
}

/// More pages than are read at a time, in every order.
#[test]
fn many_pages() {
    let folder = Folder::new();
    let mut data = DataFolder::open(&folder.path("oriole-data")).unwrap();
    data.recover(None).unwrap();
    let page = |id: u32| NewPage {
        id: PageId(id),
        url: format!("https://docs.example.org/{id}"),
        host: HostId(0),
        depth: 1,
        found_at: Timestamp(1),
        referrer: None,
        weight: 1.0,
        links_in: id % 7,
    };
    let batch = Batch { number: 1, hosts: hosts(), new: (0..2345).map(page).collect(), ..Batch::default() };
    data.catalogue.apply(&batch).unwrap();
    drop(data);
    let site = Site { folder, now: Timestamp(0) };
    let all: Vec<String> = (0..2345).map(|id| id.to_string()).collect();
    assert_eq!(urls(&site, ""), all);
    assert_eq!(urls(&site, "--limit 1500"), all[..1500]);
    let mut reversed = all.clone();
    reversed.reverse();
    assert_eq!(urls(&site, "--reverse"), reversed);
    assert_eq!(urls(&site, "--reverse --limit 1200"), reversed[..1200]);
    let mut linked: Vec<u32> = (0..2345).collect();
    linked.sort_by_key(|id| id % 7);
    assert_eq!(urls(&site, "--sort links"), linked.iter().map(u32::to_string).collect::<Vec<_>>());
    let table = site.run("pages").out;
    assert_eq!(table.lines().count(), 2345 + 3, "three tables");
}
