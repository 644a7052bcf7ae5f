//! Who asks: searchers who read and think, and dashboards.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use oriole_bench::Result;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Exp1};
use rand_pcg::Pcg64Mcg;
use tokio::task::{JoinHandle, JoinSet};

use crate::http::Connection;

/// What is asked: words of titles.
pub(crate) struct Queries(Vec<Vec<String>>);

impl Queries {
    /// # Errors
    /// If there is no title with words.
    pub(crate) fn from_titles(titles: &[String]) -> Result<Self> {
        let words = |title: &String| -> Vec<String> {
            title.split(' ').filter(|word| word.len() > 3).map(str::to_lowercase).collect()
        };
        let titles: Vec<Vec<String>> = titles.iter().map(words).filter(|words| !words.is_empty()).collect();
        if titles.is_empty() { Err("no page has a title to ask for".into()) } else { Ok(Self(titles)) }
    }

    /// An address: half of them one word, others two, phrases, second pages, filters and misspelt words.
    fn draw(&self, random: &mut Pcg64Mcg) -> String {
        let words = &self.0[random.random_range(0..self.0.len())];
        let word = &words[random.random_range(0..words.len())];
        match random.random_range(0..20) {
            0..10 => format!("/?q={word}"),
            10..14 => format!("/?q={}", words.join("+")),
            14..16 => format!("/?q=%22{}%22", words[..words.len().min(2)].join("+")),
            16..18 => format!("/?q={word}&page=2"),
            18 => format!("/?q={word}&lang=en&when=day"),
            _ => format!("/?q={}", &word[..word.len() - 1]),
        }
    }
}

/// How searches went.
#[derive(Default)]
pub(crate) struct Visits {
    /// How long each took, from the question to the end of the answer.
    pub(crate) times: Vec<Duration>,
    pub(crate) errors: Vec<String>,
    pub(crate) seconds: f64,
}

impl Visits {
    /// Lets so many search for some time.
    pub(crate) async fn run(
        address: SocketAddr,
        searchers: usize,
        think: Duration,
        time: Duration,
        queries: Arc<Queries>,
    ) -> Self {
        let (began, mut all) = (Instant::now(), JoinSet::new());
        for number in 0..searchers as u64 {
            let (queries, end) = (Arc::clone(&queries), began + time);
            all.spawn(async move { search(address, think, end, &queries, number).await });
        }
        let mut load = Self::default();
        for (times, error) in all.join_all().await {
            load.times.extend(times);
            load.errors.extend(error);
        }
        load.times.sort_unstable();
        load.seconds = began.elapsed().as_secs_f64();
        load
    }
}

/// Searches until the end, or the first error.
async fn search(
    address: SocketAddr,
    think: Duration,
    end: Instant,
    queries: &Queries,
    seed: u64,
) -> (Vec<Duration>, Option<String>) {
    let mut times = Vec::new();
    let searched = async {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut connection = Connection::open(address).await?;
        loop {
            let pause: f64 = Exp1.sample(&mut random);
            let next = Instant::now() + think.mul_f64(pause);
            if next >= end {
                return Ok(());
            }
            tokio::time::sleep_until(next.into()).await;
            let (target, began) = (queries.draw(&mut random), Instant::now());
            let answer = connection.get(&target, false).await?;
            times.push(began.elapsed());
            if answer.status != 200 || !answer.body.contains("</html>") {
                return Err(format!("{target}: status {}", answer.status).into());
            }
        }
    };
    let searched: Result<()> = searched.await;
    (times, searched.err().map(|error| error.to_string()))
}

/// Dashboards that are open.
pub(crate) struct Listening {
    tasks: Vec<JoinHandle<()>>,
    heard: Arc<Vec<AtomicU64>>,
}

impl Listening {
    pub(crate) fn begin(address: SocketAddr, listeners: usize) -> Self {
        let heard: Arc<Vec<AtomicU64>> = Arc::new((0..listeners).map(|_| AtomicU64::new(0)).collect());
        let tasks = (0..listeners).map(|number| {
            let heard = Arc::clone(&heard);
            tokio::spawn(async move {
                if let Err(error) = watch(address, &heard[number]).await {
                    eprintln!("a dashboard has ended: {error}");
                }
            })
        });
        Self { tasks: tasks.collect(), heard }
    }

    /// Events that each has heard and drawn.
    pub(crate) fn counts(&self) -> Vec<u64> {
        self.heard.iter().map(|count| count.load(Ordering::Relaxed)).collect()
    }

    pub(crate) fn end(self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Hears an event, loads what has changed, and so on.
async fn watch(address: SocketAddr, heard: &AtomicU64) -> Result<()> {
    let (mut events, mut pages) = (Connection::open(address).await?, Connection::open(address).await?);
    events.listen("/api/v1/events").await?;
    loop {
        events.event().await?;
        let answer = pages.get("/dashboard/part?range=recent", true).await?;
        if answer.status != 200 {
            return Err(format!("the dashboard has status {}", answer.status).into());
        }
        heard.fetch_add(1, Ordering::Relaxed);
    }
}
