//! `oriole reproduce`: the tables and figures of the papers, recomputed.

mod baselines;
mod check;
mod figures;
mod formulas;
mod freshness;
mod html;
mod printed;
mod report;
mod statements;
mod tables;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::cli::{Numbers, ReproduceArgs};
use crate::commands::control::{print, write_file};
use crate::plot::chart;
use crate::progress::{Count, Progress};
use check::{Part, Tally};

/// A part that can be computed.
type Maker = fn() -> Result<Part>;

const TABLES: [Maker; 5] = [tables::table_1, tables::table_2, tables::table_3, tables::table_4, tables::table_5];
const FIGURES: [Maker; 4] = [figures::figure_1, figures::figure_2, figures::figure_3, figures::figure_4];
const STATEMENTS: [Maker; 6] = [
    statements::example,
    formulas::formulas,
    statements::crawler,
    statements::beyond,
    baselines::baselines,
    freshness::statements,
];

/// Runs the command.
///
/// # Errors
/// If a value differs without explanation, or files cannot be written.
pub fn run(arguments: &ReproduceArgs) -> Result<()> {
    let parts = compute(&chosen(arguments))?;
    if let Some(folder) = &arguments.out {
        write(folder, &parts)?;
    }
    print(arguments.json, &report::json(&parts), || report::text(&parts))?;
    match Tally::of(&parts).differ {
        0 => Ok(()),
        differ => bail!("{differ} values differ from the printed ones without explanation"),
    }
}

/// Everything, or what was asked for.
fn chosen(arguments: &ReproduceArgs) -> Vec<Maker> {
    let all = arguments.table.is_empty() && arguments.figure.is_empty();
    let wanted = |numbers: &[Numbers], n: u8| all || numbers.iter().any(|numbers| numbers.contains(n));
    let tables = (1..).zip(TABLES).filter(|(n, _)| wanted(&arguments.table, *n)).map(|(_, maker)| maker);
    let figures = (1..).zip(FIGURES).filter(|(n, _)| wanted(&arguments.figure, *n)).map(|(_, maker)| maker);
    let statements = STATEMENTS.into_iter().filter(|_| all);
    tables.chain(figures).chain(statements).collect()
}

fn compute(makers: &[Maker]) -> Result<Vec<Part>> {
    let progress = Progress::start("computing", Count::Items(makers.len() as u64));
    let parts = makers.iter().map(|maker| {
        let part = maker();
        progress.add(1);
        part
    });
    parts.collect()
}

/// `index.html`, and each figure on its own.
fn write(folder: &Path, parts: &[Part]) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for part in parts {
        if let Some(figure) = &part.figure {
            let name = format!("{}.svg", part.part.replace(' ', "-"));
            write_file(&folder.join(name), &chart::draw(figure))?;
        }
    }
    write_file(&folder.join("index.html"), &html::page(parts))
}

#[cfg(test)]
mod tests;
