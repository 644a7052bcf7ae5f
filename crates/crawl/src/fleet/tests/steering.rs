//! Robots are sent out exactly as the policy says, and those in mid-fetch finish.

use control::controller::baselines::OnOff;

use super::server::{html, not_found, page};
use super::*;

/// Two robots while the buffer is empty, else none.
const TWO_OR_NONE: OnOff = OnOff { on: 2, off: 0, threshold: 0 };

async fn until(what: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !what() {
        assert!(Instant::now() < deadline, "it does not come to that");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A fleet at work on six pages.
struct Work {
    server: Server,
    _crawl: Crawl,
    buffer: Arc<dyn Buffer<Delivery>>,
    sender: UnboundedSender<Message>,
    seen: UnboundedReceiver<Seen>,
    _kept: UnboundedReceiver<Record>,
    fleet: tokio::task::JoinHandle<Ended>,
}

impl Work {
    fn begin(steering: Steering, places: usize, reserve: bool) -> Self {
        let server = Server::start(|ask| match ask.path.as_str() {
            "/robots.txt" => not_found(),
            path => html(&page(path, &[])),
        });
        let crawl = Crawl::of(&(0..6).map(|number| server.url(&format!("/{number}"))).collect::<Vec<_>>());
        SqliteCatalogue::open(&crawl.catalogue()).unwrap();
        let (records, kept) = unbounded_channel();
        let (sender, messages) = unbounded_channel();
        let (tell, seen) = unbounded_channel();
        let counters = Arc::new(Counters::default());
        let (waiting, room) = (Arc::clone(&counters), sender.clone());
        let tell_of_room = move |_| {
            if waiting.is_waiting_for_room() {
                _ = room.send(Message::Room);
            }
        };
        let buffer: Arc<dyn Buffer<Delivery>> = Arc::new(MemoryBuffer::new(places, || now().seconds(), tell_of_room));
        let seeds: Vec<PageUrl> = crawl.seeds.iter().map(|seed| PageUrl::parse(seed).unwrap()).collect();
        let mut state = crawl.state();
        state.seed(&seeds, now());
        let gear = Gear {
            fetcher: Fetcher::new(crawl.fetch.clone()).unwrap(),
            steering,
            reserve,
            seen: Some(tell),
            hubs: None,
            buffer: Arc::clone(&buffer),
            records,
            sender: sender.clone(),
            counters,
        };
        let fleet = tokio::spawn(Fleet::new(state, gear, true).run(messages));
        Self { server, _crawl: crawl, buffer, sender, seen, _kept: kept, fleet }
    }

    /// Requests for pages.
    fn asked(&self) -> usize {
        (0..6).map(|number| self.server.log().count(&format!("/{number}"))).sum()
    }

    fn index_one(&self) {
        self.buffer.done(self.buffer.take(1, Duration::ZERO).len());
    }

    /// Ends it; what was seen.
    async fn end(mut self) -> Vec<Seen> {
        _ = self.sender.send(Message::Stop);
        self.fleet.await.unwrap();
        std::iter::from_fn(|| self.seen.try_recv().ok()).collect()
    }
}

#[tokio::test]
async fn robots_finish_and_no_more_are_sent_out_than_wanted() {
    let work = Work::begin(Steering::watching(TWO_OR_NONE), 4, false);
    let mut brought = Vec::new();
    while brought.iter().sum::<usize>() < 6 {
        until(|| work.buffer.occupancy() > 0).await;
        // The second of two is no longer wanted when the first has come, and comes all the same.
        tokio::time::sleep(Duration::from_millis(50)).await;
        brought.push(work.buffer.occupancy());
        let asked: usize = brought.iter().sum();
        assert_eq!(work.asked(), asked);
        while work.buffer.occupancy() > 1 {
            work.index_one();
            tokio::time::sleep(Duration::from_millis(50)).await;
            assert_eq!(work.asked(), asked, "none are wanted while one waits");
        }
        work.index_one();
    }
    // One robot may have been away for a sitemap.
    assert!(brought.iter().all(|pages| *pages <= 2) && brought.contains(&2), "{brought:?}");
    let back = work.end().await.into_iter().filter_map(|seen| match seen {
        Seen::Back { took, brought, .. } => Some((took, brought)),
        _ => None,
    });
    let back: Vec<(f64, bool)> = back.collect();
    assert!(back.iter().all(|(took, _)| *took > 0.0));
    assert_eq!(back.iter().filter(|(_, brought)| *brought).count(), 6, "each page was brought once");
    assert!(back.len() > 6, "robots.txt was asked for");
}

/// That there is no place for what more robots would bring does not mean that there is no work for them.
#[tokio::test]
async fn robots_without_a_place_do_not_lack_work() {
    let work = Work::begin(Steering::fixed(3), 2, true);
    for indexed in 0..3 {
        until(|| work.buffer.occupancy() == 2).await;
        assert_eq!(work.asked(), 2 + indexed, "no robot without a place");
        work.index_one();
    }
    until(|| work.buffer.occupancy() == 2).await;
    // Before the first page there was robots.txt to wait for.
    let seen = work.end().await;
    let stretches =
        seen.iter().skip_while(|seen| !matches!(seen, Seen::Delivered { .. })).filter_map(|seen| match seen {
            Seen::Worked { active: 1.., wanted: 3, is_short, .. } => Some(*is_short),
            _ => None,
        });
    let stretches: Vec<bool> = stretches.collect();
    assert!(stretches.len() > 2 && stretches.iter().all(|is_short| *is_short), "{seen:?}");
}
