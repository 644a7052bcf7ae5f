//! `MODEL.toml`: robots, buffer and indexer in a file.
//!
//! Reading is strict: unknown keys are errors, and every error names file, line, field and remedy. Row sums that are off by
//! rounding are repaired with a note.

mod arrivals;
mod finishing;
mod laws;
mod text;

use std::path::Path;

use anyhow::Result;
use control::model::ModelError;
use control::{Admission, Costs, Finishing, Model};

pub use text::{finishing_to_toml, to_toml};

use finishing::Rest;

use crate::failure::{Mistake, quoted};
use crate::output::note;
use crate::progress::while_doing;
use crate::strict_toml::{Document, Section, read_text};

/// Row sums, and sums of probabilities, may be off by this much, relatively, without anybody asking.
const ROUNDING: f64 = 1e-6;

/// Below this nothing was off but floating point itself.
const EXACT: f64 = 1e-12;

/// The longest file, in bytes.
const LONGEST_FILE: u64 = 16 << 20;

/// The largest buffer: memory grows with it.
const LARGEST_BUFFER: usize = 100_000;

/// What may be put right, and what was.
struct Repairs {
    tolerance: f64,
    notes: Vec<String>,
}

impl Repairs {
    /// Notes that `what` was off by `amount`, unless that is nothing.
    fn made(&mut self, amount: f64, what: std::fmt::Arguments<'_>) {
        if amount > EXACT {
            self.notes.push(what.to_string());
        }
    }
}

/// What a model file describes.
#[derive(Clone, Debug, PartialEq)]
pub enum System {
    /// Robots that stop at once, as in the paper.
    AtOnce(Model),
    /// Robots that finish what they have begun.
    Finishing(Finishing),
}

/// Reads what a file describes, or standard input if `path` is `-`. With `repair` row sums may be off by any amount.
///
/// # Errors
/// A [`Mistake`] with file, line, field and remedy if the contents are wrong.
pub fn read_system(path: &Path, repair: bool) -> Result<System> {
    let (name, text) = read_text(path, LONGEST_FILE, "model")?;
    let (system, notes) = while_doing(format!("reading {name}"), || system_of(&name, &text, repair))?;
    for text in notes {
        note(format_args!("{name}: {text}"));
    }
    Ok(system)
}

/// Reads a model of robots that stop at once from a file, or from standard input if `path` is `-`.
///
/// # Errors
/// A [`Mistake`] with file, line, field and remedy if the contents are wrong, or if robots finish what they have begun.
pub fn read_model(path: &Path, repair: bool) -> Result<Model> {
    match read_system(path, repair)? {
        System::AtOnce(model) => Ok(model),
        System::Finishing(_) => {
            let path = path.display();
            Err(Mistake::usage(format_args!(
                "{path} has [fetch], robots that finish what they have begun; only `solve` and `optimise` can do that, describe arrivals instead"
            ))
            .into())
        }
    }
}

/// Reads robots that finish what they have begun from a text that [`finishing_to_toml`] has written.
///
/// # Errors
/// A [`Mistake`] if it describes something else.
pub fn finishing_from_text(name: &str, text: &str) -> Result<Finishing, Mistake> {
    match system_of(name, text, false)?.0 {
        System::Finishing(system) => Ok(system),
        System::AtOnce(_) => Err(Mistake::usage(format_args!("{name} has no [fetch]"))),
    }
}

/// The system in a text, and what had to be repaired.
fn system_of(name: &str, text: &str, repair: bool) -> Result<(System, Vec<String>), Mistake> {
    let document = Document::new(name, text);
    let root = document.parse()?;
    let root = Section::root(&document, root.get_ref());
    let mut repairs = Repairs { tolerance: if repair { f64::INFINITY } else { ROUNDING }, notes: Vec::new() };
    root.allow(&[
        "buffer",
        "admission",
        "service",
        "obsolescence",
        "arrivals",
        "independent",
        "thinned",
        "marked",
        "fetch",
        "cost",
    ])?;
    let buffer = root.whole("buffer", 1, LARGEST_BUFFER, "give K, the page being indexed included")?;
    let service =
        root.section("service")?.ok_or_else(|| root.missing("service", "say how long pages take to index"))?;
    let service = laws::law(&service, &mut repairs)?;
    let obsolescence = root.section("obsolescence")?.map(|law| laws::law(&law, &mut repairs)).transpose()?;
    let system = if let Some(fetch) = root.section("fetch")? {
        refuse_with_fetch(&root)?;
        let rest = Rest { buffer, service, obsolescence, costs: costs(&root)? };
        System::Finishing(finishing::read(&root, &fetch, rest, &mut repairs)?)
    } else {
        let arrivals = arrivals::read(&root, &mut repairs)?;
        let model = Model::new(buffer, service, obsolescence, arrivals, costs(&root)?);
        System::AtOnce(model.map_err(|error| located(&root, &error))?.with_admission(admission(&root)?))
    };
    Ok((system, repairs.notes))
}

/// What makes no sense beside `[fetch]`.
fn refuse_with_fetch(root: &Section<'_>) -> Result<(), Mistake> {
    match arrivals::given(root).into_iter().chain(root.has("admission").then_some("admission")).next() {
        Some(key) => Err(root.mistake_at(key, format_args!("`{key}` and `fetch` are both given; keep one of them"))),
        None => Ok(()),
    }
}

/// An error about a part of the model as one about the line where that part begins.
fn located(root: &Section<'_>, error: &ModelError) -> Mistake {
    match error {
        ModelError::Pace { part, .. } if root.has(part) => root.mistake_at(part, error),
        ModelError::Pace { .. } => root.mistake_at(arrivals::given(root).first().unwrap_or(&"arrivals"), error),
        ModelError::Cost { .. } => root.mistake_at("cost", error),
        _ => root.mistake(error),
    }
}

fn costs(root: &Section<'_>) -> Result<Costs, Mistake> {
    let Some(section) = root.section("cost")? else {
        return Ok(Costs::default());
    };
    section.allow(&["loss", "obsolete", "sojourn", "robot", "starvation"])?;
    let cost = |key: &str| section.at_least_zero(key).map(|cost| cost.unwrap_or(0.0));
    Ok(Costs {
        loss: cost("loss")?,
        obsolete: cost("obsolete")?,
        sojourn: cost("sojourn")?,
        robot: cost("robot")?,
        starvation: cost("starvation")?,
    })
}

fn admission(root: &Section<'_>) -> Result<Admission, Mistake> {
    match root.text("admission")? {
        None | Some("partial") => Ok(Admission::Partial),
        Some("reject") => Ok(Admission::CompleteRejection),
        Some("admit") => Ok(Admission::CompleteAdmission),
        Some(other) => {
            let problem = format!("admission is {}; give \"partial\", \"reject\" or \"admit\"", quoted(other));
            Err(root.mistake_at("admission", problem))
        }
    }
}

#[cfg(test)]
mod tests;
