use super::*;

/// Runs with one wrong file and returns what is said about it.
fn complaint(name: &str, contents: impl AsRef<[u8]>, options: &str) -> String {
    let folder = Folder::with(name, contents);
    let run = folder.run(&format!("plan {name} {options}"));
    assert_eq!(run.code, 2, "{}", run.err);
    assert_eq!(run.out, "");
    run.err
}

#[test]
fn bad_pages() {
    let budget = "--budget 5/day";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(FIVE.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let complaints = [
        complaint("pages.csv", "", budget),
        complaint("pages.csv", "page,change_rate\n", budget),
        complaint("pages.csv", "page,rate\na,1\n", budget),
        complaint("pages.csv", "page,changerate\na,1\n", budget),
        complaint("pages.csv", "page,change_rate\na,1\nb,-1\n", budget),
        complaint("pages.csv", "page,change_rate\na,nan\n", budget),
        complaint("pages.csv", "page,change_rate,weight\na,1,inf\n", budget),
        complaint("pages.csv", "page,change_rate\na,1\nb,1\na,2\n", budget),
        complaint("pages.csv", "page,change_rate\na\x1b[31m,x\x1b[31m\n", budget),
        complaint("pages.csv", b"page,change_rate\n\xff,1\n", budget),
        complaint("pages.csv", &gzip[..gzip.len() - 12], budget),
        complaint("pages.xlsx", "", budget),
        complaint("pages.csv", "page,change_rate,weight\na,1,1e308\nb,1,1e308\n", budget),
        complaint("pages.csv", "page,change_rate,note\na,1,\"oops\nb,2,x\nc,3,y\n", budget),
        complaint("pages.csv", "page,change_rate,Weight\na,1,2\n", budget),
        complaint("pages.jsonl", "{\"page\": \"a\", \"change_rate\": 1, \"weights\": 2}\n", budget),
        complaint("pages.jsonl", "[\"a\", 1, null, null]\n", budget),
        complaint("pages.parquet.gz", "", budget),
        complaint("pages.csv", "page,change_rate\na,1\n", "--budget 5/day --out pages.csv"),
        complaint("pages.csv", "page,change_rate\na,1\n", "--budget 5/day --plot p.png"),
        complaint("pages.csv", "page,change_rate\na,1\n", "--access-time gamma(1e-9,1s)"),
    ];
    insta::assert_snapshot!(complaints.concat());
}

#[test]
fn bad_options() {
    let hosts = "page,change_rate,host\na,1,x\nb,2,y\n";
    let complaints = [
        complaint("pages.csv", FIVE, ""),
        complaint("pages.csv", FIVE, "--robots 3"),
        complaint("pages.csv", FIVE, "--budget 5/day --access-time exp(1s) --robots 2"),
        complaint("pages.csv", FIVE, "--budget 0/s"),
        complaint("pages.csv", FIVE, "--access-time exp(5)"),
        complaint("pages.csv", FIVE, "--access-time file:absent.csv"),
        complaint("pages.csv", FIVE, "--target-stale 1.5"),
        complaint("pages.csv", FIVE, "--budget 5/s --target-stale 0.1"),
        complaint("pages.csv", FIVE, "--budget 5/s --frequencies"),
        complaint("pages.csv", FIVE, "--budget 5/s --out plan.txt"),
        complaint("pages.csv", FIVE, "--budget 5/s --host-limit 1/s"),
        complaint("pages.csv", "page,change_rate,host\na,1,x\nb,2,\n", "--budget 5/s --host-limit 1/s"),
        complaint("pages.csv", hosts, "--budget 5/s --host-limit 1/s"),
        complaint("pages.csv", hosts, "--target-stale 1% --host-limit 1/day"),
    ];
    insta::assert_snapshot!(complaints.concat());
}

#[test]
fn files_that_are_not_there() {
    let folder = Folder::new();
    let run = folder.run("plan absent.csv --budget 5/s");
    assert_eq!((run.code, run.err.as_str()), (2, "error: absent.csv: no such file\n"));
    std::fs::create_dir(folder.path("pages.csv")).unwrap();
    let run = folder.run("plan pages.csv --budget 5/s");
    assert_eq!((run.code, run.err.as_str()), (2, "error: pages.csv: is a folder; name a file in it\n"));
}

#[test]
fn bad_parquet() {
    let said = complaint("pages.parquet", "not parquet at all", "--budget 5/day");
    let problem = match cfg!(feature = "parquet") {
        true => {
            "cannot be read as Parquet (Parquet error: Invalid Parquet file. Corrupt footer); write the file again, compressed with snappy, gzip, lz4 or zstd if at all"
        }
        false => "this program was built without Parquet; give CSV or JSON Lines",
    };
    assert_eq!(said, format!("error: pages.parquet: {problem}\n"));
}
