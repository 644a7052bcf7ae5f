use super::{Fresh, Law, sample};
use crate::{
    AskKind, Batch, Catalogue, CatalogueError, Demand, Filter, HISTORY, HostId, IndexState, Journal, Lengths, Order,
    Outcome, PageChange, PageId, RobotsTxt, Standing, State, Timestamp, Visit, Wish,
};

type Any = Box<dyn Catalogue>;

/// Every catalogue must pass this.
///
/// # Errors
/// If the back end fails.
///
/// # Panics
/// If a law does not hold.
pub fn catalogue(fresh: Fresh<'_, Any>) -> Law {
    pages_come_back_as_written(fresh()())?;
    everything_else_comes_back(fresh()())?;
    listings_are_filtered_and_paged(fresh()())?;
    listings_are_ordered(fresh()())?;
    history_is_the_newest_visits(fresh()())?;
    changes_are_newest_first(fresh()())?;
    numbers_increase(fresh()())?;
    prepared_is_not_written(fresh()())?;
    commands_are_carried_out_once(fresh()())?;
    asks_are_counted_once(fresh()())?;
    a_failed_batch_leaves_nothing(fresh()())?;
    what_is_applied_stays(&mut fresh())?;
    for index in [None, Some(1), Some(2), Some(3)] {
        the_journal_follows_the_index(&mut fresh(), index)?;
    }
    Ok(())
}

fn pages_come_back_as_written(mut catalogue: Any) -> Law {
    catalogue.apply(&sample::batch(1, 0..20, &[3, 4, 5, 19]))?;
    let page = catalogue.page(PageId(3))?.ok_or("page 3 is missing")?;
    let new = sample::new_page(3);
    assert_eq!((page.id, &page.url, page.host), (new.id, &new.url, new.host));
    assert_eq!((page.found_at, page.referrer), (new.found_at, new.referrer));
    let standing = Standing { depth: new.depth, weight: new.weight, links_in: new.links_in };
    assert_eq!((page.standing, &page.values), (standing, &sample::values(3)));
    assert_eq!(catalogue.find(&new.url)?, Some(page));
    let some: Vec<u32> = catalogue.pages(&[19, 3, 99, 7].map(PageId))?.into_iter().map(|page| page.id.0).collect();
    assert_eq!(some, [19, 3, 7]);
    assert_eq!(catalogue.find("https://nowhere.example/")?, None);
    assert_eq!(catalogue.page(PageId(20))?, None);
    let unvisited = catalogue.page(PageId(6))?.ok_or("page 6 is missing")?;
    assert_eq!(unvisited.values, crate::Values::default());
    let mut loaded = Vec::new();
    catalogue.load(&mut |page| loaded.push(page.id.0))?;
    assert_eq!(loaded, (0..20).collect::<Vec<_>>());
    let standing = Standing { depth: 1, weight: 2.5, links_in: 77 };
    catalogue.apply(&Batch { number: 2, standings: vec![(PageId(3), standing)], ..Batch::default() })?;
    let page = catalogue.page(PageId(3))?.ok_or("page 3 is missing")?;
    assert_eq!((page.standing, page.values), (standing, sample::values(3)));
    catalogue.apply(&Batch { number: 3, links: vec![(PageId(3), 78, 2.5)], ..Batch::default() })?;
    let page = catalogue.page(PageId(3))?.ok_or("page 3 is missing")?;
    assert_eq!(page.standing, Standing { links_in: 78, ..standing });
    Ok(())
}

fn everything_else_comes_back(mut catalogue: Any) -> Law {
    let robots_txt =
        RobotsTxt { host: HostId(1), status: Some(200), fetched_at: Timestamp(5), body: "User-agent: *\n".into() };
    let batch = Batch {
        hosts: (0..3).map(sample::host).collect(),
        robots_txt: vec![robots_txt.clone()],
        status: Some("{\"pages\":1}".into()),
        notes: vec![("prior".into(), "1".into())],
        ..sample::batch(7, 0..16, &[0, 1, 2, 9])
    };
    catalogue.apply(&batch)?;
    assert_eq!(catalogue.hosts()?, batch.hosts);
    assert_eq!(catalogue.robots_txt(HostId(1))?, Some(robots_txt.clone()));
    assert_eq!(catalogue.robots_txt(HostId(0))?, None);
    assert_eq!(catalogue.status()?, batch.status);
    assert_eq!(catalogue.note("prior")?.as_deref(), Some("1"));
    assert_eq!(catalogue.note("batch")?, None, "notes are apart from the catalogue's own");
    let counts = catalogue.counts()?;
    assert_eq!((counts.pages(), counts.hosts, counts.visits, counts.indexed), (16, 3, 4, 2));
    assert_eq!((counts.state(State::Known), counts.state(State::Fetched)), (13, 2));
    let mut indexed = Vec::new();
    catalogue.indexed(&mut |page, at| indexed.push((page.0, at)))?;
    assert_eq!(indexed, [0, 2].map(|n| (n, sample::values(n).changed_at.unwrap_or_default())));
    let changed = crate::Host { failures: 99, ..sample::host(1) };
    let later = RobotsTxt { status: None, body: String::new(), ..robots_txt };
    catalogue.apply(&Batch {
        number: 8,
        hosts: vec![changed.clone()],
        robots_txt: vec![later.clone()],
        status: Some("{}".into()),
        notes: vec![("prior".into(), "2".into())],
        ..Batch::default()
    })?;
    assert_eq!(catalogue.host(HostId(1))?, Some(changed.clone()));
    assert_eq!(catalogue.host(HostId(3))?, None);
    assert_eq!(catalogue.hosts()?, [sample::host(0), changed, sample::host(2)]);
    assert_eq!(catalogue.robots_txt(HostId(1))?, Some(later));
    assert_eq!((catalogue.status()?.as_deref(), catalogue.note("prior")?.as_deref()), (Some("{}"), Some("2")));
    Ok(())
}

fn listings_are_filtered_and_paged(mut catalogue: Any) -> Law {
    catalogue.apply(&sample::batch(1, 0..30, &[1, 9, 12, 17]))?;
    let ids = |filter: Filter| -> Result<Vec<u32>, CatalogueError> {
        Ok(catalogue.list(&filter)?.into_iter().map(|page| page.id.0).collect())
    };
    assert_eq!(ids(Filter::default())?, (0..30).collect::<Vec<_>>());
    let mut urls = Vec::new();
    catalogue.each_url(&mut |url| urls.push(url.to_owned()))?;
    assert_eq!(urls, (0..30).map(|n| sample::new_page(n).url).collect::<Vec<_>>());
    assert_eq!(ids(Filter { hosts: vec![HostId(2)], limit: Some(3), ..Filter::default() })?, [2, 5, 8]);
    assert_eq!(ids(Filter { after: Some(PageId(26)), ..Filter::default() })?, [27, 28, 29]);
    assert_eq!(ids(Filter { states: vec![State::Fetched], ..Filter::default() })?, [1, 9, 17]);
    let since = sample::values(12).checked_at;
    let stale = ids(Filter { stale_since: since, ..Filter::default() })?;
    assert_eq!(stale, (0..30).filter(|n| ![12, 17].contains(n)).collect::<Vec<_>>());
    assert_eq!(ids(Filter { hosts: vec![HostId(0), HostId(2)], limit: Some(3), ..Filter::default() })?, [0, 2, 3]);
    assert_eq!(ids(Filter { states: vec![State::Fetched, State::Duplicate], ..Filter::default() })?, [1, 9, 17]);
    assert_eq!(ids(Filter { changed_since: sample::values(12).changed_at, ..Filter::default() })?, [12, 17]);
    Ok(())
}

fn listings_are_ordered(mut catalogue: Any) -> Law {
    catalogue.apply(&sample::batch(1, 0..12, &[1, 4, 7]))?;
    let ids = |order, descending, limit| -> Result<Vec<u32>, CatalogueError> {
        let filter = Filter { limit, ..Filter::default() };
        Ok(catalogue.ordered(&filter, order, descending)?.into_iter().map(|page| page.0).collect())
    };
    assert_eq!(ids(Order::Found, false, None)?, (0..12).collect::<Vec<_>>());
    assert_eq!(ids(Order::Found, true, Some(3))?, [11, 10, 9]);
    assert_eq!(ids(Order::Checked, false, Some(5))?, [1, 4, 7, 0, 2], "never visited is last");
    assert_eq!(ids(Order::Checked, true, Some(5))?, [7, 4, 1, 11, 10], "also the other way round");
    assert_eq!(ids(Order::Changed, true, Some(3))?, [7, 4, 1]);
    assert_eq!(ids(Order::Links, true, Some(2))?, [11, 10]);
    assert_eq!(ids(Order::Visits, true, Some(4))?, [7, 4, 1, 11]);
    assert_eq!(ids(Order::Changes, true, Some(2))?, [7, 4]);
    assert_eq!(ids(Order::Url, false, Some(4))?, [0, 3, 6, 9], "host0 is first");
    let filter = Filter { hosts: vec![HostId(1)], ..Filter::default() };
    assert_eq!(catalogue.ordered(&filter, Order::Links, true)?, [10, 7, 4, 1].map(PageId));
    Ok(())
}

fn history_is_the_newest_visits(mut catalogue: Any) -> Law {
    catalogue.apply(&sample::batch(1, 0..2, &[]))?;
    for n in 0..HISTORY + 50 {
        let values = crate::Values { visits: n + 1, ..sample::values(1) };
        let change = PageChange { page: PageId(1), visit: Some(sample::visit(n)), values };
        catalogue.apply(&Batch { number: u64::from(n) + 2, pages: vec![change], ..Batch::default() })?;
    }
    let expected: Vec<_> = (50..HISTORY + 50).rev().map(sample::visit).collect();
    assert_eq!(catalogue.history(PageId(1))?, expected);
    assert!(catalogue.counts()?.visits < u64::from(HISTORY) + 20, "the rest is not kept");
    assert_eq!(catalogue.history(PageId(0))?, []);
    Ok(())
}

fn changes_are_newest_first(mut catalogue: Any) -> Law {
    catalogue.apply(&sample::batch(1, 0..8, &[]))?;
    let visits = [
        (3, 10, Outcome::New),
        (4, 10, Outcome::New),
        (3, 20, Outcome::Unchanged),
        (3, 30, Outcome::Changed),
        (4, 25, Outcome::Gone),
    ];
    for (number, (page, at, outcome)) in visits.into_iter().enumerate() {
        let visit = Visit { at: Timestamp(at), outcome, status: None, bytes: 0, milliseconds: 0, archive: None };
        let change = PageChange { page: PageId(page), visit: Some(visit), values: sample::values(page) };
        catalogue.apply(&Batch { number: number as u64 + 2, pages: vec![change], ..Batch::default() })?;
    }
    let seen = |at, page, most| -> Result<Vec<(u32, i64)>, CatalogueError> {
        let found = catalogue.changes((Timestamp(at), PageId(page)), most)?;
        Ok(found.into_iter().map(|(page, visit)| (page.0, visit.at.0)).collect())
    };
    assert_eq!(seen(i64::MAX, 0, 9)?, [(3, 30), (4, 25), (4, 10), (3, 10)]);
    assert_eq!(seen(30, 3, 2)?, [(4, 25), (4, 10)]);
    assert_eq!(seen(10, 4, 9)?, [(3, 10)]);
    assert_eq!(seen(10, 3, 9)?, []);
    Ok(())
}

fn numbers_increase(mut catalogue: Any) -> Law {
    catalogue.apply(&sample::batch(5, 0..1, &[]))?;
    for number in [0, 4, 5] {
        let again = catalogue.apply(&sample::batch(number, 1..2, &[]));
        assert!(matches!(again, Err(CatalogueError::OutOfOrder { last: 5, .. })));
        let again = catalogue.prepare(&sample::batch(number, 1..2, &[]));
        assert!(matches!(again, Err(CatalogueError::OutOfOrder { last: 5, .. })));
    }
    assert_eq!(catalogue.counts()?.pages(), 1);
    Ok(())
}

fn prepared_is_not_written(mut catalogue: Any) -> Law {
    catalogue.prepare(&sample::batch(1, 0..3, &[1]))?;
    assert_eq!(catalogue.counts()?.pages(), 0);
    let other = sample::batch(2, 0..1, &[]);
    assert!(matches!(catalogue.prepare(&other), Err(CatalogueError::Unfinished { journal: 1, given: 2 })));
    assert!(matches!(catalogue.apply(&other), Err(CatalogueError::Unfinished { journal: 1, given: 2 })));
    catalogue.apply(&sample::batch(1, 0..3, &[1]))?;
    assert_eq!(catalogue.counts()?.pages(), 3);
    catalogue.apply(&sample::batch(2, 3..4, &[]))?;
    assert_eq!(catalogue.counts()?.pages(), 4);
    Ok(())
}

fn commands_are_carried_out_once(mut catalogue: Any) -> Law {
    catalogue.post(Timestamp(1), Wish::Add, &["https://a.example/"])?;
    catalogue.post(Timestamp(2), Wish::Remove, &["https://b.example/"])?;
    catalogue.post(Timestamp(3), Wish::Add, &["https://c.example/"])?;
    let inbox = catalogue.inbox(0, 10)?;
    assert_eq!((catalogue.inbox(0, 2)?, catalogue.inbox(inbox[0].id, 10)?), (inbox[..2].to_vec(), inbox[1..].to_vec()));
    assert_eq!(inbox.iter().map(|command| command.at.0).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!((inbox[1].wish, inbox[1].url.as_str()), (Wish::Remove, "https://b.example/"));
    let done = [inbox[0].id, inbox[1].id, inbox[2].id];
    catalogue.apply(&Batch { number: 1, commands: done[..2].to_vec(), ..Batch::default() })?;
    assert_eq!(catalogue.inbox(0, 10)?, inbox[2..]);
    catalogue.apply(&Batch { number: 2, commands: done[2..].to_vec(), ..Batch::default() })?;
    catalogue.post(Timestamp(4), Wish::Add, &["https://d.example/"])?;
    let next = &catalogue.inbox(0, 10)?[0];
    assert!(!done.contains(&next.id), "a number is never used again");
    let many: Vec<String> = (0..2_000).map(|n| format!("https://e.example/{n}")).collect();
    catalogue.post(Timestamp(5), Wish::Add, &many.iter().map(String::as_str).collect::<Vec<_>>())?;
    let inbox = catalogue.inbox(0, 1_000)?;
    assert_eq!((inbox.len(), inbox[1].url.as_str()), (1_000, "https://e.example/0"));
    assert_eq!(catalogue.counts()?.inbox, 2_001);
    let wishes = [
        Wish::AddSite,
        Wish::Pause,
        Wish::Resume,
        Wish::RemoveSite,
        Wish::Weight(Some(2.5)),
        Wish::Weight(None),
        Wish::Delay(Some(0.0)),
        Wish::MostPages(Some(u32::MAX)),
    ];
    for wish in wishes {
        catalogue.post(Timestamp(6), wish, &["https://f.example"])?;
    }
    let told: Vec<Wish> = catalogue.inbox(inbox[999].id + 1_000, 100)?.iter().map(|command| command.wish).collect();
    assert!(told.ends_with(&wishes), "{told:?}");
    Ok(())
}

fn asks_are_counted_once(mut catalogue: Any) -> Law {
    catalogue.apply(&sample::batch(1, 0..5, &[1, 2]))?;
    assert_eq!((catalogue.asks(0, 9)?, catalogue.demand()?, catalogue.demand_of(PageId(1))?), (vec![], vec![], None));
    catalogue.ask(Timestamp(10), AskKind::Shown, &[PageId(1), PageId(2)])?;
    catalogue.ask(Timestamp(11), AskKind::Clicked, &[PageId(2)])?;
    let asks = catalogue.asks(0, 9)?;
    let said: Vec<_> = asks.iter().map(|ask| (ask.page.0, ask.at.0, ask.kind)).collect();
    assert_eq!(said, [(1, 10, AskKind::Shown), (2, 10, AskKind::Shown), (2, 11, AskKind::Clicked)]);
    assert_eq!(catalogue.asks(asks[0].id, 1)?, asks[1..2]);
    let demand = Demand { page: PageId(2), asked: 1.125, at: Timestamp(11) };
    let counted = Some(asks[1].id);
    catalogue.apply(&Batch { number: 2, demand: vec![demand], counted, ..Batch::default() })?;
    assert_eq!((catalogue.asks(0, 9)?, catalogue.demand()?), (asks[2..].to_vec(), vec![demand]));
    let later = Demand { asked: 7.0, at: Timestamp(12), ..demand };
    catalogue.apply(&Batch { number: 3, demand: vec![later], ..Batch::default() })?;
    assert_eq!((catalogue.demand_of(PageId(2))?, catalogue.demand_of(PageId(1))?), (Some(later), None));
    Ok(())
}

fn a_failed_batch_leaves_nothing(mut catalogue: Any) -> Law {
    catalogue.apply(&sample::batch(1, 0..5, &[]))?;
    let clash = Batch { status: Some("{}".into()), ..sample::batch(2, 4..9, &[0]) };
    assert!(catalogue.apply(&clash).is_err(), "page 4 is there already");
    assert_eq!((catalogue.counts()?.pages(), catalogue.status()?), (5, None));
    assert_eq!(catalogue.history(PageId(0))?, []);
    catalogue.apply(&sample::batch(2, 5..9, &[]))?;
    Ok(())
}

fn what_is_applied_stays(open: &mut dyn FnMut() -> Any) -> Law {
    let lengths = Lengths::from([(1, 10), (2, 20)]);
    open().apply(&Batch { archive: lengths, ..sample::batch(1, 0..10, &[2]) })?;
    open().apply(&Batch { number: 2, archive: Lengths::from([(2, 25), (3, 1)]), ..Batch::default() })?;
    let mut catalogue = open();
    let recovered = catalogue.recover(None)?;
    assert_eq!((recovered.journal, recovered.index, recovered.batch), (Journal::Empty, IndexState::Agrees, 2));
    assert_eq!(recovered.archive, Lengths::from([(1, 10), (2, 25), (3, 1)]));
    assert_eq!(catalogue.counts()?.pages(), 10);
    assert_eq!(catalogue.history(PageId(2))?, [sample::visit(2)]);
    Ok(())
}

/// Batch 1 is written and indexed, batch 2 prepared; the index has `index`.
fn the_journal_follows_the_index(open: &mut dyn FnMut() -> Any, index: Option<u64>) -> Law {
    let (first, second) = (sample::batch(1, 0..3, &[1]), sample::batch(2, 3..5, &[0, 4]));
    let mut catalogue = open();
    catalogue.prepare(&first)?;
    catalogue.apply(&first)?;
    catalogue.prepare(&Batch { archive: Lengths::from([(1, 5)]), ..second.clone() })?;
    drop(catalogue);
    let mut catalogue = open();
    let recovered = catalogue.recover(index)?;
    let (pages, lengths) = match index {
        Some(2 | 3) => (5, Lengths::from([(1, 5)])),
        _ => (3, Lengths::new()),
    };
    let journal = if pages == 5 { Journal::Applied(2) } else { Journal::Dropped(2) };
    let agreement = match index {
        None => IndexState::Behind { index, catalogue: 1 },
        Some(3) => IndexState::Ahead { index: 3, catalogue: 2 },
        _ => IndexState::Agrees,
    };
    assert_eq!((recovered.journal, recovered.index, recovered.archive), (journal, agreement, lengths));
    assert_eq!(catalogue.counts()?.pages(), pages);
    assert_eq!(catalogue.history(PageId(4))?.len(), usize::from(pages == 5));
    assert_eq!(catalogue.recover(index)?.journal, Journal::Empty, "recovery is done once");
    catalogue.apply(&sample::batch(recovered.batch + 1, 5..6, &[]))?;
    Ok(())
}
