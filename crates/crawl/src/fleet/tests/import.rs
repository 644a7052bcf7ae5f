//! Answers that were fetched elsewhere.

use super::server::page;
use super::*;
use crate::fetch::Answer;

const DAY: i64 = 86_400_000;

const SITE: &str = "http://site.example/";

fn answer(status: u16, body: &str) -> Answer {
    let headers = vec![("Content-Type".to_owned(), b"text/html".to_vec())];
    Answer { status, headers, body: body.as_bytes().to_vec(), truncated: false, address: None }
}

/// Takes in answers of one page; how many were taken.
fn import(crawl: &mut Crawl, answers: impl IntoIterator<Item = (i64, Answer)>) -> usize {
    let mut keeper = SqliteCatalogue::open(&crawl.catalogue()).unwrap();
    let (mut state, url) = (crawl.state(), PageUrl::parse(SITE).unwrap());
    let (records, kept) = unbounded_channel();
    let (sender, mut messages) = unbounded_channel();
    let buffer: Arc<dyn Buffer<Delivery>> = Arc::new(MemoryBuffer::new(8, || 0.0, |_| {}));
    let mut shelf = Shelf { batch: crawl.batches, kept, buffer: Arc::clone(&buffer), sender };
    let mut taken = 0;
    for (day, answer) in answers {
        let found = state.import(&url, answer, Timestamp(1_700_000_000_000 + day * DAY));
        let Imported::Taken { records: more, delivery, .. } = found else { continue };
        taken += 1;
        more.into_iter().for_each(|record| records.send(record).unwrap());
        delivery.into_iter().for_each(|delivery| _ = buffer.offer(*delivery, None));
        shelf.keep(&mut keeper, &mut crawl.index);
        while let Ok(Message::Kept { visits, pages }) = messages.try_recv() {
            state.kept(&visits, pages).into_iter().for_each(|record| records.send(record).unwrap());
        }
    }
    shelf.keep(&mut keeper, &mut crawl.index);
    crawl.batches = shelf.batch;
    taken
}

fn new_crawl() -> Crawl {
    let crawl = Crawl::of(&[SITE.to_owned()]);
    drop(SqliteCatalogue::open(&crawl.catalogue()).unwrap());
    crawl
}

/// Changes per day that are believed after 40 daily copies, in one go or with a restart in between.
fn rate_of(texts: impl Fn(i64) -> String, restart: bool) -> f64 {
    let mut crawl = new_crawl();
    let copies =
        |from: i64, to: i64| (from..to).map(|day| (day, answer(200, &page(&texts(day), &[])))).collect::<Vec<_>>();
    let parts = if restart { vec![copies(0, 15), copies(15, 40)] } else { vec![copies(0, 40)] };
    assert_eq!(parts.into_iter().map(|part| import(&mut crawl, part)).sum::<usize>(), 40);
    let values = crawl.values(SITE);
    assert!(values.evidence_exposure > 0.0, "{values:?}");
    let state = crawl.state();
    state.frontier.estimate(freshness::PageId(0)).mean() * 86_400.0
}

#[test]
fn daily_copies_teach_how_often_a_page_changes() {
    for restart in [false, true] {
        let (changing, constant) = (rate_of(|day| day.to_string(), restart), rate_of(|_| "same".into(), restart));
        assert!(changing > 0.9, "{changing}");
        assert!(constant < 0.1, "{constant}");
    }
}

#[test]
fn hosts_have_their_number_of_pages_after_an_import() {
    let mut crawl = new_crawl();
    import(&mut crawl, [(0, answer(200, &page("home", &["/a", "/b"])))]);
    let hosts = SqliteCatalogue::read(&crawl.catalogue()).unwrap().hosts().unwrap();
    assert_eq!(hosts.iter().map(|host| host.pages).collect::<Vec<_>>(), [3]);
}

#[test]
fn what_was_imported_is_passed_over() {
    let copies = || {
        let gone = [(1, answer(404, "")), (2, answer(404, "")), (3, answer(410, ""))];
        [(0, answer(200, &page("home", &[])))].into_iter().chain(gone)
    };
    for (count, state) in [(2, Known::Fetched), (4, Known::Gone)] {
        let mut crawl = new_crawl();
        assert_eq!(import(&mut crawl, copies().take(count)), count);
        assert_eq!(import(&mut crawl, copies().take(count)), 0, "the same again");
        let values = crawl.values(SITE);
        assert_eq!(values.state, state, "not being there is not confirmed by the same answer");
        assert_eq!(values.checked_at, Some(Timestamp(1_700_000_000_000 + (count as i64 - 1) * DAY)));
    }
}

#[test]
fn nothing_is_learned_from_the_time_in_which_a_page_was_not_there() {
    let mut crawl = new_crawl();
    let copy = || answer(200, &page("home", &[]));
    import(&mut crawl, [(0, copy()), (10, copy()), (11, answer(404, "")), (12, answer(404, ""))]);
    let before = crawl.values(SITE).evidence_exposure;
    assert!(before > 0.0);
    import(&mut crawl, [(30, answer(200, &page("other", &[])))]);
    let values = crawl.values(SITE);
    assert_eq!((values.state, values.changes), (Known::Fetched, 1));
    assert_eq!((values.evidence_exposure, values.evidence_changes), (before, 0.0));
}
