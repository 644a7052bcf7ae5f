use super::*;

const EXAMPLE: &str = include_str!("../../../../oriole.example.toml");

#[test]
fn writes_the_shipped_file() {
    let folder = Folder::new();
    let run = folder.run("init");
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", "note: wrote oriole.toml\n"));
    assert_eq!(folder.read("oriole.toml"), EXAMPLE);
    let run = folder.run("init --out -");
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, EXAMPLE, ""));
}

#[test]
fn with_seeds() {
    let folder = Folder::new();
    assert_eq!(folder.run("init docs.example.org http://e.org:81/a%22b?q --out sites.toml").code, 0);
    let text = folder.read("sites.toml");
    let seeds = "seeds = [\n    \"https://docs.example.org/\",\n    \"http://e.org:81/a%22b?q\",\n]\n";
    assert_eq!(text, EXAMPLE.replace("seeds = []\n", seeds));
    assert!(text.contains(seeds));
    let run = folder.run("init ftp://e.org/ --out x.toml");
    assert_eq!((run.code, folder.files()), (2, vec!["sites.toml".to_owned()]));
    assert_eq!(run.err, "error: `ftp://e.org/`: only http and https pages can be fetched\n");
}

#[test]
fn replaces_a_file_only_when_told() {
    let folder = Folder::with("oriole.toml", "mine");
    let run = folder.run("init");
    assert_eq!((run.code, folder.read("oriole.toml").as_str()), (2, "mine"));
    let wanted = "error: oriole.toml: is there already; give --force to replace it, or --out to write another file\n";
    assert_eq!(run.err, wanted);
    assert_eq!(folder.run("init --force").code, 0);
    assert_eq!(folder.read("oriole.toml"), EXAMPLE);
}

#[test]
fn a_mistake_in_the_configuration_ends_with_code_2() {
    let folder = Folder::with("oriole.toml", "robots = 4\n[requests]\ndelya = \"1s\"\n");
    let run = folder.run("run");
    let wanted = "error: oriole.toml:3: unknown key `requests.delya`; did you mean `requests.delay`?\n";
    assert_eq!((run.code, run.err.as_str()), (2, wanted));
    let mut command = folder.command("run --config oriole.example.toml");
    folder.write("oriole.example.toml", EXAMPLE);
    let run = Run::of(command.env("ORIOLE_REQUEST_DELAY", "1s").output().unwrap());
    let wanted = "error: unknown variable `ORIOLE_REQUEST_DELAY`; did you mean ORIOLE_REQUESTS_DELAY?\n";
    assert_eq!((run.code, run.err.as_str(), folder.files().len()), (2, wanted, 2));
}
