//! The API, fuzzed by Schemathesis from its description: no error of the server, and nothing that is not described.
//!
//! Python with the packages of `tests/requirements.txt` is needed; `./test` installs them and sets `ORIOLE_TEST_PYTHON`.

use std::process::Command;

use serde_json::Value;

use super::Folder;
use super::server::Served;
use super::site::server::{Server, html, not_found, page};

const TOKEN: &str = "a-token-of-some-length";

/// A site whose pages change at every visit.
fn restless_site() -> Server {
    Server::start(|ask| match ask.path.as_str() {
        "/" => html(&page(&format!("{} {}", ask.origin, ask.before), &["/one", "/two"])),
        "/one" | "/two" => html(&page(&format!("{}{} {}", ask.origin, ask.path, ask.before), &[])),
        _ => not_found(),
    })
}

/// Fuzzes everything that the server describes. The site is one that the engine knows.
fn fuzz(served: &Served, site: Option<&str>, header: Option<&str>) {
    let Ok(python) = std::env::var("ORIOLE_TEST_PYTHON") else {
        println!("ORIOLE_TEST_PYTHON does not name a Python with Schemathesis: the API is not fuzzed");
        return;
    };
    let folder = Folder::new();
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fuzz");
    let mut command = Command::new(python);
    command.args(["-m", "schemathesis.cli", "--config-file", &format!("{own}/schemathesis.toml"), "run", "--no-color"]);
    command.arg(format!("http://{}/api/openapi.json", served.address));
    command.args(header.iter().flat_map(|header| ["-H", header]));
    let packages = std::env::var("PYTHONPATH").unwrap_or_default();
    command
        .env("PYTHONPATH", format!("{packages}:{own}"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("NO_PROXY", "127.0.0.1");
    command.envs(site.map(|site| ("ORIOLE_FUZZ_SITE", site))).current_dir(folder.path("."));
    let done = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{out}{err}");
    let summary = out.split_once("Test cases:").unwrap_or_else(|| panic!("{out}{err}")).1;
    println!("{}", summary.trim());
}

#[test]
fn a_running_engine() {
    let (server, folder) = (restless_site(), Folder::with("oriole.toml", "[revisit]\nleast = \"0\"\n"));
    // Whatever is applied, the site is asked ten times a second and no more.
    let options = "--allow-private --delay 100ms --listen 127.0.0.1:0";
    let mut served = Served::start(&folder, &format!("run {} {options}", server.url("/")));
    served.get_until("/api/v1/changes", "\"changed\"");
    fuzz(&served, Some(&server.url("/")), None);
    // It goes on as if nothing had happened.
    assert_eq!(served.get("/readyz").0, 200);
    assert_eq!(served.terminate(), Some(0));
    let check = folder.run("check --json");
    assert_eq!(check.code, 0, "{}{}", check.out, check.err);
}

#[test]
fn a_folder_that_is_served() {
    let (server, folder) = (restless_site(), Folder::new());
    for _visit in 0..2 {
        let run = folder.run(&format!("run {} --allow-private --delay 0 --once --no-server", server.url("/")));
        assert_eq!(run.code, 0, "{}", run.err);
    }
    let mut served = Served::start(&folder, &format!("serve --listen 127.0.0.1:0 --token {TOKEN}"));
    let described = served.get("/api/openapi.json").1;
    let described: Value = serde_json::from_str(described.split_once("\r\n\r\n").unwrap().1).unwrap();
    for (path, methods) in described["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let head = format!("{} {path} HTTP/1.1\r\nHost: {}", method.to_uppercase(), served.address);
            assert_eq!(served.send(&head, "").0, 401, "{path} needs the token");
        }
    }
    fuzz(&served, None, Some(&format!("Authorization: Bearer {TOKEN}")));
    assert_eq!(served.terminate(), Some(0));
}
