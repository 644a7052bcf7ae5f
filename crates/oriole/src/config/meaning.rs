//! What was typed means this.

use std::collections::HashSet;
use std::fmt::Display;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::time::Duration;

use control::Costs;
use crawl::address::PageUrl;
use crawl::extract::Limits;
use crawl::fetch::{FetchSettings, Fetcher};
use crawl::fleet::{DemandSettings, FleetSettings};
use crawl::frontier;
use crawl::robots_txt::is_product_token;
use crawl::scope::{Reach, ScopeRules, Weights};
use store::ArchiveSettings;

use crate::cli::{BudgetText, DelayText, LogFormat};
use crate::engine::{ControlSettings, Rule};
use crate::failure::{Mistake, quoted};
use crate::strict_toml::read_text;
use crate::units::{Size, Span};

use super::flags::requests_per_second;
use super::given::Given;
use super::typed::Typed;
use super::{Config, DATA, LogConfig, page_url, server};

const DAY: f64 = 86_400.0;
const YEAR: f64 = 365.0 * DAY;

/// Says that there is no limit.
const UNLIMITED: &str = "unlimited";

/// Says that something is not there.
pub(super) const NONE: &str = "none";

/// Longest file of certificates, in bytes.
const LONGEST_CERTIFICATES: u64 = 8 << 20;

/// Longest user agent, in bytes.
const LONGEST_AGENT: usize = 256;

/// What the file and the environment mean together.
pub(super) fn config(typed: &Typed) -> Result<Config, Mistake> {
    let fetch = fetch(typed)?;
    let token = product_token(&fetch.user_agent).unwrap_or_default().to_owned();
    Ok(Config {
        data: typed.path("data", DATA)?,
        seeds: seeds(typed)?,
        scope: scope(typed)?,
        limits: limits(typed, fetch.most_bytes, &token)?,
        fleet: fleet(typed, token)?,
        least_change: typed.number("revisit.least_change", 0.0, 0.0..=1.0)?,
        robots: robots(typed)?,
        control: control(typed)?,
        buffer: typed.whole("buffer.places", 64, 1..=100_000)? as usize,
        reserve: typed.flag("buffer.reserve", true)?,
        index_time: None,
        index: index(typed)?,
        archive: archive(typed)?,
        server: server::server(typed)?,
        signals: server::signals(typed)?,
        webhooks: super::webhooks::webhooks(&typed.webhooks)?,
        metrics: metrics(typed)?,
        log: log(typed)?,
        duration: None,
        once: false,
        fetch,
    })
}

fn seeds(typed: &Typed) -> Result<Vec<PageUrl>, Mistake> {
    let read = |given: Given| seed(given.text()?).map_err(|problem| given.mistake(format_args!("has {problem}")));
    let seeds = typed.list("seeds")?.into_iter().map(read).collect::<Result<_, _>>()?;
    Ok(distinct(seeds))
}

/// Where to begin.
pub(super) fn seed(text: &str) -> Result<PageUrl, String> {
    page_url(text).map_err(|error| format!("{}: {error}", quoted(text)))
}

/// Each page once, in order.
pub(super) fn distinct(mut pages: Vec<PageUrl>) -> Vec<PageUrl> {
    let mut seen = HashSet::new();
    pages.retain(|page| seen.insert(page.clone()));
    pages
}

fn scope(typed: &Typed) -> Result<ScopeRules, Mistake> {
    let reaches =
        [("host", Reach::Host), ("domain", Reach::Domain), ("prefix", Reach::Prefix), ("anywhere", Reach::Anywhere)];
    let reach = typed.get("scope.reach").map(|given| given.word(&reaches)).transpose()?;
    let most = |key, most| unlimited_or(typed.get(key), |given| given.whole(0..=most));
    Ok(ScopeRules {
        reach: reach.unwrap_or_default(),
        include: patterns(typed, "scope.include")?,
        exclude: patterns(typed, "scope.exclude")?,
        max_depth: most("scope.max_depth", u64::from(u16::MAX))?.map(|depth| depth as u32),
        max_pages_per_site: most("scope.max_pages_per_site", u64::from(u32::MAX))?,
        allow_extensions: extensions(typed)?,
    })
}

/// `None` if nothing was said or that there is no limit.
fn unlimited_or<T>(
    given: Option<&Given>,
    read: impl FnOnce(&Given) -> Result<T, Mistake>,
) -> Result<Option<T>, Mistake> {
    given.filter(|given| given.text().ok() != Some(UNLIMITED)).map(read).transpose()
}

fn patterns(typed: &Typed, key: &str) -> Result<Vec<String>, Mistake> {
    let patterns = typed.list(key)?;
    patterns.iter().map(|given| pattern(given, 1.0).map(|(pattern, _)| pattern)).collect()
}

/// A pattern that can be understood, and its weight.
fn pattern(given: &Given, weight: f32) -> Result<(String, f32), Mistake> {
    let row = (given.text()?.to_owned(), weight);
    match Weights::new(std::slice::from_ref(&row)) {
        Ok(_) => Ok(row),
        // Messages about regular expressions have several lines.
        Err(error) => {
            let words = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
            Err(given.mistake(format_args!("cannot be understood: {words}")))
        }
    }
}

fn extensions(typed: &Typed) -> Result<Vec<String>, Mistake> {
    let read = |given: &Given| {
        let text = given.text()?.trim_start_matches('.').to_ascii_lowercase();
        let is_extension = !text.is_empty() && text.len() <= 8 && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if is_extension { Ok(text) } else { Err(given.mistake("is no extension of a file; give one such as \"svg\"")) }
    };
    typed.list("scope.allow_extensions")?.iter().map(read).collect()
}

fn weights(typed: &Typed) -> Result<Weights, Mistake> {
    let row = |(text, weight): &(Given, Given)| pattern(text, weight.number(0.0..=1e6)? as f32);
    let rows = typed.weights.iter().map(row).collect::<Result<Vec<_>, _>>()?;
    Weights::new(&rows).map_err(Mistake::usage)
}

fn fleet(typed: &Typed, product_token: String) -> Result<FleetSettings, Mistake> {
    Ok(FleetSettings {
        frontier: frontier(typed)?,
        product_token,
        obsolete_after: time_or_unlimited(typed, "buffer.obsolete_after", 600.0, 1.0)?,
        learned_obsolescence: typed.flag("buffer.learned_obsolescence", true)?,
        retry: time(typed, "requests.retry", 30.0, 1e-3..=DAY)?,
        tries: typed.whole("requests.tries", 3, 1..=100)? as u32,
        look_again: time_or_unlimited(typed, "revisit.look_again", 7.0 * DAY, 1.0)?,
        archive: true,
        index: true,
        once: false,
        weights: weights(typed)?,
        demand: demand(typed)?,
    })
}

/// A number, or none for "auto".
fn robots(typed: &Typed) -> Result<Option<u32>, Mistake> {
    match typed.get("robots") {
        None => Ok(None),
        Some(given) if given.text().is_ok_and(|text| text == "auto") => Ok(None),
        Some(given) => match given.whole(1..=10_000) {
            Ok(robots) => Ok(Some(robots as u32)),
            Err(_) => Err(given.mistake("is no number of robots; give \"auto\" or a whole number from 1 to 10000")),
        },
    }
}

fn control(typed: &Typed) -> Result<ControlSettings, Mistake> {
    let rules = [("thresholds", Rule::Thresholds), ("aimd", Rule::Aimd), ("on-off", Rule::OnOff)];
    let rule = typed.get("control.rule").map(|given| given.word(&rules)).transpose()?;
    let cost = |key, default| typed.number(key, default, 0.0..=1e9);
    Ok(ControlSettings {
        rule: rule.unwrap_or(Rule::Thresholds),
        most: typed.whole("control.most", 16, 1..=64)? as u32,
        costs: Costs {
            loss: cost("control.loss", 1.0)?,
            obsolete: cost("control.obsolete", 1.0)?,
            sojourn: cost("control.sojourn", 1.0)?,
            robot: cost("control.robot", 0.01)?,
            starvation: cost("control.starvation", 10.0)?,
        },
        refit: time(typed, "control.refit", 15.0, 0.1..=DAY)?,
    })
}

fn demand(typed: &Typed) -> Result<DemandSettings, Mistake> {
    let default = DemandSettings::default();
    Ok(DemandSettings {
        learn: typed.flag("demand.learn", default.learn)?,
        half_life: time(typed, "demand.half_life", default.half_life, 60.0..=100.0 * YEAR)?,
    })
}

fn frontier(typed: &Typed) -> Result<frontier::Settings, Mistake> {
    let default = frontier::Settings::default();
    let budget = typed.get("budget").map(Given::parsed::<BudgetText>).transpose()?;
    let least_revisit = match typed.get("revisit.least") {
        Some(given) => within(given, given.parsed::<DelayText>()?.seconds, 0.0..=10.0 * YEAR)?,
        None => default.least_revisit,
    };
    let most_revisit = time_or_unlimited(typed, "revisit.most", default.most_revisit, 1.0)?;
    if least_revisit > most_revisit {
        let of = |seconds| Span::from_seconds(seconds);
        let (least, most) = (of(least_revisit), of(most_revisit));
        let said = typed.get("revisit.least").or(typed.get("revisit.most"));
        let problem =
            format!("is wrong: revisit.least ({least}) is longer than revisit.most ({most}); let it be shorter");
        return Err(said.map_or_else(|| Mistake::usage(&problem), |given| given.mistake(&problem)));
    }
    // A share of 1 would leave nothing for the other kind of visits.
    let share = |key, default| typed.number(key, default, 0.0..=0.99);
    Ok(frontier::Settings {
        budget: budget.map_or(default.budget, requests_per_second),
        discovery: share("revisit.discovery", default.discovery)?,
        reserve: share("revisit.reserve", default.reserve)?,
        revisit: true,
        least_revisit,
        most_revisit,
        delay: delay(typed, default.delay)?,
        connections: typed.whole("requests.connections_per_host", default.connections.into(), 1..=1_000)? as u32,
    })
}

fn delay(typed: &Typed, default: f64) -> Result<f64, Mistake> {
    let Some(given) = typed.get("requests.delay") else { return Ok(default) };
    checked_delay(given.parsed::<DelayText>()?.seconds).map_err(|problem| given.mistake(problem))
}

/// A time between requests that makes sense; else what is wrong.
pub(super) fn checked_delay(seconds: f64) -> Result<f64, String> {
    if seconds <= DAY { Ok(seconds) } else { Err(format!("is {}; give at most 1d", Span::from_seconds(seconds))) }
}

/// A time in seconds.
fn time(typed: &Typed, key: &str, default: f64, range: RangeInclusive<f64>) -> Result<f64, Mistake> {
    typed.get(key).map_or(Ok(default), |given| within(given, given.parsed::<Span>()?.seconds(), range))
}

/// A time in seconds of at least `least`, or infinity.
fn time_or_unlimited(typed: &Typed, key: &str, default: f64, least: f64) -> Result<f64, Mistake> {
    let Some(given) = typed.get(key) else { return Ok(default) };
    let read = |given: &Given| within(given, given.parsed::<Span>()?.seconds(), least..=100.0 * YEAR);
    Ok(unlimited_or(Some(given), read)?.unwrap_or(f64::INFINITY))
}

fn within(given: &Given, seconds: f64, range: RangeInclusive<f64>) -> Result<f64, Mistake> {
    if range.contains(&seconds) {
        return Ok(seconds);
    }
    let [got, least, most] = [seconds, *range.start(), *range.end()].map(Span::from_seconds);
    Err(given.mistake(format_args!("is {got}; give a time from {least} to {most}")))
}

/// A size in bytes.
fn size(typed: &Typed, key: &str, default: u64, range: RangeInclusive<u64>) -> Result<u64, Mistake> {
    let Some(given) = typed.get(key) else { return Ok(default) };
    let size = given.parsed::<Size>()?;
    if range.contains(&size.bytes()) {
        return Ok(size.bytes());
    }
    let [least, most] = [*range.start(), *range.end()].map(Size::from_bytes);
    Err(given.mistake(format_args!("is {size}; give a size from {least} to {most}")))
}

fn fetch(typed: &Typed) -> Result<FetchSettings, Mistake> {
    let default = FetchSettings::default();
    let wait =
        |key, default: Duration| time(typed, key, default.as_secs_f64(), 1e-3..=DAY).map(Duration::from_secs_f64);
    Ok(FetchSettings {
        user_agent: user_agent(typed)?.unwrap_or(default.user_agent),
        connect: wait("requests.connect_timeout", default.connect)?,
        silence: wait("requests.silence_timeout", default.silence)?,
        total: wait("requests.timeout", default.total)?,
        most_bytes: size(typed, "requests.max_bytes", default.most_bytes as u64, 1_000..=1 << 30)? as usize,
        allow_private: typed.flag("requests.allow_private", default.allow_private)?,
        proxy: proxy(typed)?,
        trusted: certificates(typed)?,
        idle_connections: default.idle_connections,
    })
}

fn user_agent(typed: &Typed) -> Result<Option<String>, Mistake> {
    let Some(given) = typed.get("requests.user_agent") else { return Ok(None) };
    let text = given.text()?;
    let is_header = text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && text.len() <= LONGEST_AGENT;
    if !is_header {
        let problem = format!("cannot be sent; give at most {LONGEST_AGENT} letters, digits and signs of ASCII");
        return Err(given.mistake(problem));
    }
    if product_token(text).is_none() {
        let problem = "names no product by which robots.txt can address this crawler; begin with a name of letters, - and _, \
                       such as \"Oriole/1.0 (+https://example.org/crawler)\"";
        return Err(given.mistake(problem));
    }
    Ok(Some(text.to_owned()))
}

/// The name by which `robots.txt` may address a crawler: the first word of its user agent up to `/`, or, if that is `Mozilla`,
/// the word after `compatible;`.
fn product_token(user_agent: &str) -> Option<&str> {
    let first_word = |text: &str| text.find(['/', ' ', ';', ')']).unwrap_or(text.len());
    let mut text = user_agent;
    if &text[..first_word(text)] == "Mozilla" {
        text = text.split_once("(compatible;")?.1.trim_start();
    }
    let token = &text[..first_word(text)];
    is_product_token(token).then_some(token)
}

fn proxy(typed: &Typed) -> Result<Option<String>, Mistake> {
    let Some(given) = typed.get("requests.proxy") else { return Ok(None) };
    let text = given.text()?;
    if text == NONE {
        return Ok(None);
    }
    let host = ["http://", "https://", "socks5://", "socks5h://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let is_host =
        |host: &str| host.starts_with(|first: char| first.is_alphanumeric() || first == '[') && !host.contains(' ');
    let proxy = Some(text.to_owned());
    if host.is_some_and(is_host)
        && Fetcher::new(FetchSettings { proxy: proxy.clone(), ..FetchSettings::default() }).is_ok()
    {
        return Ok(proxy);
    }
    let problem = "is no address of a proxy; give \"none\", or one such as \"http://proxy.example.org:3128\" (http, https, socks5, socks5h)";
    Err(given.mistake(problem))
}

fn certificates(typed: &Typed) -> Result<Vec<Vec<u8>>, Mistake> {
    let read = |given: &Given| {
        let wrong = |problem: &dyn Display| given.mistake(format_args!("cannot be used: {problem}"));
        let path = typed.path_of(given)?;
        let (name, text) = read_text(&path, LONGEST_CERTIFICATES, "certificate").map_err(|error| wrong(&error))?;
        if !text.contains("-----BEGIN CERTIFICATE-----") {
            return Err(wrong(&format_args!("{name} has no certificate; give a file in the form PEM")));
        }
        let trusted = vec![text.into_bytes()];
        match Fetcher::new(FetchSettings { trusted: trusted.clone(), ..FetchSettings::default() }) {
            Ok(_) => Ok(trusted),
            Err(error) => Err(wrong(&format_args!("{name}: {}; give a file in the form PEM", root_cause(&error)))),
        }
    };
    Ok(typed.list("requests.ca_files")?.iter().map(read).collect::<Result<Vec<_>, _>>()?.concat())
}

fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

fn limits(typed: &Typed, most_bytes: usize, product_token: &str) -> Result<Limits, Mistake> {
    let default = Limits::default();
    Ok(Limits {
        input_bytes: most_bytes,
        text_bytes: size(typed, "pages.max_text", default.text_bytes as u64, 1_000..=1 << 28)? as usize,
        links: typed.whole("pages.max_links", default.links as u64, 0..=1_000_000)? as usize,
        product_token: product_token.to_owned(),
        ..default
    })
}

fn index(typed: &Typed) -> Result<Option<index::Settings>, Mistake> {
    let default = index::Settings::default();
    let settings =
        index::Settings { memory: size(typed, "index.memory", default.memory as u64, 15_000_000..=1 << 30)? as usize };
    Ok(typed.flag("index.enabled", true)?.then_some(settings))
}

fn archive(typed: &Typed) -> Result<Option<ArchiveSettings>, Mistake> {
    let mut settings = ArchiveSettings::default();
    settings.rotate_at = size(typed, "archive.file_size", settings.rotate_at, 1_000_000..=1 << 40)?;
    if let Some(given) = typed.get("archive.operator") {
        let name = given.text()?;
        if name.len() > 1_000 || name.chars().any(char::is_control) {
            return Err(given.mistake("must be one line of at most 1000 bytes; give a name and an address"));
        }
        settings.info.extend((name != NONE).then(|| ("operator".to_owned(), name.to_owned())));
    }
    Ok(typed.flag("archive.enabled", true)?.then_some(settings))
}

fn metrics(typed: &Typed) -> Result<Option<SocketAddr>, Mistake> {
    let Some(given) = typed.get("metrics.listen") else { return Ok(None) };
    match given.text()? {
        NONE => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            let wrong = quoted(text);
            given.mistake(format_args!("is {wrong}; give \"none\", or address and port such as \"127.0.0.1:9100\""))
        }),
    }
}

fn log(typed: &Typed) -> Result<LogConfig, Mistake> {
    let level = match typed.get("log.level") {
        None => "info",
        Some(given) => {
            let text = given.text()?;
            check_levels(text).map_err(|problem| given.mistake(problem))?;
            text
        }
    };
    let forms = [("auto", None), ("text", Some(LogFormat::Text)), ("json", Some(LogFormat::Json))];
    let format = typed.get("log.format").map(|given| given.word(&forms)).transpose()?;
    Ok(LogConfig { level: level.to_owned(), format: format.flatten() })
}

/// Whether log levels make sense; else what is wrong. A filter would take a misspelt level for the name of a module.
pub(super) fn check_levels(text: &str) -> Result<(), String> {
    let level = |part: &str| part.rsplit_once('=').map_or(part, |(_, level)| level).trim().to_ascii_lowercase();
    let is_known = |part: &str| ["off", "error", "warn", "info", "debug", "trace"].contains(&level(part).as_str());
    match text.split(',').find(|part| !is_known(part)) {
        None => Ok(()),
        Some(wrong) => {
            let levels = "give off, error, warn, info, debug or trace, also by module: \"info,crawl=debug\"";
            Err(format!("has {}, which is no level; {levels}", quoted(wrong.trim())))
        }
    }
}
