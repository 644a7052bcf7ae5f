//! What the commands that look into a data folder have in common.

mod belief;
mod row;
mod selection;

use std::path::PathBuf;

use anyhow::Result;
use store::{DataFolder, OpenError, Timestamp};

use crate::cli::EngineArgs;
use crate::config::Config;
use crate::failure::Mistake;

pub(crate) use belief::Beliefs;
pub(crate) use row::Row;
pub(crate) use selection::Selection;

/// The data folder that is meant.
pub(crate) fn data_folder(engine: &EngineArgs) -> Result<PathBuf> {
    Config::data_folder(engine, std::env::vars_os())
}

/// Opens the data folder for reading, beside an engine that may be running.
pub(crate) fn open(engine: &EngineArgs) -> Result<DataFolder> {
    DataFolder::read(&data_folder(engine)?).map_err(opening)
}

/// A folder that is not there, busy or of another version is for the user to put right.
pub(crate) fn opening(error: OpenError) -> anyhow::Error {
    match error {
        OpenError::Absent(_) | OpenError::InUse(_) | OpenError::Catalogue(_) => Mistake::usage(error).into(),
        error => error.into(),
    }
}

/// The present moment.
pub(crate) fn now() -> Timestamp {
    crawl::fleet::now()
}

/// A probability in per cent, finer near certainty.
pub(crate) fn per_cent(probability: f64) -> String {
    match 100.0 * probability {
        all if all > 99.9 => "over 99.9 %".to_owned(),
        most if most >= 99.0 => format!("{most:.1} %"),
        some => format!("{some:.0} %"),
    }
}
