//! Pictures: our own few lines of SVG.

pub(crate) mod axis;
pub(crate) mod chart;
pub(crate) mod plan;
mod svg;

use std::path::Path;

use crate::failure::Mistake;

/// Refuses a name that does not say what is written.
///
/// # Errors
/// If the name does not end in `.svg`.
pub(crate) fn check_name(path: &Path) -> Result<(), Mistake> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
        return Ok(());
    }
    Err(Mistake::file(path.display().to_string(), "the picture is SVG; name it .svg"))
}
