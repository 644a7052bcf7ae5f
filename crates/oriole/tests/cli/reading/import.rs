use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;

fn waiting(data: &Path) -> Vec<String> {
    let folder = DataFolder::read(data).unwrap();
    folder.catalogue.inbox(0, 1_000_000).unwrap().into_iter().map(|command| command.url).collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn lists_of_addresses() {
    let site = Site::new();
    let list = format!(
        "# mine\r\n{DOCS}\r\nhttps://a.example/1\n\nhttps://a.example/1#again\nb.example/2\nmailto:x@y\nftp://z/\n"
    );
    site.folder.write("urls.txt", format!("\u{feff}{list}"));
    let run = site.run("import urls.txt");
    assert_eq!(run.code, 0, "{}", run.err);
    insta::assert_snapshot!("import_list", format!("{}{}", run.out, run.err));
    assert_eq!(waiting(&site.data()), ["https://a.example/1", "https://b.example/2"]);
    let _engine = engine(&site.data(), "{}");
    site.folder.write("urls.txt.gz", gzip("https://c.example/\n"));
    assert_eq!(site.run("import urls.txt.gz").out, "urls.txt.gz: one page to be visited now\n");
}

#[test]
fn sitemaps() {
    let site = Site::new();
    let entry = |url: &str| format!("<url><loc>{url}</loc><lastmod>2026-01-01</lastmod></url>");
    let xml = format!(
        "<?xml version='1.0'?><urlset>{}{}{}</urlset>",
        entry("https://a.example/1"),
        entry(DOCS),
        entry("https://a.example/2")
    );
    site.folder.write("sitemap.xml.gz", gzip(&xml));
    site.folder.write("cut.xml", xml[..xml.len() - 20].replace("a.example", "b.example"));
    let run = site.run("import sitemap.xml.gz cut.xml");
    assert_eq!(run.code, 0, "{}", run.err);
    insta::assert_snapshot!("import_sitemaps", format!("{}{}", run.out, run.err));
    assert_eq!(waiting(&site.data()), ["https://a.example/1", "https://a.example/2", "https://b.example/1"]);
    site.folder
        .write("index.xml", "<sitemapindex><sitemap><loc>https://a.example/s.xml</loc></sitemap></sitemapindex>");
    site.folder.write("page.html", "<!doctype html><p>no sitemap");
    site.folder.write("words.txt", "one two\nthree\u{1b}[2J\n");
    for (file, problem) in [
        ("index.xml", "lists 1 other sitemaps"),
        ("page.html", "not a sitemap"),
        (
            "words.txt",
            "words.txt: is no list of addresses, a sitemap or a WARC file; nothing was taken; line 1: `one two`",
        ),
        ("absent", "no such file"),
    ] {
        let run = site.run(&format!("import {file}"));
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{file}");
        assert!(run.err.contains(problem) && !run.err.contains('\u{1b}'), "{}", run.err);
    }
}

/// A program, a table or a text is no list of addresses, even if some lines could be.
#[test]
fn files_that_are_something_else_are_refused_whole() {
    let site = Site::new();
    site.folder.write("program.py", "import os\nhdr={}\nx = 3.5\nos.path\nhttps://a.example/1\n");
    let run = site.run("import program.py");
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("program.py: is no list") && run.err.contains("line 1: `import os`"), "{}", run.err);
    assert!(waiting(&site.data()).is_empty());
    site.folder.write("mixed.txt", "hdr={}\nlocalhost:8080/x\nhttps://a.example/1\n");
    let run = site.run("import mixed.txt");
    assert_eq!(
        (run.code, run.out.contains("2 pages") && run.out.contains("1 not addresses")),
        (0, true),
        "{}",
        run.out
    );
    assert!(run.err.contains("warning: mixed.txt: line 1: `hdr={}` is not the address of a page"), "{}", run.err);
    assert_eq!(waiting(&site.data()), ["https://localhost:8080/x", "https://a.example/1"]);
}

/// A folder is made for what is imported, and a hundred thousand addresses are not one transaction each.
#[test]
fn many_addresses_into_a_new_folder() {
    let folder = Folder::new();
    let list: String = (0..120_000).map(|number| format!("https://a.example/{number}\n")).collect();
    folder.write("urls.txt", list);
    let begin = std::time::Instant::now();
    let run = folder.run("import urls.txt --data new");
    assert_eq!((run.code, run.err.as_str()), (0, "note: made the data folder new\n"));
    assert_eq!(run.out, "urls.txt: 120,000 pages to be visited when the engine next runs\n");
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
    let found = waiting(&folder.path("new"));
    assert_eq!((found.len(), found[119_999].as_str()), (120_000, "https://a.example/119999"));
}

/// What one data folder has exported, another takes in: the same pages are found, and once more changes nothing.
#[test]
fn copies_of_another() {
    let site = Site::new();
    assert_eq!(site.run("export --format warc --out site.warc.gz").code, 0);
    let run = site.run("import site.warc.gz --data other");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.out, "site.warc.gz: 3 answers taken in, 1 other records\n");
    let found = |query: &str| {
        let answer = site.json(&format!("search {query} --data other"));
        answer["hits"].as_array().unwrap().iter().map(|hit| hit["url"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found("pirol"), ["http://blog.example.net:8080/vogel"]);
    assert_eq!(found("error handling").len(), 2);
    assert_eq!(site.run("check --data other").code, 0);
    let run = site.run("import site.warc.gz --data other");
    assert_eq!(run.out, "site.warc.gz: 0 answers taken in, 3 older than the last visit, 1 other records\n");
    let status = site.json("status --data other");
    assert_eq!((&status["pages_known"], &status["pages_indexed"]), (&3.into(), &3.into()));
}

#[test]
fn copies_need_the_folder_for_themselves_and_may_be_torn() {
    let site = Site::new();
    assert_eq!(site.run("export --format warc --out site.warc.gz").code, 0);
    let engine = engine(&site.data(), "{}");
    let run = site.run("import site.warc.gz");
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("another process is running on oriole-data"), "{}", run.err);
    drop(engine);
    let bytes = std::fs::read(site.folder.path("site.warc.gz")).unwrap();
    site.folder.write("torn.warc.gz", &bytes[..bytes.len() - 100]);
    let run = site.run("import torn.warc.gz --data other");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.out, "torn.warc.gz: 2 answers taken in, 1 other records\n");
    assert!(run.err.contains("warning: torn.warc.gz: record 4: "), "{}", run.err);
}
