//! `oriole check`: does everything in the data folder agree, and can it be put right?

mod mend;
mod report;

use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Result, anyhow};
use crawl::address::PageUrl;
use index::{SearchError, Searcher};
use store::{Catalogue, CatalogueError, DataFolder, Finding, FolderError, OpenError, SqliteCatalogue};

use super::reading::{data_folder, opening};
use crate::cli::CheckArgs;
use crate::config::Config;
use crate::engine::agreement::{Difference, expected};
use crate::failure::quoted;
use crate::output::{json, stdout};
use crate::progress::while_doing;
use report::{Outcome, Wrong};

/// Index and catalogue of a running engine differ for a moment at each batch. What differs each time really does.
const LOOKS: usize = 4;

/// Time between two looks: longer than a batch takes.
const PAUSE: Duration = Duration::from_millis(1500);

/// Runs the command.
///
/// # Errors
/// If something is wrong and was not put right, or cannot be found out.
pub fn run(arguments: &CheckArgs) -> Result<()> {
    let path = data_folder(&arguments.engine)?;
    let looked = if arguments.repair {
        mend::repair(&path, &Config::load(&arguments.engine, None, std::env::vars_os())?)
    } else {
        look(&path)
    };
    let outcome = looked.map_err(plainly)?;
    if arguments.json {
        let mut out = stdout();
        out.write_all(json::line(&outcome)?.as_bytes())?;
        out.flush()?;
    } else {
        let mut out = anstream::stdout().lock();
        out.write_all(report::text(&outcome).as_bytes())?;
        out.flush()?;
    }
    match outcome.wrong() {
        0 => Ok(()),
        wrong if arguments.repair => Err(anyhow!("{} cannot be put right", report::things(wrong))),
        wrong if !outcome.can_be_mended() => Err(anyhow!("{} wrong", report::things_are(wrong))),
        wrong => Err(anyhow!("{} wrong; `oriole check --repair` puts right what can be", report::things_are(wrong))),
    }
}

/// Looks at everything and changes nothing, also beside a running engine.
fn look(path: &Path) -> Result<Outcome> {
    let mut folder = DataFolder::read(path).map_err(opening)?;
    let running = DataFolder::is_in_use(path);
    let mut outcome = Outcome::new(running);
    let checked = while_doing("checking catalogue and archive", || folder.check(false))?;
    if outcome.take(checked) {
        check_names(&folder.catalogue, &mut outcome)?;
        compare(&folder, &mut outcome)?;
    }
    Ok(outcome)
}

/// Compares the search index with the catalogue.
fn compare(folder: &DataFolder, outcome: &mut Outcome) -> Result<()> {
    let path = folder.index_path();
    let opened = while_doing("reading the search index", || index::verify(&path)).and_then(|()| Searcher::open(&path));
    let searcher = match opened {
        Ok(searcher) => searcher,
        Err(SearchError::NoIndex(_)) => {
            let missing = Difference {
                missing: expected(&folder.catalogue, None)?.into_keys().collect(),
                ..Difference::default()
            };
            outcome.differs(&missing, &folder.catalogue, false)?;
            let left_out = folder.catalogue.left_out()?.len();
            if left_out > 0 {
                let pages = report::pages_are(left_out);
                outcome.notes.push(format!(
                    "{pages} fetched but cannot be searched: there is no search index; `oriole run` makes one"
                ));
            }
            return Ok(());
        }
        Err(SearchError::Broken { reason, .. }) => {
            outcome.add(Wrong::index(format!("the search index cannot be read: {reason}"), false));
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    if let Some(batch) = folder.catalogue.unfinished()?.filter(|_| !outcome.running) {
        outcome.notes.push(format!("batch {} was under way; the next start completes or drops it", batch.number));
    }
    let mut difference: Option<Difference> = None;
    for look in 0..if outcome.running { LOOKS } else { 1 } {
        if look > 0 {
            thread::sleep(PAUSE);
            searcher.reload()?;
        }
        let committed = searcher.committed()?;
        let wanted = expected(&folder.catalogue, committed)?;
        let left_out = folder.catalogue.left_out()?;
        let found = while_doing("comparing the search index", || {
            Ok::<_, SearchError>(Difference { left_out, ..Difference::between(wanted, searcher.pages()?) })
        })?;
        let lasting = difference.map_or(found.clone(), |before| before.lasting(&found));
        let done = lasting.is_empty();
        difference = Some(lasting);
        if done {
            break;
        }
    }
    outcome.index_pages = Some(searcher.len());
    outcome.differs(&difference.unwrap_or_default(), &folder.catalogue, false)
}

/// A folder that is there.
fn existing(path: &Path) -> Result<()> {
    // Opening for reading makes nothing.
    match DataFolder::read(path) {
        Err(error @ OpenError::Absent(_)) => Err(opening(error)),
        _ => Ok(()),
    }
}

/// Whether a finding matters.
fn matters(finding: &Finding) -> bool {
    !matches!(finding, Finding::Bytes { .. })
}

/// Hosts and pages whose names the engine would not understand.
fn check_names(catalogue: &SqliteCatalogue, outcome: &mut Outcome) -> Result<()> {
    const MOST_TOLD: usize = 10;
    let mut wrong = Vec::new();
    for host in catalogue.hosts()? {
        if PageUrl::parse(&format!("{}/", host.name)).is_err() {
            wrong.push(format!("row {} of hosts: {} is not the name of a host", host.id.0, quoted(&host.name)));
        }
    }
    catalogue.each_url(&mut |url| {
        if wrong.len() < MOST_TOLD && PageUrl::parse(url).is_err() {
            wrong.push(format!("pages: {} is not the address of a page", quoted(url)));
        }
    })?;
    for text in wrong {
        outcome.add(Wrong::catalogue(format!("catalogue: {text}; restore a backup or remove the row")));
    }
    Ok(())
}

/// An error of the catalogue or archive as the user of this command needs it: others name this command as the remedy.
fn plainly(error: anyhow::Error) -> anyhow::Error {
    let catalogue = match error.downcast_ref::<FolderError>() {
        Some(FolderError::Catalogue(error)) => Some(error),
        Some(FolderError::Archive(_)) => return anyhow!("the archive cannot be read or written; restore a backup"),
        None => error.downcast_ref::<CatalogueError>(),
    };
    match catalogue {
        Some(CatalogueError::Damaged(what)) => anyhow!("the catalogue is damaged: {what}; restore a backup"),
        Some(CatalogueError::Database(_)) => anyhow!("the catalogue cannot be read or written; restore a backup"),
        _ => error,
    }
}
