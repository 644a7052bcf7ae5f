use std::fs;

use super::*;
use crate::cli::ServerArgs;
use crate::units::Span;
use typed::{KEYS, WEIGHT_KEYS, variable};

const NO_VARIABLES: [(&str, &str); 0] = [];

/// What a file of this text means, together with variables and flags.
fn load_with(text: &str, variables: &[(&str, &str)], run: Option<&RunArgs>) -> Result<Config, Mistake> {
    let mut typed = Typed::from_text("oriole.toml", text)?;
    typed.override_by(&Environment::new(variables.iter().copied()))?;
    Config::from_typed(&typed, run)
}

fn load(text: &str) -> Config {
    load_with(text, &[], None).unwrap()
}

fn mistake_with(text: &str, variables: &[(&str, &str)]) -> String {
    load_with(text, variables, None).unwrap_err().to_string()
}

fn mistake(text: &str) -> String {
    mistake_with(text, &[])
}

/// For every key a value that is not its default.
const OTHERS: &[(&str, &str)] = &[
    ("data", "\"elsewhere\""),
    ("seeds", "[\"example.org\", \"http://example.net/a\"]"),
    ("budget", "\"10000/day\""),
    ("robots", "3"),
    ("scope.reach", "\"domain\""),
    ("scope.include", "[\"/docs/*\"]"),
    ("scope.exclude", "[\"re:[0-9]{8}\"]"),
    ("scope.max_depth", "4"),
    ("scope.max_pages_per_site", "1000"),
    ("scope.allow_extensions", "[\".SVG\"]"),
    ("revisit.least", "\"1min\""),
    ("revisit.most", "\"unlimited\""),
    ("revisit.reserve", "0.1"),
    ("revisit.discovery", "0"),
    ("revisit.least_change", "0.05"),
    ("revisit.look_again", "\"1d\""),
    ("demand.learn", "false"),
    ("demand.half_life", "\"7d\""),
    ("requests.user_agent", "\"Kite/2\""),
    ("requests.delay", "\"0\""),
    ("requests.connections_per_host", "2"),
    ("requests.connect_timeout", "\"1s\""),
    ("requests.silence_timeout", "\"1s\""),
    ("requests.timeout", "\"1s\""),
    ("requests.max_bytes", "\"1MB\""),
    ("requests.allow_private", "true"),
    ("requests.proxy", "\"socks5h://localhost:1080\""),
    ("requests.ca_files", "[\"CA\"]"),
    ("requests.retry", "\"1s\""),
    ("requests.tries", "5"),
    ("pages.max_text", "\"100kB\""),
    ("pages.max_links", "100"),
    ("control.rule", "\"aimd\""),
    ("control.most", "4"),
    ("control.loss", "2"),
    ("control.obsolete", "2"),
    ("control.sojourn", "2"),
    ("control.robot", "2"),
    ("control.starvation", "2"),
    ("control.refit", "\"2min\""),
    ("buffer.places", "5"),
    ("buffer.obsolete_after", "\"1h\""),
    ("buffer.learned_obsolescence", "false"),
    ("buffer.reserve", "false"),
    ("index.enabled", "false"),
    ("index.memory", "\"100MB\""),
    ("archive.enabled", "false"),
    ("archive.file_size", "\"100MB\""),
    ("archive.operator", "\"Jane Doe, jane@example.org\""),
    ("server.listen", "\"off\""),
    ("server.hosts", "[\"search.example.org\"]"),
    ("server.token", "\"0123456789abcdef\""),
    ("server.public_search", "true"),
    ("server.public_rate", "\"1/s\""),
    ("signals.indexnow_key", "\"0123456789abcdef\""),
    ("signals.websub_callback", "\"https://search.example.org\""),
    ("metrics.listen", "\"127.0.0.1:9100\""),
    ("log.level", "\"warn,crawl=debug\""),
    ("log.format", "\"json\""),
];

/// A file that sets one key.
fn setting(key: &str, value: &str) -> String {
    match key.split_once('.') {
        Some((section, name)) => format!("[{section}]\n{name} = {value}\n"),
        None => format!("{key} = {value}\n"),
    }
}

#[test]
fn the_shipped_file_has_the_defaults() {
    assert_eq!(load(EXAMPLE), load(""));
    assert_eq!(load("").data, PathBuf::from("oriole-data"));
}

#[test]
fn the_shipped_file_has_every_key() {
    let (mut section, mut keys) = (String::new(), Vec::new());
    for line in EXAMPLE.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = format!("{name}.");
        } else if let Some((key, _)) = line.split_once(" = ").filter(|_| !line.starts_with('#')) {
            keys.push(format!("{section}{key}"));
        }
    }
    assert_eq!(keys, KEYS);
    for key in WEIGHT_KEYS {
        assert!(EXAMPLE.contains(&format!("\n# {key} = ")), "{key}");
    }
}

/// What stands in comments as an example works, too.
#[test]
fn the_weights_of_the_shipped_file_can_be_used() {
    let text =
        EXAMPLE.replace("# [[weight]]", "[[weight]]").replace("# pattern", "pattern").replace("# weight", "weight");
    let weights = load(&text).fleet.weights;
    assert_eq!(weights.fixed(&page_url("example.org/news/1").unwrap()), Some(10.0));
    assert_eq!(weights.fixed(&page_url("example.org/").unwrap()), None);
}

/// Every key has an effect, in the file and as a variable, which is the same; and whoever reads the file again is told.
#[test]
fn every_key_matters() {
    assert_eq!(OTHERS.iter().map(|(key, _)| *key).collect::<Vec<_>>(), KEYS);
    let certificate = concat!(env!("CARGO_MANIFEST_DIR"), "/src/config/fixtures/ca.pem");
    let usual = load("");
    for (key, value) in OTHERS {
        let value = value.replace("CA", certificate);
        let config = load(&setting(key, &value));
        assert_ne!(config, usual, "{key}");
        let text = value.replace(['"', '[', ']'], "");
        let by_variable =
            load_with("", &[(&variable(key), if *key == "scope.exclude" { "re:[0-9]{8}" } else { &text })], None);
        assert_eq!(by_variable.unwrap(), config, "{key}");
        let changes = usual.changes(&config);
        match changes.now.len() {
            0 => assert_eq!(changes.at_next_start, [*key]),
            more => assert_eq!((more, changes.at_next_start.len()), (1, 0), "{key}: {changes:?}"),
        }
        assert_eq!(config.changes(&config), Changes::default());
    }
}

/// The file says of a key that it is live if and only if it is.
#[test]
fn live_keys_are_marked() {
    let usual = load("");
    for (key, value) in OTHERS.iter().filter(|(key, _)| *key != "requests.ca_files") {
        let name = key.rsplit('.').next().unwrap();
        let is_live = !usual.changes(&load(&setting(key, value))).now.is_empty();
        let section = key.split_once('.').map_or("", |(section, _)| section);
        let start = if section.is_empty() { Some(0) } else { EXAMPLE.find(&format!("\n[{section}]")) };
        let part = &EXAMPLE[start.unwrap()..];
        let end = part.find(&format!("\n{name} = ")).unwrap();
        let about = part[..end].rsplit("\n\n").next().unwrap();
        assert_eq!(about.contains("(live)"), is_live, "{key}: {about}");
    }
}

#[test]
fn webhooks_of_the_shipped_file_can_be_used() {
    let example = EXAMPLE.split("# [[webhooks]]").nth(1).unwrap().split("\n\n").next().unwrap();
    let config = load(&format!("[[webhooks]]{}", example.replace("\n# ", "\n")));
    assert_eq!(config.webhooks.len(), 1);
    assert_eq!(load("").changes(&config).at_next_start, ["webhooks"]);
    assert!(!format!("{config:?}").contains("a-long-random-secret"), "secrets are not printed");
}

#[test]
fn webhooks_that_make_no_sense_are_mistakes() {
    let hook =
        |rest: &str| format!("[[webhooks]]\nurl = \"https://e.org/hook\"\nsecret = \"0123456789abcdef\"\n{rest}");
    for (text, words) in [
        ("[[webhooks]]\nurl = \"https://e.org/\"\n".to_owned(), "secret"),
        ("[[webhooks]]\nurl = \"nowhere\"\nsecret = \"0123456789abcdef\"\n".to_owned(), "address"),
        ("[[webhooks]]\nurl = \"https://e.org/\"\nsecret = \"short\"\n".to_owned(), "16"),
        (hook("events = [\"moved\"]\n"), "moved"),
        (hook("events = []\n"), "empty"),
        (hook("speed = 1\n"), "speed"),
        (hook("") + &hook(""), "twice"),
    ] {
        let problem = mistake(&text);
        assert!(problem.contains(words), "{text}: {problem}");
    }
}

#[test]
fn weights_are_a_change_for_the_next_start() {
    let config = load("[[weight]]\npattern = \"/a\"\nweight = 2\n");
    assert_eq!(load("").changes(&config).at_next_start, ["weight"]);
}

/// Each value knows its line, without all lines being counted for each.
#[test]
fn a_hundred_thousand_seeds() {
    let seeds: String = (0..100_000).map(|number| format!("  \"https://e.org/{number}\",\n")).collect();
    assert_eq!(load(&format!("seeds = [\n{seeds}]\n")).seeds.len(), 100_000);
    let message = mistake(&format!("seeds = [\n{seeds}  \"ftp://e.org\",\n]\n"));
    assert!(message.starts_with("oriole.toml:100002: "), "{message}");
}

#[test]
fn certificates_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = (include_str!("fixtures/ca.pem"), folder.path().join("bad.pem"));
    let refused = |text: &str| {
        fs::write(&bad, text).unwrap();
        let message = mistake(&setting("requests.ca_files", &format!("[{bad:?}]")));
        let start = format!("oriole.toml:2: `requests.ca_files` cannot be used: {}", bad.display());
        assert!(message.starts_with(&start), "{message}");
    };
    refused("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
    refused(&good.replace("MIIBg", "MIIBh"));
    refused(&good.replace("END CERTIFICATE", "END"));
    refused("");
    fs::write(&bad, format!("A comment\n{good}{good}")).unwrap();
    let config = load(&setting("requests.ca_files", &format!("[{bad:?}]")));
    assert_eq!(config.fetch.trusted.len(), 1);
}

#[test]
fn meanings() {
    let config = load(
        "seeds = [\"docs.example.org\", \"https://docs.example.org/#top\", \"http://e.org:81/x\"]\nbudget = \"unlimited\"\n\
         [revisit]\nmost = \"2d\"\n[requests]\ndelay = \"0s\"\nconnections_per_host = 8\nmax_bytes = \"20MB\"\n\
         user_agent = \"Mozilla/5.0 (compatible; Kite-bot/2.0; +https://e.org)\"\n[log]\nlevel = \"warn\"\nformat = \"text\"\n",
    );
    let seeds: Vec<&str> = config.seeds.iter().map(PageUrl::as_str).collect();
    assert_eq!(seeds, ["https://docs.example.org/", "http://e.org:81/x"]);
    let frontier = &config.fleet.frontier;
    assert_eq!((frontier.budget, frontier.delay, frontier.most_revisit), (None, 0.0, 172_800.0));
    assert_eq!((frontier.connections, config.fetch.idle_connections), (8, 8));
    assert_eq!((config.fetch.most_bytes, config.limits.input_bytes), (20_000_000, 20_000_000));
    assert_eq!((config.fleet.product_token.as_str(), config.limits.product_token.as_str()), ("Kite-bot", "Kite-bot"));
    assert_eq!(config.log, LogConfig { level: "warn".to_owned(), format: Some(LogFormat::Text) });
    assert_eq!(load("").fleet.product_token, "Oriole");
}

fn flags() -> RunArgs {
    use clap::Parser;
    #[derive(Parser)]
    struct Only {
        #[command(flatten)]
        run: RunArgs,
    }
    Only::parse_from(["run"]).run
}

#[test]
fn a_flag_goes_before_a_variable_and_a_variable_before_the_file() {
    let file = "budget = \"1/s\"\nrobots = 1\nseeds = [\"a.org\"]\ndata = \"in-file\"\n[requests]\ndelay = \"1s\"\n";
    let variables = [("ORIOLE_BUDGET", "2/s"), ("ORIOLE_REQUESTS_DELAY", "2s"), ("ORIOLE_SEEDS", "b.org, c.org,")];
    let run = RunArgs { budget: Some("3/s".parse().unwrap()), urls: vec!["d.org".to_owned()], ..flags() };
    let config = load_with(file, &variables, None).unwrap();
    assert_eq!((config.fleet.frontier.budget, config.fleet.frontier.delay, config.robots), (Some(2.0), 2.0, Some(1)));
    assert_eq!(config.seeds.len(), 2);
    let config = load_with(file, &variables, Some(&run)).unwrap();
    assert_eq!((config.fleet.frontier.budget, config.fleet.frontier.delay, config.robots), (Some(3.0), 2.0, Some(1)));
    assert_eq!(config.seeds, [page_url("d.org").unwrap()]);
    assert_eq!(config.data, PathBuf::from("in-file"));
}

#[test]
fn every_flag_matters() {
    let day: Span = "1d".parse().unwrap();
    let run = RunArgs {
        duration: Some(day),
        once: true,
        robots: Some(7),
        delay: Some("0".parse().unwrap()),
        connections_per_host: Some(64),
        allow_private: true,
        no_index: true,
        no_archive: true,
        metrics: Some("127.0.0.1:1".parse().unwrap()),
        log: Some(LogFormat::Json),
        log_level: Some("trace".to_owned()),
        server: ServerArgs { listen: "127.0.0.1:2".parse().ok(), token: Some("t".repeat(16)) },
        ..flags()
    };
    let config = load_with("", &[], Some(&run)).unwrap();
    assert_eq!((config.duration, config.once, config.robots), (Some(86_400.0), true, Some(7)));
    assert_eq!((config.index.is_none(), config.archive.is_none(), config.fetch.allow_private), (true, true, true));
    let fleet = &config.fleet;
    assert_eq!((fleet.index, fleet.archive, fleet.once, fleet.frontier.revisit), (false, false, true, false));
    assert_eq!((fleet.frontier.delay, fleet.frontier.connections, config.fetch.idle_connections), (0.0, 64, 64));
    assert_eq!(config.metrics, "127.0.0.1:1".parse().ok());
    assert_eq!(config.server.listen, Listen::At("127.0.0.1:2".parse().unwrap()));
    assert_eq!(config.server.token.unwrap().secret(), [b't'; 16]);
    let run = RunArgs { no_server: true, ..flags() };
    assert_eq!(load_with("", &[], Some(&run)).unwrap().server.listen, Listen::Off);
    assert_eq!(config.log, LogConfig { level: "trace".to_owned(), format: Some(LogFormat::Json) });
    for wrong in [
        RunArgs { log_level: Some("inof".to_owned()), ..flags() },
        RunArgs { delay: Some("2d".parse().unwrap()), ..flags() },
        RunArgs { urls: vec!["ftp://e.org/".to_owned()], ..flags() },
        RunArgs { server: ServerArgs { listen: None, token: Some("short".to_owned()) }, ..flags() },
    ] {
        assert!(load_with("", &[], Some(&wrong)).is_err(), "{wrong:?}");
    }
}

#[test]
fn others_are_served_only_with_a_token() {
    let served = |text: &str| load(&format!("[server]\n{text}")).server.check().is_ok();
    for text in ["listen = \"0.0.0.0:80\"", "listen = \"[::]:80\"", "listen = \"192.0.2.1:80\"", "hosts = [\"a.org\"]"]
    {
        assert!(!served(text), "{text}");
        assert!(served(&format!("{text}\ntoken = \"0123456789abcdef\"")), "{text}");
    }
    for text in ["", "listen = \"127.0.0.1:80\"", "listen = \"[::1]:80\"", "listen = \"off\"\nhosts = [\"a.org\"]"] {
        assert!(served(text), "{text}");
    }
    assert!(!format!("{:?}", load("[server]\ntoken = \"0123456789abcdef\"")).contains("0123456789abcdef"));
}

#[test]
fn where_the_data_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("oriole.toml");
    let engine = |config: Option<&PathBuf>, data: Option<&str>| EngineArgs {
        config: config.cloned(),
        data: data.map(PathBuf::from),
    };
    let of = |engine: &EngineArgs, variables: &[(&str, &str)]| {
        let alone = Config::data_folder(engine, variables.iter().copied()).unwrap();
        assert_eq!(Config::load(engine, None, variables.iter().copied()).unwrap().data, alone);
        alone
    };
    fs::write(&file, "data = \"mine\"\n").unwrap();
    let beside = folder.path().join("mine");
    assert_eq!(of(&engine(Some(&file), None), &[]), beside);
    assert_eq!(of(&engine(None, None), &[("ORIOLE_CONFIG", file.to_str().unwrap())]), beside);
    assert_eq!(of(&engine(Some(&file), None), &[("ORIOLE_DATA", "v")]), PathBuf::from("v"));
    assert_eq!(of(&engine(Some(&file), Some("f")), &[("ORIOLE_DATA", "v")]), PathBuf::from("f"));
    assert_eq!(of(&engine(None, None), &[]), PathBuf::from("oriole-data"));
    fs::write(&file, "").unwrap();
    assert_eq!(of(&engine(Some(&file), None), &[]), folder.path().join("oriole-data"));
    // Who only looks is not kept from it by other keys.
    fs::write(&file, "robots = \"many\"\nrobotts = 1\nscope = 1\n").unwrap();
    assert_eq!(
        Config::data_folder(&engine(Some(&file), None), NO_VARIABLES).unwrap(),
        folder.path().join("oriole-data")
    );
    let absent = engine(Some(&folder.path().join("absent.toml")), None);
    assert!(Config::data_folder(&absent, NO_VARIABLES).is_err() && Config::load(&absent, None, NO_VARIABLES).is_err());
}

#[test]
fn unknown_keys_and_variables() {
    let files = [
        "\n[requests]\ndelya = \"1s\"\n",
        "bugdet = \"1/s\"\n",
        "[request]\ndelay = \"1s\"\n",
        "[metrics]\nzebra = 1\n",
        "[[weight]]\npattern = \"/a\"\nwieght = 1\n",
        "[[weight]]\npattern = \"/a\"\n",
        "[weight]\npattern = \"/a\"\n",
        "scope = 1\n",
        "seeds = [\n",
        "robots = 1\nrobots = 2\n",
    ];
    let variables =
        ["ORIOLE_REQUEST_DELAY", "ORIOLE_ZEBRA", "ORIOLE_WEIGHT"].map(|name| mistake_with("", &[(name, "1s")]));
    let messages: Vec<String> = files.into_iter().map(mistake).chain(variables).collect();
    insta::assert_snapshot!("unknown_keys", messages.join("\n"));
    let fine = [("ORIOLE_TEST_PYTHON", "x"), ("ORIOLE_KILLS", "200"), ("ORIOLE_REQUESTS_DELAY", ""), ("PATH", "x")];
    assert_eq!(load_with("", &fine, None).unwrap(), load(""));
}

#[test]
fn wrong_values() {
    let wrong = [
        ("data", "\"\""),
        ("data", "1"),
        ("seeds", "\"example.org\""),
        ("seeds", "[1]"),
        ("seeds", "[\"ftp://example.org\"]"),
        ("budget", "5"),
        ("budget", "\"0/s\""),
        ("robots", "0"),
        ("robots", "1.5"),
        ("robots", "99999999999999999999999999999999999999999"),
        ("scope.reach", "\"site\""),
        ("scope.include", "[\"docs/\"]"),
        ("scope.exclude", "[\"re:(\"]"),
        ("scope.max_depth", "-1"),
        ("scope.allow_extensions", "[\"tar.gz\"]"),
        ("revisit.least", "\"31d\""),
        ("revisit.most", "\"30min\""),
        ("revisit.reserve", "nan"),
        ("revisit.discovery", "1"),
        ("revisit.least_change", "-0.1"),
        ("requests.user_agent", "\"Robot2/1.0\""),
        ("requests.user_agent", "\"Mozilla/5.0 (X11)\""),
        ("requests.user_agent", "\"\""),
        ("requests.user_agent", "\"K\u{e4}fer\""),
        ("requests.delay", "\"-1s\""),
        ("requests.delay", "\"2d\""),
        ("requests.timeout", "\"0s\""),
        ("requests.timeout", "60"),
        ("requests.max_bytes", "\"1TB\""),
        ("requests.allow_private", "\"yes\""),
        ("requests.proxy", "\"proxy:3128\""),
        ("requests.proxy", "\"http://proxy:port\""),
        ("requests.ca_files", "[\"absent.pem\"]"),
        ("requests.ca_files", "[\"Cargo.toml\"]"),
        ("index.memory", "\"1MB\""),
        ("archive.operator", "\"a\\nb: c\""),
        ("metrics.listen", "\"localhost\""),
        ("log.level", "\"inof\""),
        ("log.format", "\"xml\""),
    ];
    let messages = wrong.map(|(key, value)| format!("{value}\n    {}", mistake(&format!("\n{}", setting(key, value)))));
    insta::assert_snapshot!("wrong_values", messages.join("\n"));
    let weight = mistake("[[weight]]\npattern = \"/a\"\nweight = -1\n");
    assert_eq!(weight, "oriole.toml:3: `weight.weight` is -1; give a number from 0 to 1000000");
    let by_variable = [
        ("ORIOLE_ROBOTS", "many"),
        ("ORIOLE_REQUESTS_DELAY", "1"),
        ("ORIOLE_INDEX_ENABLED", "yes"),
        ("ORIOLE_REVISIT_RESERVE", "x"),
        ("ORIOLE_SEEDS", "a.org,b:c:d"),
        ("ORIOLE_REVISIT_MOST", "1min"),
    ];
    let messages = by_variable.map(|(name, value)| mistake_with("", &[(name, value)]));
    insta::assert_snapshot!("wrong_variables", messages.join("\n"));
}

proptest::proptest! {
    /// Whatever a file says, it is read or refused with its name.
    #[test]
    fn no_text_panics(text in "(data|seeds|budget|\\[scope\\]|\\[\\[weight\\]\\]|robots|\\[requests\\]|reach|delay|=| |\n|\"|[0-9a-z.\\[\\]/]){0,20}") {
        if let Err(error) = load_with(&text, &[], None) {
            proptest::prop_assert!(error.to_string().contains("oriole.toml"), "{error}");
        }
    }

    /// So does every value for every key, in the file and as a variable.
    #[test]
    fn no_value_panics(at in 0..KEYS.len(), value in "(\")?(re:|http://|-)?[0-9a-zA-Z .,/*$(\\[-]{0,12}(\")?") {
        let _ = load_with(&setting(KEYS[at], &value), &[], None);
        let _ = load_with("", &[(&variable(KEYS[at]), &value)], None);
    }
}
