use store::{Kind, Limits as Most, WarcReader};

use super::*;

fn rows(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn json_lines_and_csv() {
    let site = Site::new();
    let run = site.run("export --format jsonl --out -");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let pages = rows(&run.out);
    assert_eq!(pages.len(), 8);
    let listed = rows(&site.run("pages --json").out);
    assert_eq!(
        pages[0].as_object().unwrap().keys().collect::<Vec<_>>(),
        listed[0].as_object().unwrap().keys().collect::<Vec<_>>()
    );
    assert_eq!(site.run("export --format csv --out pages.csv --state fetched,gone").code, 0);
    let mut reader = csv::Reader::from_reader(std::fs::File::open(site.folder.path("pages.csv")).unwrap());
    assert_eq!(reader.headers().unwrap().iter().take(3).collect::<Vec<_>>(), ["id", "url", "host"]);
    assert_eq!(reader.records().count(), 4);
}

/// The text comes from the archive; a copy that cannot be read is told and leaves a gap.
#[test]
fn with_the_text_of_pages() {
    let site = Site::new();
    let pages = rows(&site.run("export --format jsonl --text --out -").out);
    assert!(pages[0]["text"].as_str().unwrap().contains("birds that come back"), "{}", pages[0]);
    assert!(pages[3]["text"].is_null());
    let file = site.data().join("archive/oriole-000001.warc.gz");
    let mut bytes = std::fs::read(&file).unwrap();
    let place = pages[0]["archive_offset"].as_u64().unwrap() as usize + 40;
    bytes[place] ^= 0xff;
    std::fs::write(&file, bytes).unwrap();
    let run = site.run("export --format jsonl --text --out -");
    assert_eq!(run.code, 0);
    assert!(run.err.contains("warning: the copy of https://docs.example.org/ cannot be read"), "{}", run.err);
    let pages = rows(&run.out);
    assert!(pages[0]["text"].is_null() && pages[1]["text"].is_string());
}

#[test]
fn warc() {
    let site = Site::new();
    assert_eq!(site.run("export --format warc --out site.warc.gz").code, 0);
    let records = |name: &str| {
        let file = std::io::BufReader::new(std::fs::File::open(site.folder.path(name)).unwrap());
        WarcReader::new(file, Most::default()).unwrap().map(Result::unwrap).collect::<Vec<_>>()
    };
    let found = records("site.warc.gz");
    assert_eq!(found[0].kind, Kind::Info);
    let urls: Vec<&str> = found[1..].iter().map(|record| record.url.as_str()).collect();
    assert_eq!(urls, [DOCS, "https://docs.example.org/errors", "http://blog.example.net:8080/vogel"]);
    assert_eq!(found[1].body, SAMPLES[0].html.as_bytes());
    assert_eq!(site.run("export --format warc --all --out all.warc.gz --host docs.example.org").code, 0);
    assert_eq!(records("all.warc.gz").len(), 3);
}

/// The same values as in the other formats, column by column.
#[cfg(feature = "parquet")]
#[test]
fn parquet() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    use serde_json::Value;
    let site = Site::new();
    assert_eq!(site.run("export --format parquet --out pages.parquet").code, 0);
    let file = std::fs::File::open(site.folder.path("pages.parquet")).unwrap();
    let pages: Vec<_> =
        SerializedFileReader::new(file).unwrap().get_row_iter(None).unwrap().map(Result::unwrap).collect();
    let listed = rows(&site.run("pages --json").out);
    assert_eq!(pages.len(), 8);
    for (page, listed) in pages.iter().zip(&listed) {
        assert_eq!(page.get_column_iter().count(), listed.as_object().unwrap().len());
        for (name, field) in page.get_column_iter().filter(|(name, _)| *name != "probability_current") {
            let value = match field {
                Field::Null => Value::Null,
                Field::Str(text) => text.as_str().into(),
                Field::Long(number) => (*number).into(),
                Field::Int(number) => (*number).into(),
                Field::Double(number) => (*number).into(),
                Field::Bool(flag) => (*flag).into(),
                Field::TimestampMillis(at) => Timestamp(*at).to_string().into(),
                other => panic!("{name} is {other:?}"),
            };
            assert_eq!(value, listed[name], "{name}");
        }
    }
}

#[test]
fn mistakes() {
    let site = Site::new();
    for (options, problem) in [
        ("--format csv --text --out -", "--text needs --format jsonl"),
        ("--format csv --all --out -", "--all needs --format warc"),
        ("--format parquet --out -", "name a file with --out"),
        ("--format csv", "--out <FILE>"),
    ] {
        let run = site.run(&format!("export {options}"));
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{options}");
        assert!(run.err.contains(problem), "{}", run.err);
    }
    let run = site.run("export --format csv --out absent/pages.csv");
    assert_eq!(run.code, 1, "{}", run.err);
}
