//! What was typed: the keys of the file, and the variables of the environment that stand for them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cli::EngineArgs;
use crate::failure::{Mistake, quoted};
use crate::input::nearest;
use crate::strict_toml::{Document, Section, Value, read_text};

use super::given::Given;
use super::webhooks::{TypedWebhook, WEBHOOK_KEYS, WEBHOOKS};

/// Every key. Those before the first section are of the whole engine.
pub(super) const KEYS: &[&str] = &[
    "data",
    "seeds",
    "budget",
    "robots",
    "scope.reach",
    "scope.include",
    "scope.exclude",
    "scope.max_depth",
    "scope.max_pages_per_site",
    "scope.allow_extensions",
    "revisit.least",
    "revisit.most",
    "revisit.reserve",
    "revisit.discovery",
    "revisit.least_change",
    "revisit.look_again",
    "demand.learn",
    "demand.half_life",
    "requests.user_agent",
    "requests.delay",
    "requests.connections_per_host",
    "requests.connect_timeout",
    "requests.silence_timeout",
    "requests.timeout",
    "requests.max_bytes",
    "requests.allow_private",
    "requests.proxy",
    "requests.ca_files",
    "requests.retry",
    "requests.tries",
    "pages.max_text",
    "pages.max_links",
    "control.rule",
    "control.most",
    "control.loss",
    "control.obsolete",
    "control.sojourn",
    "control.robot",
    "control.starvation",
    "control.refit",
    "buffer.places",
    "buffer.obsolete_after",
    "buffer.learned_obsolescence",
    "buffer.reserve",
    "index.enabled",
    "index.memory",
    "archive.enabled",
    "archive.file_size",
    "archive.operator",
    "server.listen",
    "server.hosts",
    "server.token",
    "server.public_search",
    "server.public_rate",
    "signals.indexnow_key",
    "signals.websub_callback",
    "metrics.listen",
    "log.level",
    "log.format",
];

/// The list of tables, which no variable can stand for, and the keys of each.
pub(super) const WEIGHT: &str = "weight";
pub(super) const WEIGHT_KEYS: &[&str] = &["pattern", "weight"];

/// The file that is read if there is one and none is named.
const USUAL_FILE: &str = "oriole.toml";

/// The longest file, in bytes: a hundred thousand seeds fit.
const LONGEST_FILE: u64 = 16 << 20;

/// Variables of tests.
const NO_KEYS: [&str; 2] = ["ORIOLE_TEST_", "ORIOLE_KILLS"];

/// The variables of the environment that concern this program and are not empty.
pub(super) struct Environment(BTreeMap<String, OsString>);

impl Environment {
    pub(super) fn new<N: Into<OsString>, V: Into<OsString>>(all: impl IntoIterator<Item = (N, V)>) -> Self {
        let ours = |(name, value): (N, V)| {
            let (name, value) = (name.into().into_string().ok()?, value.into());
            (name.starts_with("ORIOLE_") && !value.is_empty()).then_some((name, value))
        };
        Self(all.into_iter().filter_map(ours).collect())
    }

    /// A path, which need not be text.
    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        self.0.get(name).map(PathBuf::from)
    }

    /// The file to be read.
    fn file(&self, engine: &EngineArgs) -> Option<PathBuf> {
        let named = engine.config.clone().or_else(|| self.path("ORIOLE_CONFIG"));
        named.or_else(|| Some(PathBuf::from(USUAL_FILE)).filter(|usual| usual.exists()))
    }
}

/// The variable that stands for a key.
pub(super) fn variable(key: &str) -> String {
    if key == "server.token" {
        return "ORIOLE_TOKEN".to_owned();
    }
    format!("ORIOLE_{}", key.replace('.', "_").to_uppercase())
}

/// Everything that was typed. A variable goes before the file.
#[derive(Debug, Default)]
pub(super) struct Typed {
    given: BTreeMap<&'static str, Given>,
    /// Patterns and weights.
    pub(super) weights: Vec<(Given, Given)>,
    /// Who is told of changes.
    pub(super) webhooks: Vec<TypedWebhook>,
    /// Where the file is: paths in it begin there.
    folder: PathBuf,
}

impl Typed {
    /// Reads the file, and then the environment.
    pub(super) fn read(engine: &EngineArgs, environment: &Environment) -> Result<Self> {
        let mut typed = match environment.file(engine) {
            Some(path) => Self::from_file(&path)?,
            None => Self::default(),
        };
        typed.override_by(environment)?;
        Ok(typed)
    }

    /// The folder of the data as the file says, whatever else it says.
    pub(super) fn data_in_file(engine: &EngineArgs, environment: &Environment) -> Result<Option<PathBuf>> {
        let Some(path) = environment.file(engine) else { return Ok(None) };
        let (name, text) = read_text(&path, LONGEST_FILE, "configuration")?;
        let document = Document::new(&name, &text);
        let root = document.parse()?;
        let data = Section::root(&document, root.get_ref()).get("data");
        let given = data.map(|value| Given::in_file("data", value, (&name, &document)));
        Ok(Some(given.map_or_else(|| Ok(folder(&path).join(super::DATA)), |given| given.path(folder(&path)))?))
    }

    fn from_file(path: &Path) -> Result<Self> {
        let (name, text) = read_text(path, LONGEST_FILE, "configuration")?;
        Ok(Self { folder: folder(path).to_path_buf(), ..Self::from_text(&name, &text)? })
    }

    /// Reads the text of a file.
    pub(super) fn from_text(name: &str, text: &str) -> Result<Self, Mistake> {
        let document = Document::new(name, text);
        let root = document.parse()?;
        let root = Section::root(&document, root.get_ref());
        check_keys(&root)?;
        let mut typed = Self::default();
        let given = |key, value: &Value<'_>| Given::in_file(key, value, (name, &document));
        for &key in KEYS {
            let (section, last) = split(key);
            let value = match section {
                Some(section) => root.section(section)?.and_then(|section| section.get(last)),
                None => root.get(last),
            };
            typed.given.extend(value.map(|value| (key, given(key, value))));
        }
        for row in root.sections(WEIGHT)? {
            let field = |key: &'static str| {
                let value = row.get(key).ok_or_else(|| row.missing(key, "give a pattern and its weight"))?;
                Ok::<_, Mistake>(given(if key == "pattern" { "weight.pattern" } else { "weight.weight" }, value))
            };
            typed.weights.push((field("pattern")?, field("weight")?));
        }
        for row in root.sections(WEBHOOKS)? {
            let needed = |key| row.get(key).ok_or_else(|| row.missing(key, "give an address and a secret"));
            typed.webhooks.push(TypedWebhook {
                url: given("webhooks.url", needed("url")?),
                secret: given("webhooks.secret", needed("secret")?),
                events: row.get("events").map(|value| given("webhooks.events", value)),
                allow_private: row.get("allow_private").map(|value| given("webhooks.allow_private", value)),
            });
        }
        Ok(typed)
    }

    /// Puts variables in the place of what the file says.
    pub(super) fn override_by(&mut self, environment: &Environment) -> Result<(), Mistake> {
        for (name, value) in &environment.0 {
            if name == "ORIOLE_CONFIG" || NO_KEYS.iter().any(|start| name.starts_with(start)) {
                continue;
            }
            let Some(&key) = KEYS.iter().find(|key| variable(key) == *name) else {
                return Err(unknown_variable(name));
            };
            let Some(text) = value.to_str() else {
                return Err(Mistake::usage(format_args!("the variable {name} is not UTF-8; write it in UTF-8")));
            };
            self.given.insert(key, Given::in_variable(key, name, text));
        }
        Ok(())
    }

    /// What was given for a key.
    pub(super) fn get(&self, key: &str) -> Option<&Given> {
        debug_assert!(KEYS.contains(&key), "{key} is missing in the list of keys");
        self.given.get(key)
    }

    /// A whole number.
    pub(super) fn whole(&self, key: &str, default: u64, range: RangeInclusive<u64>) -> Result<u64, Mistake> {
        self.get(key).map_or(Ok(default), |given| given.whole(range))
    }

    /// A number.
    pub(super) fn number(&self, key: &str, default: f64, range: RangeInclusive<f64>) -> Result<f64, Mistake> {
        self.get(key).map_or(Ok(default), |given| given.number(range))
    }

    /// Yes or no.
    pub(super) fn flag(&self, key: &str, default: bool) -> Result<bool, Mistake> {
        self.get(key).map_or(Ok(default), Given::flag)
    }

    /// A list of texts; empty if it is not there.
    pub(super) fn list(&self, key: &str) -> Result<Vec<Given>, Mistake> {
        self.get(key).map_or(Ok(Vec::new()), Given::list)
    }

    /// A path. In the file it begins where the file is.
    pub(super) fn path(&self, key: &str, default: &str) -> Result<PathBuf, Mistake> {
        self.get(key).map_or_else(|| Ok(self.folder.join(default)), |given| self.path_of(given))
    }

    /// A path that was given.
    pub(super) fn path_of(&self, given: &Given) -> Result<PathBuf, Mistake> {
        given.path(&self.folder)
    }
}

/// Where a file is.
fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Section and name of a key.
fn split(key: &'static str) -> (Option<&'static str>, &'static str) {
    key.split_once('.').map_or((None, key), |(section, name)| (Some(section), name))
}

/// The names of the keys of a section, or of those before the first.
fn names_in(section: Option<&str>) -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|key| split(key)).filter(move |(of, _)| *of == section).map(|(_, name)| name)
}

/// Fails if the file has a key that is not known.
fn check_keys(root: &Section<'_>) -> Result<(), Mistake> {
    let mut sections: Vec<&str> = KEYS.iter().filter_map(|key| split(key).0).collect();
    sections.dedup();
    root.allow(&names_in(None).chain(sections.iter().copied()).chain([WEIGHT, WEBHOOKS]).collect::<Vec<_>>())?;
    for name in sections {
        if let Some(section) = root.section(name)? {
            section.allow(&names_in(Some(name)).collect::<Vec<_>>())?;
        }
    }
    root.sections(WEIGHT)?.iter().try_for_each(|row| row.allow(WEIGHT_KEYS))?;
    root.sections(WEBHOOKS)?.iter().try_for_each(|row| row.allow(WEBHOOK_KEYS))
}

fn unknown_variable(name: &str) -> Mistake {
    for (start, what) in [("ORIOLE_WEIGHT", "weights"), ("ORIOLE_WEBHOOK", "webhooks")] {
        if name.starts_with(start) {
            let name = quoted(name);
            return Mistake::usage(format_args!("unknown variable {name}; {what} can only be given in the file"));
        }
    }
    let known: Vec<String> = KEYS.iter().map(|key| variable(key)).chain(["ORIOLE_CONFIG".to_owned()]).collect();
    let remedy = match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {near}?"),
        None => "variables are named like keys, such as ORIOLE_REQUESTS_DELAY for requests.delay".to_owned(),
    };
    Mistake::usage(format_args!("unknown variable {}; {remedy}", quoted(name)))
}
