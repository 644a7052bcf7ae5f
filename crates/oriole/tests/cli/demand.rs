//! Pages that readers ask for matter more.

use super::Folder;
use super::site::server::{Server, html, not_found};

/// What a page matters, and how often it was asked for.
fn matters(folder: &Folder, url: &str) -> (f64, f64) {
    let page = folder.json(&format!("page {url}"));
    (page["weight"].as_f64().unwrap(), page["asked"].as_f64().unwrap())
}

#[test]
fn a_page_that_searches_show_matters_more() {
    let server = Server::start(|ask| match ask.path.as_str() {
        "/" => html("<title>Birds</title><p>Two <a href=/oriole>golden</a> and <a href=/wren>brown</a> ones"),
        "/oriole" => html("<title>Oriole</title><p>The golden robin weaves a hanging nest"),
        "/wren" => html("<title>Wren</title><p>A small brown one that sings loudly"),
        _ => not_found(),
    });
    let (folder, once) = (Folder::new(), "--once --allow-private --delay 0");
    let (oriole, wren) = (server.url("/oriole"), server.url("/wren"));
    assert_eq!(folder.run(&format!("run {} {once}", server.url("/"))).code, 0);
    let before = matters(&folder, &oriole);
    assert_eq!(before, matters(&folder, &wren), "as many links, as far from the seed");
    for _ in 0..5 {
        assert_eq!(folder.json("search robin")["total"], 1);
    }
    assert_eq!(folder.json("search robin --uncounted")["total"], 1);
    assert_eq!(matters(&folder, &oriole), before, "no engine has counted them yet");
    // The next start of the engine counts them, once.
    for _ in 0..2 {
        assert_eq!(folder.run(&format!("run {once}")).code, 0);
        let (weight, asked) = matters(&folder, &oriole);
        // Five times a tenth; the half-life is a month.
        assert!((asked - 0.5).abs() < 1e-3, "{asked}");
        assert!((weight - before.0 - 0.5).abs() < 1e-3, "{weight} {before:?}");
        assert_eq!(matters(&folder, &wren), before);
    }
    let text = folder.run(&format!("page {oriole}")).out;
    assert!(text.contains("readers have asked for it, which counts 0.5"), "{text}");
}
