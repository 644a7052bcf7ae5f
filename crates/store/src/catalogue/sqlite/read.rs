//! Reading, and the trait itself.

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, params, params_from_iter};

use super::{HISTORY, SqliteCatalogue, rows};
use crate::catalogue::{Catalogue, CatalogueError, Command, Counts, Filter, Order, Recovered, Wish};
use crate::{Ask, AskKind, Batch, Demand, Host, HostId, Page, PageId, RobotsTxt, State, Timestamp, Visit};

impl Catalogue for SqliteCatalogue {
    fn load(&self, each: &mut dyn FnMut(Page)) -> Result<(), CatalogueError> {
        let mut statement = self.connection.prepare(&format!("SELECT {} FROM pages ORDER BY id", rows::PAGE))?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            each(rows::page(row)?);
        }
        Ok(())
    }

    fn hosts(&self) -> Result<Vec<Host>, CatalogueError> {
        let mut statement = self.connection.prepare(&format!("SELECT {} FROM hosts ORDER BY id", rows::HOST))?;
        Ok(statement.query_map([], rows::host)?.collect::<Result<_, _>>()?)
    }

    fn host(&self, host: HostId) -> Result<Option<Host>, CatalogueError> {
        let query = format!("SELECT {} FROM hosts WHERE id = ?1", rows::HOST);
        Ok(self.connection.prepare_cached(&query)?.query_row([host], rows::host).optional()?)
    }

    fn robots_txt(&self, host: HostId) -> Result<Option<RobotsTxt>, CatalogueError> {
        let query = format!("SELECT {} FROM robots_txt WHERE host = ?1", rows::ROBOTS_TXT);
        Ok(self.connection.prepare_cached(&query)?.query_row([host], rows::robots_txt).optional()?)
    }

    fn page(&self, page: PageId) -> Result<Option<Page>, CatalogueError> {
        let query = format!("SELECT {} FROM pages WHERE id = ?1", rows::PAGE);
        Ok(self.connection.prepare_cached(&query)?.query_row([page], rows::page).optional()?)
    }

    fn pages(&self, pages: &[PageId]) -> Result<Vec<Page>, CatalogueError> {
        // One look at the state of the file for all of them.
        let _snapshot = self.connection.unchecked_transaction()?;
        pages.iter().filter_map(|page| self.page(*page).transpose()).collect()
    }

    fn find(&self, url: &str) -> Result<Option<Page>, CatalogueError> {
        let query = format!("SELECT {} FROM pages WHERE url = ?1 LIMIT 1", rows::PAGE);
        Ok(self.connection.prepare_cached(&query)?.query_row([url], rows::page).optional()?)
    }

    fn each_url(&self, each: &mut dyn FnMut(&str)) -> Result<(), CatalogueError> {
        let mut statement = self.connection.prepare("SELECT url FROM pages ORDER BY id")?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            each(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?);
        }
        Ok(())
    }

    fn list(&self, filter: &Filter) -> Result<Vec<Page>, CatalogueError> {
        let (query, values) = listing(rows::PAGE, filter, "id");
        let mut statement = self.connection.prepare(&query)?;
        Ok(statement.query_map(params_from_iter(values), rows::page)?.collect::<Result<_, _>>()?)
    }

    fn ordered(&self, filter: &Filter, order: Order, descending: bool) -> Result<Vec<PageId>, CatalogueError> {
        let column = column(order);
        let direction = if descending { "DESC" } else { "ASC" };
        let (query, values) = listing("id", filter, &format!("{column} IS NULL, {column} {direction}, id {direction}"));
        let mut statement = self.connection.prepare(&query)?;
        Ok(statement.query_map(params_from_iter(values), |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    fn history(&self, page: PageId) -> Result<Vec<Visit>, CatalogueError> {
        let query = format!("SELECT {} FROM visits WHERE page = ?1 ORDER BY at DESC LIMIT ?2", rows::VISIT);
        let mut statement = self.connection.prepare_cached(&query)?;
        Ok(statement.query_map(params![page, HISTORY], rows::visit)?.collect::<Result<_, _>>()?)
    }

    fn changes(&self, before: (Timestamp, PageId), most: u32) -> Result<Vec<(PageId, Visit)>, CatalogueError> {
        let query = format!(
            "SELECT {}, page FROM visits WHERE outcome IN ('new', 'changed', 'gone') AND (at, page) < (?1, ?2) \
             ORDER BY at DESC, page DESC LIMIT ?3",
            rows::VISIT
        );
        let mut statement = self.connection.prepare_cached(&query)?;
        let found =
            statement.query_map(params![before.0, before.1, most], |row| Ok((row.get(8)?, rows::visit(row)?)))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    fn indexed(&self, each: &mut dyn FnMut(PageId, Timestamp)) -> Result<(), CatalogueError> {
        let query = "SELECT id, coalesce(changed_at, found_at) FROM pages WHERE indexed = 1 ORDER BY id";
        let mut statement = self.connection.prepare(query)?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            each(row.get(0)?, row.get(1)?);
        }
        Ok(())
    }

    fn counts(&self) -> Result<Counts, CatalogueError> {
        let mut counts = Counts::default();
        let mut statement =
            self.connection.prepare("SELECT state, count(*), sum(indexed) FROM pages GROUP BY state")?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            let state: State = row.get(0)?;
            let place = State::ALL.iter().position(|other| *other == state).unwrap_or_default();
            counts.states[place] = row.get(1)?;
            counts.indexed += row.get::<_, u64>(2)?;
        }
        counts.hosts = self.connection.query_row("SELECT count(*) FROM hosts", [], |row| row.get(0))?;
        counts.visits = self.connection.query_row("SELECT count(*) FROM visits", [], |row| row.get(0))?;
        counts.inbox = self.connection.query_row("SELECT count(*) FROM inbox", [], |row| row.get(0))?;
        Ok(counts)
    }

    fn status(&self) -> Result<Option<String>, CatalogueError> {
        let mut statement = self.connection.prepare_cached("SELECT json FROM status")?;
        Ok(statement.query_row([], |row| row.get(0)).optional()?)
    }

    fn note(&self, name: &str) -> Result<Option<String>, CatalogueError> {
        Ok(self.meta(&note_name(name))?)
    }

    fn post(&self, at: Timestamp, wish: Wish, urls: &[&str]) -> Result<(), CatalogueError> {
        self.insert_commands(at, wish, urls)
    }

    fn inbox(&self, after: u64, most: u32) -> Result<Vec<Command>, CatalogueError> {
        self.waiting_commands(after, most)
    }

    fn ask(&self, at: Timestamp, kind: AskKind, pages: &[PageId]) -> Result<(), CatalogueError> {
        self.insert_asks(at, kind, pages)
    }

    fn asks(&self, after: u64, most: u32) -> Result<Vec<Ask>, CatalogueError> {
        self.waiting_asks(after, most)
    }

    fn demand(&self) -> Result<Vec<Demand>, CatalogueError> {
        self.all_demand()
    }

    fn demand_of(&self, page: PageId) -> Result<Option<Demand>, CatalogueError> {
        self.one_demand(page)
    }

    fn prepare(&mut self, batch: &Batch) -> Result<(), CatalogueError> {
        self.write_journal(batch)
    }

    fn apply(&mut self, batch: &Batch) -> Result<(), CatalogueError> {
        self.write_batch(batch)
    }

    fn recover(&mut self, index: Option<u64>) -> Result<Recovered, CatalogueError> {
        self.empty_journal(index)
    }
}

/// The query of a listing and its values.
fn listing(columns: &str, filter: &Filter, order: &str) -> (String, Vec<Value>) {
    let mut query = format!("SELECT {columns} FROM pages WHERE id > ?");
    let mut values = vec![Value::Integer(filter.after.map_or(-1, |page| i64::from(page.0)))];
    let mut one_of = |column: &str, wanted: Vec<Value>| {
        if !wanted.is_empty() {
            query.push_str(&format!(" AND {column} IN ({})", vec!["?"; wanted.len()].join(", ")));
            values.extend(wanted);
        }
    };
    one_of("host", filter.hosts.iter().map(|host| Value::Integer(host.0.into())).collect());
    one_of("state", filter.states.iter().map(|state| Value::Text(state.name().to_owned())).collect());
    if let Some(since) = filter.stale_since {
        query.push_str(" AND (checked_at IS NULL OR checked_at < ?)");
        values.push(Value::Integer(since.0));
    }
    if let Some(since) = filter.changed_since {
        query.push_str(" AND changed_at >= ?");
        values.push(Value::Integer(since.0));
    }
    query.push_str(&format!(" ORDER BY {order} LIMIT ?"));
    values.push(Value::Integer(filter.limit.map_or(-1, i64::from)));
    (query, values)
}

fn column(order: Order) -> &'static str {
    match order {
        Order::Found => "id",
        Order::Url => "url",
        Order::Checked => "checked_at",
        Order::Changed => "changed_at",
        Order::Links => "links_in",
        Order::Visits => "visits",
        Order::Changes => "changes",
    }
}

pub(super) fn note_name(name: &str) -> String {
    format!("note:{name}")
}
