//! `oriole search`: what was found, and how current it is.

pub(crate) mod report;

use std::io::Write;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use index::{Answer, Hit, Request, SearchError, Searcher};
use store::{AskKind, Catalogue, PageId, SqliteCatalogue, Timestamp};

use super::reading::{self, Beliefs};
use crate::cli::SearchArgs;
use crate::failure::{Mistake, without_panic};
use crate::output::{json, stdout};

/// Hits that are counted as shown: farther down nobody looks.
pub(crate) const MOST_COUNTED: usize = 20;

/// A hit, and what the catalogue knows of its page.
pub(crate) struct Found<'a> {
    pub(crate) hit: &'a Hit,
    /// The last visit that showed the copy to be current.
    pub(crate) checked_at: Timestamp,
    /// When it last changed, as far as is known.
    pub(crate) changed_at: Timestamp,
    /// Probability that it has not changed since the visit.
    pub(crate) current: Option<f64>,
}

/// Runs the command.
///
/// # Errors
/// If there is no data folder or index, or the search fails.
pub fn run(arguments: &SearchArgs) -> Result<()> {
    let folder = reading::open(&arguments.engine)?;
    let now = reading::now();
    let answer = answer(&folder.index_path(), &request(arguments, now))?;
    let found = found(&answer, &folder.catalogue, now)?;
    if arguments.json {
        let mut out = stdout();
        out.write_all(json::line(&report::json(&answer, &found))?.as_bytes())?;
        out.flush()?;
    } else {
        write!(anstream::stdout().lock(), "{}", report::text(&answer, &found, now))?;
    }
    if !arguments.uncounted {
        count(&folder.catalogue, &answer, now);
    }
    Ok(())
}

/// What the index says. Bytes that are damaged in the middle of a file are noticed only when they are used, and the library panics
/// then.
fn answer(path: &Path, request: &Request) -> Result<Answer> {
    let search = || Searcher::open(path).and_then(|searcher| searcher.search(request));
    match without_panic(search) {
        Some(answer) => answer.map_err(failed),
        None => bail!("the search index is damaged; `oriole check --repair` makes it anew"),
    }
}

/// Pages that readers are shown matter more. It is no part of the answer: where it cannot be noted it is not.
fn count(catalogue: &SqliteCatalogue, answer: &Answer, now: Timestamp) {
    let pages: Vec<PageId> = answer.hits.iter().take(MOST_COUNTED).map(|hit| hit.page).collect();
    if !pages.is_empty()
        && let Err(error) = catalogue.ask(now, AskKind::Shown, &pages)
    {
        tracing::debug!(%error, "this search is not counted");
    }
}

fn request(arguments: &SearchArgs, now: Timestamp) -> Request {
    Request {
        offset: arguments.offset as usize,
        limit: arguments.limit as usize,
        per_host: arguments.per_host.map(|most| most as usize),
        explain: arguments.explain,
        ..Request::new(&arguments.query.join(" "), now)
    }
}

fn failed(error: SearchError) -> anyhow::Error {
    match error {
        SearchError::NoIndex(_) | SearchError::TooDeep => Mistake::usage(error).into(),
        error @ SearchError::Broken { .. } => error.into(),
        error => anyhow!("{error}; if the search index is damaged, `oriole check --repair` makes it anew"),
    }
}

/// What the catalogue knows of the pages found. The index has the moment of the last fetch that changed something.
pub(crate) fn found<'a>(answer: &'a Answer, catalogue: &SqliteCatalogue, now: Timestamp) -> Result<Vec<Found<'a>>> {
    let mut beliefs = Beliefs::new(catalogue)?;
    let mut found = Vec::new();
    for hit in &answer.hits {
        let page = catalogue.page(hit.page)?;
        let belief = page.as_ref().map(|page| beliefs.of(page, now)).transpose()?;
        let values = page.as_ref().map(|page| &page.values);
        found.push(Found {
            hit,
            checked_at: values.and_then(|values| values.checked_at).unwrap_or(hit.fetched_at),
            changed_at: values.and_then(|values| values.changed_at).unwrap_or(hit.changed_at),
            current: belief.and_then(|belief| belief.current),
        });
    }
    Ok(found)
}
