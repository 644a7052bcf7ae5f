use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;

use proptest::prelude::*;

use super::*;

const BOTH: Wanted = Wanted { weights: true, hosts: false };

fn read_text(extension: &str, contents: impl AsRef<[u8]>, wanted: Wanted) -> Result<PageTable> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("pages.{extension}"));
    fs::write(&path, contents).unwrap();
    read_pages(&path, wanted)
}

/// The message without the folder, which changes from run to run.
fn complaint(extension: &str, contents: impl AsRef<[u8]>, wanted: Wanted) -> String {
    let error = read_text(extension, contents, wanted).unwrap_err();
    assert!(error.downcast_ref::<Mistake>().is_some(), "not a mistake: {error:#}");
    let message = format!("{error:#}");
    let start = message.find("pages.").unwrap();
    message[start..].to_string()
}

fn csv_complaint(contents: &str) -> String {
    complaint("csv", contents, BOTH)
}

fn pages_of(table: &PageTable) -> Vec<(&str, f64, f64)> {
    (0..table.len()).map(|page| (table.names.get(page), table.change_rates[page], table.weights[page])).collect()
}

#[test]
fn csv_in_any_order_of_columns() {
    let table = read_text("csv", "weight,note,page,change_rate\n2,x,a,0.5\n,y,\"b,c\",1e-3\n", BOTH).unwrap();
    assert_eq!(pages_of(&table), [("a", 0.5, 2.0), ("b,c", 1e-3, 1.0)]);
}

#[test]
fn what_was_exported_is_understood() {
    let wanted = Wanted { weights: true, hosts: false };
    let csv = read_text("csv", "id,url,changes_per_day,weight\n0,https://e.org/,0.5,2\n", wanted).unwrap();
    let json = r#"{"id":0,"url":"https://e.org/","changes_per_day":0.5,"weight":2.0}"#;
    let json = read_text("jsonl", json, wanted).unwrap();
    for table in [csv, json] {
        assert_eq!(pages_of(&table), [("https://e.org/", 0.5, 2.0)]);
    }
    let both = read_text("csv", "page,url,change_rate\na,b,0.5\n", wanted).unwrap();
    assert_eq!(pages_of(&both), [("a", 0.5, 1.0)]);
}

#[test]
fn csv_from_a_spreadsheet() {
    let table = read_text("csv", "\u{feff}page,change_rate\r\na, 0.5 \r\n\r\nb,-0\r\n", BOTH).unwrap();
    assert_eq!(pages_of(&table), [("a", 0.5, 1.0), ("b", 0.0, 1.0)]);
    assert!(table.change_rates[1].is_sign_positive());
}

#[test]
fn json_lines() {
    let text = "{\"page\": \"a\\u00e9\", \"change_rate\": 1, \"x\": [1]}\n\n{\"weight\":3,\"page\":\"b\",\"change_rate\":0.25}";
    let table = read_text("jsonl", text, BOTH).unwrap();
    assert_eq!(pages_of(&table), [("aé", 1.0, 1.0), ("b", 0.25, 3.0)]);
}

#[test]
fn compression_is_seen_in_the_bytes_not_in_the_name() {
    let text = b"page,change_rate\na,1\n";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::encode_all(&text[..], 3).unwrap();
    for extension in ["csv", "csv.gz", "csv.zst", "CSV"] {
        for bytes in [text.to_vec(), gzip.clone(), zstd.clone()] {
            assert_eq!(read_text(extension, bytes, BOTH).unwrap().len(), 1, "{extension}");
        }
    }
    for bytes in [&gzip[..gzip.len() - 9], &zstd[..zstd.len() - 5]] {
        let message = complaint("csv.gz", bytes, BOTH);
        assert_eq!(message, "pages.csv.gz: ends in the middle of its compressed data; fetch or write the file again");
    }
    let mut damaged = gzip;
    let last = damaged.len() - 1;
    damaged[last - 5] ^= 1;
    assert!(complaint("csv.gz", damaged, BOTH).starts_with("pages.csv.gz: is damaged: "));
}

#[test]
fn hosts_are_numbered_as_they_come() {
    let wanted = Wanted { weights: false, hosts: true };
    let text = "page,change_rate,host,weight\na,1,x.org,wrong but not wanted\nb,1,y.org,\nc,1,x.org,\n";
    let hosts = read_text("csv", text, wanted).unwrap().hosts.unwrap();
    assert_eq!(hosts.of_page, [0, 1, 0]);
    assert_eq!(hosts.names.iter().collect::<Vec<_>>(), ["x.org", "y.org"]);
}

#[test]
fn what_is_wrong_with_a_csv_file() {
    let complaints = [
        "",
        "page,change_rate\n",
        "page,weight\na,1\n",
        "page,chnage_rate\na,1\n",
        "Page,change_rate\na,1\n",
        "page;change_rate\na;1\n",
        "page,page,change_rate\na,b,1\n",
        "page,change_rate\na,1\nb,-1\n",
        "page,change_rate\na,NaN\n",
        "page,change_rate\na,1e999\n",
        "page,change_rate\na,\n",
        "page,change_rate\na,often\n",
        "page,change_rate\n,1\n",
        "page,change_rate\n\"a\nb\",1\n",
        "page,change_rate\na,1,2\n",
        "page,change_rate,weight\na,1,inf\n",
        "page,change_rate,weight\na,1,-2\n",
        "page,change_rate\na,1\n\nb,1\n\n\na,2\n",
        "\r\n\r\npage,change_rate\r\na,1\r\n\r\nb,-1",
        "page,change_rate,note\na,1,\"x\ny\"\n\nb,-1,\"x\n\ny\"\nc,1,\n",
        "page,change_rate\na,1\nb,\"1\nc,1\n",
    ]
    .map(csv_complaint);
    insta::assert_snapshot!(complaints.join("\n"));
}

#[test]
fn what_is_wrong_with_other_input() {
    let hosts = Wanted { weights: true, hosts: true };
    let complaints = [
        complaint("csv", b"page,change_rate\na\xff,1\n", BOTH),
        complaint("csv", "page,change_rate\na,1\n", hosts),
        complaint("csv", "page,change_rate,host\na,1,x\nb,1,\n", hosts),
        complaint("txt", "", BOTH),
        complaint("gz", "", BOTH),
        complaint("jsonl", "", BOTH),
        complaint("jsonl", "{\"page\":\"a\",\"change_rate\":1}\n[1]\n", BOTH),
        complaint("jsonl", "{\"page\":\"a\",\"change-rate\":1}\n", BOTH),
        complaint("jsonl", "{\"page\":\"a\",\"change_rate\":\"1\"}\n", BOTH),
        complaint("jsonl", "{\"page\":\"a\",\"change_rate\":-1}\n", BOTH),
        complaint("jsonl", "{\"page\":\"a\",\"change_rate\":1e999}\n", BOTH),
        complaint("jsonl", "{\"page\":\"a\",\"change_rate\":null,\"weight\":2}\n", BOTH),
        complaint("jsonl", "{\"page\":\"a\",\"change_rate\":1}\n", hosts),
    ];
    insta::assert_snapshot!(complaints.join("\n"));
}

#[test]
fn names_that_share_a_hash_are_told_apart_by_name() {
    // Every hash is compared with its neighbour after sorting; the names decide. Here all differ and nothing is refused.
    let mut text = "page,change_rate\n".to_string();
    for page in 0..50_000 {
        writeln!(text, "page-{page},1").unwrap();
    }
    assert_eq!(read_text("csv", &text, BOTH).unwrap().len(), 50_000);
    text.push_str("page-17,1\n");
    assert_eq!(csv_complaint(&text), "pages.csv:50002: page `page-17` is already on line 19; give each page one row");
}

#[test]
fn the_nearest_name_is_near() {
    assert_eq!(nearest("chnage rate", ["page", "change_rate"]), Some("change_rate"));
    assert_eq!(nearest("colour", ["page", "change_rate"]), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// No bytes make a reader panic, and what is refused is refused with a reason.
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for extension in ["csv", "jsonl"] {
            if let Err(error) = read_text(extension, &bytes, BOTH) {
                prop_assert!(error.downcast_ref::<Mistake>().is_some());
            }
        }
    }

    /// The same behind a good header, where random bytes reach the rows.
    #[test]
    fn no_rows_panic(rows in "([a-c\"]{0,2},[0-9.e-]{0,3}\n?){0,8}") {
        let text = format!("page,change_rate\n{rows}");
        if let Err(error) = read_text("csv", &text, BOTH) {
            prop_assert!(error.downcast_ref::<Mistake>().is_some());
        }
    }

    /// What is written is what is read.
    #[test]
    fn csv_returns_what_was_put_in(rates in proptest::collection::vec(1e-30f64..1e30, 1..50)) {
        let mut text = "page,change_rate\n".to_string();
        for (page, rate) in rates.iter().enumerate() {
            writeln!(text, "p{page},{rate:e}").unwrap();
        }
        prop_assert_eq!(read_text("csv", &text, BOTH).unwrap().change_rates, rates);
    }
}
