//! Other policies on the same web, with real requests, as many at every moment as the engine has made.

use std::time::{Duration, Instant};

use freshness::{AccessTime, HostId, Outcome, PageId, Visit};
use livingweb::{Clock, Handle, PageNumber, Truth, World, serve};
use oriole_bench::Result;
use reqwest::header::{ETAG, IF_NONE_MATCH};
use reqwest::{Client, StatusCode};
use sim::rules::{FixedInterval, Nutch, StormCrawler};
use sim::{Config, DueQueue, Page, PolicyName, Scheduler};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::scenario::Job;

/// Whom the engine is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rival {
    /// Every page in turn.
    Uniform,
    /// Nutch's adaptive schedule, if a day has so many seconds.
    Nutch(f64),
    /// `StormCrawler`'s adaptive scheduler, likewise.
    StormCrawler(f64),
    /// The engine's policy if it were told the true rates: what learning costs is the difference.
    Told,
}

impl Rival {
    /// All of them, those whose rules are made for days for each length of a day.
    pub(crate) fn all(days: &[f64]) -> Vec<Self> {
        let of_days = days.iter().flat_map(|day| [Self::Nutch(*day), Self::StormCrawler(*day)]);
        [Self::Uniform, Self::Told].into_iter().chain(of_days).collect()
    }

    pub(crate) fn name(self) -> String {
        match self {
            Self::Uniform => "uniform".to_owned(),
            Self::Nutch(day) => format!("nutch, {day} s"),
            Self::StormCrawler(day) => format!("stormcrawler, {day} s"),
            Self::Told => "told".to_owned(),
        }
    }

    /// Seconds in its unit of time.
    fn day(self) -> f64 {
        match self {
            Self::Uniform | Self::Told => 1.0,
            Self::Nutch(day) | Self::StormCrawler(day) => day,
        }
    }

    fn scheduler(self, pace: f64) -> Result<Box<dyn Scheduler>> {
        Ok(match self {
            Self::Uniform => Box::new(DueQueue::new(FixedInterval::default())),
            Self::Nutch(_) => Box::new(DueQueue::new(Nutch::default())),
            Self::StormCrawler(_) => Box::new(DueQueue::new(StormCrawler::default())),
            Self::Told => PolicyName::Index.build(&Config::new(AccessTime::constant(1.0 / pace)?, 1.0), None),
        })
    }
}

/// How often rivals look how many fetches the engine has made: it makes one in twice that time.
const LOOK: Duration = Duration::from_millis(10);

/// What came of a request.
struct Answer {
    page: PageId,
    outcome: Outcome,
    etag: Option<String>,
}

/// A rival at work.
struct Crawl {
    scheduler: Box<dyn Scheduler>,
    living: Handle,
    client: Client,
    etags: Vec<Option<String>>,
    answers: UnboundedSender<Answer>,
    began: Instant,
    day: f64,
    /// Seconds between requests to each host.
    delays: Vec<f64>,
}

/// Crawls a web of its own, a fetch for each that the engine makes on its web, and says how fresh its copy was.
pub(crate) async fn measure(job: &Job, rival: Rival, leader: &Handle) -> Result<Truth> {
    let living = serve(World::new(&job.settings())?, Clock::starting_now(), job.options()).await?;
    let began = Instant::now();
    let (learn, day) = (job.scale.learn, rival.day());
    let (sender, mut answers) = unbounded_channel();
    let slow = |host: usize| if host < job.scenario.slow_hosts { 1.0 } else { 0.0 };
    let mut crawl = Crawl {
        scheduler: rival.scheduler(job.last_budget())?,
        client: Client::builder().timeout(Duration::from_secs(5)).build()?,
        etags: vec![None; living.world().pages().len()],
        answers: sender,
        began,
        day,
        delays: (0..living.world().hosts()).map(slow).collect(),
        living,
    };
    let mut known = 0.0;
    crawl.discover(|page| page.from == 0.0);
    let (mut sent, mut is_measured) = (0, false);
    loop {
        let now = began.elapsed().as_secs_f64();
        if known < learn / 2.0 && now >= learn / 2.0 {
            known = now;
            crawl.discover(|page| page.from > 0.0);
        }
        if !is_measured && now >= learn {
            is_measured = true;
            crawl.living.reset();
        }
        if now >= learn + job.scale.window {
            return Ok(crawl.living.truth());
        }
        while sent < leader.fetches() {
            sent += 1;
            crawl.send();
        }
        tokio::select! {
            Some(answer) = answers.recv() => crawl.take(answer),
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

impl Crawl {
    fn now(&self) -> f64 {
        self.began.elapsed().as_secs_f64() / self.day
    }

    /// Is told of pages without having to find them.
    fn discover(&mut self, which: impl Fn(&livingweb::Page) -> bool) {
        let now = self.now();
        let world = self.living.world();
        for number in world.numbers() {
            let page = world.page(number);
            if which(page) {
                let told = Page::new(page.rate * self.day, world.weight(number)).on(HostId(page.host));
                self.scheduler.discover(PageId(number.0), &told, now, None);
            }
        }
    }

    /// Sends for the next page, unless all hosts must be left alone.
    fn send(&mut self) {
        let Some(id) = self.scheduler.draw(self.now()) else { return };
        let world = self.living.world();
        let number = PageNumber(id.0);
        let host = world.page(number).host;
        let url = format!("http://{}{}", self.living.hosts()[host as usize], world.path(number));
        let delay = self.delays[host as usize];
        if delay > 0.0 {
            self.scheduler.close_host(HostId(host), self.now() + delay / self.day);
        }
        let (client, answers) = (self.client.clone(), self.answers.clone());
        let etag = self.etags[id.0 as usize].clone();
        tokio::spawn(async move { _ = answers.send(fetch(client, url, id, etag).await) });
    }

    fn take(&mut self, answer: Answer) {
        let Answer { page, outcome, etag } = answer;
        if etag.is_some() {
            self.etags[page.0 as usize] = etag;
        }
        self.scheduler.record(Visit { page, at: self.now(), outcome });
    }
}

async fn fetch(client: Client, url: String, page: PageId, before: Option<String>) -> Answer {
    let mut request = client.get(url);
    if let Some(etag) = &before {
        request = request.header(IF_NONE_MATCH, etag);
    }
    let failed = Answer { page, outcome: Outcome::Failed, etag: None };
    let Ok(response) = request.send().await else { return failed };
    let (status, etag) = (response.status(), response.headers().get(ETAG));
    let etag = etag.and_then(|etag| Some(etag.to_str().ok()?.to_owned()));
    let outcome = match (status, before.is_some()) {
        (StatusCode::NOT_MODIFIED, _) => Outcome::Unchanged,
        (StatusCode::OK, false) => Outcome::First,
        (StatusCode::OK, true) => Outcome::Changed { last_modified: None },
        (StatusCode::NOT_FOUND | StatusCode::GONE, _) => Outcome::Gone,
        _ => Outcome::Failed,
    };
    if response.bytes().await.is_err() {
        return failed;
    }
    Answer { page, outcome, etag }
}
