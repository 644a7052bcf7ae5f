//! `oriole pages`: what is known of many pages.

use std::io::Write;

use anyhow::Result;
use store::{Page, Timestamp};

use super::reading::{self, Beliefs, Row, Selection, per_cent, two_digits};
use crate::cli::PagesArgs;
use crate::output::age::relative;
use crate::output::foreign::{printable, shortened};
use crate::output::table::{Align, Table};
use crate::output::{json, stdout};

/// Pages of a table whose columns are made to fit each other.
const GROUP: usize = 1000;

/// Characters of a title that are shown.
const TITLE: usize = 40;

/// Runs the command.
///
/// # Errors
/// If there is no data folder, it cannot be read, or a host is not known.
pub fn run(arguments: &PagesArgs) -> Result<()> {
    let folder = reading::open(&arguments.engine)?;
    let now = reading::now();
    let pages = Selection::new(&folder.catalogue, &arguments.which, now)?.limited(arguments.limit);
    let mut pages = pages.sorted(arguments.sort.into(), arguments.reverse)?;
    let mut beliefs = Beliefs::new(&folder.catalogue)?;
    if arguments.json {
        let mut out = stdout();
        pages.for_each(|page| Ok(out.write_all(json::line(&Row::new(page, &mut beliefs, now)?)?.as_bytes())?))?;
        return Ok(out.flush()?);
    }
    if arguments.csv {
        let mut writer = csv::Writer::from_writer(stdout());
        pages.for_each(|page| Ok(writer.serialize(Row::new(page, &mut beliefs, now)?.for_csv())?))?;
        return Ok(writer.flush()?);
    }
    print(pages, &mut beliefs, now)
}

/// As tables of some hundred pages each.
fn print(mut pages: Selection<'_>, beliefs: &mut Beliefs<'_>, now: Timestamp) -> Result<()> {
    let mut out = anstream::stdout().lock();
    let mut table = heading();
    let (mut listed, mut written) = (0_usize, false);
    pages.for_each(|page| {
        table.row(cells(page, beliefs, now)?);
        listed += 1;
        if listed.is_multiple_of(GROUP) {
            out.write_all(table.render().as_bytes())?;
            (table, written) = (heading(), true);
        }
        Ok(())
    })?;
    if !listed.is_multiple_of(GROUP) || !written {
        out.write_all(table.render().as_bytes())?;
    }
    Ok(out.flush()?)
}

fn heading() -> Table {
    let (left, right) = (Align::Left, Align::Right);
    Table::new(&[
        ("state", left),
        ("checked", right),
        ("changed", right),
        ("current", right),
        ("visits", right),
        ("changes/day", right),
        ("url", left),
        ("title", left),
    ])
}

fn cells(page: Page, beliefs: &mut Beliefs<'_>, now: Timestamp) -> Result<[String; 8]> {
    let belief = beliefs.of(&page, now)?;
    let ago = |at: Option<Timestamp>| at.map_or("never".to_owned(), |at| relative(at, now));
    let values = page.values;
    Ok([
        values.state.name().to_owned(),
        ago(values.checked_at),
        ago(values.changed_at),
        belief.current.map(per_cent).unwrap_or_default(),
        values.visits.to_string(),
        two_digits(belief.changes_per_day()),
        printable(&page.url),
        shortened(values.title.as_deref().unwrap_or_default(), TITLE),
    ])
}
