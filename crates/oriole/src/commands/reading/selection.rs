//! Which pages are meant, and going through them without holding up the engine or the memory.

use anyhow::Result;
use store::{Catalogue, CatalogueError, Filter, HostId, Order, Page, PageId, SqliteCatalogue, Timestamp};

use crate::cli::{WhichArgs, before};
use crate::failure::{Mistake, quoted};
use crate::units::SECONDS_PER_DAY;

/// Pages read at a time. No statement stays open for longer, so that the catalogue of a running engine does not grow
/// while somebody reads the output.
const CHUNK: u32 = 1000;

/// Pages in some order.
pub(crate) struct Selection<'a> {
    catalogue: &'a SqliteCatalogue,
    filter: Filter,
    /// The numbers of the pages, last first, if they are not in the order of their numbers: four bytes a page.
    sorted: Option<Vec<PageId>>,
    /// Pages still wanted.
    left: u32,
}

impl<'a> Selection<'a> {
    /// The pages that were typed.
    pub(crate) fn new(catalogue: &'a SqliteCatalogue, which: &WhichArgs, now: Timestamp) -> Result<Self> {
        let filter = Filter {
            hosts: hosts(catalogue, &which.host)?,
            states: which.state.clone(),
            stale_since: which.stale.map(|span| before(now, span.days() * SECONDS_PER_DAY)),
            changed_since: which.changed_since.map(|text| text.moment(now)),
            ..Filter::default()
        };
        Ok(Self { catalogue, filter, sorted: None, left: u32::MAX })
    }

    /// At most so many.
    pub(crate) fn limited(mut self, limit: Option<u32>) -> Self {
        self.left = limit.unwrap_or(u32::MAX);
        self
    }

    /// In this order.
    pub(crate) fn sorted(mut self, order: Order, descending: bool) -> Result<Self, CatalogueError> {
        if order != Order::Found || descending {
            let filter = Filter { limit: Some(self.left).filter(|left| *left < u32::MAX), ..self.filter.clone() };
            let mut ids = self.catalogue.ordered(&filter, order, descending)?;
            ids.reverse();
            self.sorted = Some(ids);
        }
        Ok(self)
    }

    /// The next pages; none at the end.
    pub(crate) fn next_pages(&mut self) -> Result<Vec<Page>, CatalogueError> {
        let wanted = self.left.min(CHUNK);
        let pages = match &mut self.sorted {
            Some(ids) => {
                let rest = ids.len().saturating_sub(wanted as usize);
                let next: Vec<PageId> = ids.drain(rest..).rev().collect();
                self.catalogue.pages(&next)?
            }
            None if wanted == 0 => Vec::new(),
            None => self.catalogue.list(&Filter { limit: Some(wanted), ..self.filter.clone() })?,
        };
        self.left -= pages.len() as u32;
        self.filter.after = pages.last().map(|page| page.id).or(self.filter.after);
        Ok(pages)
    }

    /// Calls `each` for every page.
    pub(crate) fn for_each(&mut self, mut each: impl FnMut(Page) -> Result<()>) -> Result<()> {
        loop {
            let pages = self.next_pages()?;
            if pages.is_empty() {
                return Ok(());
            }
            pages.into_iter().try_for_each(&mut each)?;
        }
    }
}

/// The hosts of these names, which may leave out scheme and port.
///
/// # Errors
/// A [`Mistake`] if one of them is not known.
pub(crate) fn hosts(catalogue: &SqliteCatalogue, names: &[String]) -> Result<Vec<HostId>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let known = catalogue.hosts()?;
    let mut found = Vec::new();
    for name in names {
        let wanted = name.trim().trim_end_matches('/').to_lowercase();
        let before = found.len();
        found.extend(known.iter().filter(|host| is_named(&host.name, &wanted)).map(|host| host.id));
        if found.len() == before {
            return Err(Mistake::usage(format!("no page of the host {} is known", quoted(name))).into());
        }
    }
    Ok(found)
}

/// Whether `https://host:port` is what was typed.
pub(crate) fn is_named(host: &str, wanted: &str) -> bool {
    let authority = host.split_once("://").map_or(host, |(_, authority)| authority);
    let name = match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => authority,
    };
    [host, authority, name].contains(&wanted)
}

#[cfg(test)]
mod tests {
    use super::is_named;

    #[test]
    fn hosts_by_their_names() {
        for name in ["https://a.example:8443", "a.example:8443", "a.example"] {
            assert!(is_named("https://a.example:8443", name), "{name}");
        }
        for name in ["http://a.example:8443", "a.example:84", "example", "8443", ""] {
            assert!(!is_named("https://a.example:8443", name), "{name}");
        }
        assert!(is_named("http://[::1]", "[::1]") && is_named("http://[::1]:80", "[::1]"));
    }
}
