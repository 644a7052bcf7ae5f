//! `oriole plan`: how fresh can copies be, and how often should each page be visited?

mod costs;
mod page_file;
mod report;
mod solution;

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

use crate::budget::Pace;
use crate::cli::{PlanArgs, Weights};
use crate::commands::{apply_weights, checked_pages};
use crate::failure::Mistake;
use crate::input::{Wanted, read_pages};
use crate::output::{OutputFile, stdout, warn};
use crate::plot;
use crate::progress::while_doing;
use solution::Question;

pub(crate) use costs::{index_and_stride_over_bound, sampled};
pub(crate) use solution::Solution;

/// Runs the command.
///
/// # Errors
/// A [`Mistake`] if options or input are wrong.
pub fn run(arguments: &PlanArgs) -> Result<()> {
    let pace = Pace::with_target(&arguments.budget, arguments.target_stale)?;
    arguments.plot.as_deref().map(plot::check_name).transpose()?;
    for path in arguments.out.iter().chain(&arguments.plot) {
        let same = |other: &Path| fs::canonicalize(path).is_ok_and(|a| fs::canonicalize(other).is_ok_and(|b| a == b));
        if same(&arguments.pages) {
            return Err(Mistake::file(path.display().to_string(), "is the input; give the output another name").into());
        }
    }
    let page_format = arguments.out.as_deref().map(page_file::format_of).transpose()?;
    let wanted = Wanted { weights: arguments.weights == Weights::Column, hosts: arguments.host_limit.is_some() };
    let mut table = read_pages(&arguments.pages, wanted)?;
    apply_weights(&mut table, arguments.weights);
    let pages = checked_pages(&table)?;
    let question = Question { table: &table, pages, pace, host_limit: arguments.host_limit };
    let solution = while_doing("solving", || question.solve())?;
    let costs = costs::of_all_policies(&solution)?;
    if let (Some(path), Some(format)) = (&arguments.out, page_format) {
        page_file::write(path, format, &solution)?;
    }
    if let Some(path) = &arguments.plot {
        draw(path, &solution)?;
    }
    if arguments.json {
        let mut out = stdout();
        report::json(&mut out, &solution, &costs, arguments.frequencies)?;
        out.flush()?;
    } else {
        write!(anstream::stdout().lock(), "{}", report::text(&solution, &costs))?;
    }
    Ok(())
}

fn draw(path: &Path, solution: &Solution<'_>) -> Result<()> {
    if solution.budget_per_day == 0.0 {
        warn(format_args!("no access is needed, so there is nothing to draw: {} was not written", path.display()));
        return Ok(());
    }
    let picture = while_doing("drawing", || plot::plan::draw(solution))?;
    let mut file = OutputFile::create(path)?;
    file.write_all(picture.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    file.commit()
}
