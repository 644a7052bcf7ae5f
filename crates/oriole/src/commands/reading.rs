//! What the commands that look into a data folder have in common.

mod belief;
pub(crate) mod post;
mod row;
mod selection;

use std::path::PathBuf;

use anyhow::Result;
use crawl::address::{PageUrl, UrlError};
use crawl::fleet::FleetSettings;
use store::{DataFolder, Timestamp};

use crate::cli::EngineArgs;
use crate::config::Config;
pub(crate) use crate::failure::opening_folder as opening;
use crate::failure::{Mistake, quoted};
use crate::output::number::{grouped, short};

pub(crate) use belief::{Belief, Beliefs};
pub(crate) use row::{Moment, Row};
pub(crate) use selection::{Selection, hosts};

/// The data folder that is meant.
pub(crate) fn data_folder(engine: &EngineArgs) -> Result<PathBuf> {
    Config::data_folder(engine, std::env::vars_os())
}

/// Opens the data folder for reading, beside an engine that may be running.
pub(crate) fn open(engine: &EngineArgs) -> Result<DataFolder> {
    DataFolder::read(&data_folder(engine)?).map_err(opening)
}

/// How the engine chooses pages.
pub(crate) fn fleet_settings(engine: &EngineArgs) -> Result<FleetSettings> {
    Ok(Config::load(engine, None, std::env::vars_os())?.fleet)
}

/// An address as typed.
pub(crate) fn address(text: &str) -> Result<PageUrl> {
    let wrong = |error| Mistake::usage(format!("{} is not the address of a page: {error}", quoted(text)));
    Ok(parse_address(text).map_err(wrong)?)
}

/// `docs.example.org/page` stands for `https://docs.example.org/page`.
pub(crate) fn parse_address(text: &str) -> Result<PageUrl, UrlError> {
    let has_port = text.split_once(':').is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()));
    match PageUrl::parse(text) {
        Err(UrlError::Malformed(_)) if !text.contains("://") => PageUrl::parse(&format!("https://{}", text.trim())),
        // `localhost:8080` is no scheme.
        Err(UrlError::Scheme) if has_port => PageUrl::parse(&format!("https://{}", text.trim())),
        parsed => parsed,
    }
}

/// The present moment.
pub(crate) fn now() -> Timestamp {
    crawl::fleet::now()
}

/// `one page`, `3 pages`.
pub(crate) fn pages(count: usize) -> String {
    if count == 1 { "one page".to_owned() } else { format!("{} pages", grouped(count)) }
}

/// Two digits are as many as an estimate has.
pub(crate) fn two_digits(value: f64) -> String {
    short(format!("{value:.1e}").parse().unwrap_or(value))
}

/// A probability in per cent, finer near certainty.
pub(crate) fn per_cent(probability: f64) -> String {
    match 100.0 * probability {
        all if all > 99.9 => "over 99.9 %".to_owned(),
        most if most >= 99.0 => format!("{most:.1} %"),
        some => format!("{some:.0} %"),
    }
}
