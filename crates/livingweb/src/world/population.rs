//! Which pages are there?

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_distr::{Exp1, StandardNormal};
use rand_pcg::Pcg64Mcg;

use super::Page;
use super::weights;
use crate::prose;
use crate::random::{Stream, rng};
use crate::settings::{Changes, MOST_RATE, RateLaw, Settings};

/// Rates relative to the least are cut off here.
const LARGEST_RATIO: f64 = 1_000.0;

/// Pages on a list, at least.
const LIST: usize = 20;

/// All pages there ever are, and the weight of each class.
pub(super) fn pages(settings: &Settings) -> (Vec<Page>, Vec<f64>) {
    let mut pages = match &settings.changes {
        Changes::Replayed(_) => recorded(settings),
        _ => drawn(settings),
    };
    for number in 0..settings.replacements.len() {
        replace(&mut pages, settings, number);
    }
    let classes = weights::classes(&mut pages, settings);
    (pages, classes)
}

fn drawn(settings: &Settings) -> Vec<Page> {
    let scale = scale(settings);
    let place = Places::new(settings);
    (0..settings.page_count()).map(|i| page(settings, i, rate(settings, i, scale), place.of(i))).collect()
}

fn recorded(settings: &Settings) -> Vec<Page> {
    let Changes::Replayed(lives) = &settings.changes else { return Vec::new() };
    let place = Places::new(settings);
    let end = lives.iter().flat_map(|life| life.changes.last().copied()).fold(0.0, f64::max);
    let of_life = |(i, life): (usize, &crate::settings::Life)| {
        let time = life.until.min(end) - life.from;
        let rate = if time > 0.0 { life.changes.len() as f64 / time } else { 0.0 };
        Page { from: life.from, until: life.until, ..page(settings, i, rate, place.of(i)) }
    };
    lives.iter().enumerate().map(of_life).collect()
}

/// Pages in turn to hosts, and those of a host to its lists: both the root and the lists have about `sqrt(pages)` links.
struct Places {
    hosts: usize,
    list: usize,
}

impl Places {
    fn new(settings: &Settings) -> Self {
        let hosts = settings.hosts as usize;
        let on_host = settings.page_count().div_ceil(hosts);
        Self { hosts, list: ((on_host as f64).sqrt().ceil() as usize).max(LIST) }
    }

    fn of(&self, page: usize) -> (u32, u32) {
        ((page % self.hosts) as u32, (page / self.hosts / self.list) as u32)
    }
}

fn page(settings: &Settings, number: usize, rate: f64, (host, list): (u32, u32)) -> Page {
    let (least, largest) = (f64::from(settings.sizes.0), f64::from(settings.sizes.1));
    let position = rng(settings.seed, Stream::Sizes, number as u64, 0).random::<f64>();
    let size = least * (largest / least).powf(position);
    let paragraphs = prose::paragraphs_for(size);
    Page { host, list, rate, class: 0, from: 0.0, until: f64::INFINITY, paragraphs }
}

/// What makes the mean of the rates at the start what it should be.
fn scale(settings: &Settings) -> f64 {
    if matches!(settings.rates, RateLaw::Given(_)) {
        return 1.0;
    }
    let count = settings.page_count();
    let sum: f64 = (0..count).map(|i| relative_rate(settings, i)).sum();
    count as f64 / sum / settings.mean_interval
}

fn rate(settings: &Settings, number: usize, scale: f64) -> f64 {
    (relative_rate(settings, number) * scale).min(MOST_RATE)
}

fn relative_rate(settings: &Settings, number: usize) -> f64 {
    let mut rng = rng(settings.seed, Stream::Rates, number as u64, 0);
    // Never 0, or the sum could be.
    let uniform = |rng: &mut Pcg64Mcg| 1.0 - rng.random::<f64>();
    match &settings.rates {
        RateLaw::Equal => 1.0,
        RateLaw::Uniform => uniform(&mut rng),
        RateLaw::Exponential => rng.sample::<f64, _>(Exp1).max(f64::MIN_POSITIVE),
        RateLaw::LogNormal { sigma } => (sigma * rng.sample::<f64, _>(StandardNormal)).exp(),
        RateLaw::Pareto { alpha } => uniform(&mut rng).powf(-1.0 / alpha).min(LARGEST_RATIO),
        RateLaw::Given(rates) if number < rates.len() => rates[number],
        RateLaw::Given(rates) => rates[rng.random_range(0..rates.len())],
    }
}

/// Some pages go, and as many others take their places on their lists.
fn replace(pages: &mut Vec<Page>, settings: &Settings, number: usize) {
    let replacement = settings.replacements[number];
    let mut alive: Vec<usize> = (0..pages.len()).filter(|i| pages[*i].is_alive(replacement.at)).collect();
    alive.shuffle(&mut rng(settings.seed, Stream::Replacements, number as u64, 0));
    alive.truncate((replacement.share * alive.len() as f64).round() as usize);
    let scale = scale(settings);
    for gone in alive {
        pages[gone].until = replacement.at;
        let (new, place) = (pages.len(), (pages[gone].host, pages[gone].list));
        let rate = rate(settings, new, scale);
        pages.push(Page { from: replacement.at, ..page(settings, new, rate, place) });
    }
}
