use store::{Catalogue, DataFolder, HttpHead, Record as Archived, State, Timestamp};
use tempfile::TempDir;

use super::{Importer, Tally};
use crate::cli::EngineArgs;
use crate::config::Config;

fn config(folder: &TempDir) -> Config {
    let engine = EngineArgs { config: None, data: Some(folder.path().join("data")) };
    Config::load(&engine, None, Vec::<(String, String)>::new()).unwrap()
}

fn page(url: &str, at: i64, text: &str) -> Archived {
    let mut head = HttpHead::response(200, "OK");
    head.push("Content-Type", b"text/html; charset=utf-8");
    let body = format!("<html lang=en><title>{url}</title><main><p>{text}</p><a href=/next>next</a></main>");
    Archived::response(url, Timestamp(at), head, body.into_bytes(), false)
}

fn import(folder: &TempDir, records: Vec<Archived>) -> Tally {
    let mut importer = Importer::open(&config(folder)).unwrap();
    records.into_iter().for_each(|record| importer.take(record).unwrap());
    importer.finish().unwrap()
}

#[test]
fn answers_of_others_become_pages_once() {
    let folder = TempDir::new().unwrap();
    let records = || {
        vec![
            Archived::info(Timestamp(0), &[("software", "another")]),
            page(
                "http://e.org/a",
                1_000_000,
                "Of kestrels and how they hover above the road in the wind of the morning",
            ),
            page("http://e.org/b", 2_000_000, "Of herons and how they stand in the water until something moves"),
            // The same page again, later and changed; and once more, as it was before all that.
            page(
                "http://e.org/a",
                90_000_000_000,
                "Of kites and why their tails are forked, with drawings of five kinds",
            ),
            page("http://e.org/a", 500_000, "Of nothing that counts any more because it is older than the rest"),
            page("ftp://e.org/a", 1_000_000, "Of no page"),
        ]
    };
    let tally = import(&folder, records());
    assert_eq!(tally, Tally { taken: 3, older: 1, refused: 1, others: 1 });
    let data = DataFolder::read(&folder.path().join("data")).unwrap();
    let a = data.catalogue.find("http://e.org/a").unwrap().unwrap();
    assert_eq!((a.values.state, a.values.visits, a.values.changes), (State::Fetched, 2, 1));
    assert_eq!(a.values.changed_at, Some(Timestamp(90_000_000_000)));
    assert!(a.values.indexed && a.values.archive.is_some());
    let counts = data.catalogue.counts().unwrap();
    assert_eq!((counts.pages(), counts.indexed, counts.visits), (2, 2, 3));

    let again = import(&folder, records());
    assert_eq!(again, Tally { taken: 0, older: 4, refused: 1, others: 1 });
    assert_eq!(DataFolder::read(&folder.path().join("data")).unwrap().catalogue.counts().unwrap(), counts);
}
