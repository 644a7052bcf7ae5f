//! What signals are worth to the index policy, on a small web that changes.

use super::population::{Rates, rates, weights};
use crate::learn::{Evidence, Forgetting, Observation, Prior, SignalIndex, SignalLearner, SignalModel};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Exp1};
use rand_pcg::Pcg64;

const PAGES: usize = 200;
const HORIZON: f64 = 24.0;
/// Measuring starts here, so that learners have seen some visits.
const WARM: f64 = 5.0;
/// Accesses per unit of time: one per page and mean time between changes.
const BUDGET: f64 = PAGES as f64;
/// A page's priority is computed anew when something happens to it, and every so many accesses.
const REFRESH: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Use {
    Ignored,
    /// Recall, false rate and change rates are known.
    Known,
    /// Recall and false rate are learned.
    Learned,
    /// Pages with a signal come first.
    Priority,
}

#[derive(Clone, Copy)]
struct Event {
    at: f64,
    page: usize,
    change: bool,
    signal: bool,
}

struct Web {
    rates: Vec<f64>,
    weights: Vec<f64>,
    model: SignalModel,
    events: Vec<Event>,
}

impl Web {
    /// Every page has the same false rate, so that on average this share of the signals is true.
    fn new(recall: f64, precision: f64, seed: u64) -> Self {
        Self::with_liars(recall, precision, 1.0, seed)
    }

    /// The same number of false signals, but only a share of the pages has them.
    fn with_liars(recall: f64, precision: f64, liars: f64, seed: u64) -> Self {
        let mut rng = Pcg64::seed_from_u64(seed);
        let (rates, weights) = (rates(Rates::LogNormal, PAGES, &mut rng), weights(PAGES, &mut rng));
        let mean = rates.iter().sum::<f64>() / PAGES as f64;
        let model = SignalModel::new(recall, recall * mean * (1.0 - precision) / precision).unwrap();
        let mut events = Vec::new();
        for (page, mu) in rates.iter().enumerate() {
            let lies = (page as f64) < liars * PAGES as f64;
            let nu = if lies { model.false_rate() / liars } else { 0.0 };
            let total = mu + nu;
            let mut at = 0.0;
            loop {
                at += Distribution::<f64>::sample(&Exp1, &mut rng) / total;
                if at > HORIZON {
                    break;
                }
                let change = rng.random::<f64>() * total < *mu;
                let signal = !change || rng.random::<f64>() < recall;
                events.push(Event { at, page, change, signal });
            }
        }
        events.sort_by(|a, b| a.at.total_cmp(&b.at));
        Self { rates, weights, model, events }
    }
}

#[derive(Clone, Copy, Default)]
struct Page {
    visited: f64,
    signals: u32,
    evidence: Evidence,
    stale_since: Option<f64>,
    priority: f64,
}

fn prior() -> Prior {
    Prior::new(0.6, 1.0).unwrap()
}

/// The policy at work: accesses at even times, each to the page of the largest priority. Returns the weighted stale
/// time.
struct Run<'a> {
    web: &'a Web,
    mode: Use,
    rates_known: bool,
    pages: Vec<Page>,
    learner: SignalLearner,
    believed: SignalModel,
}

impl<'a> Run<'a> {
    fn stale_cost(web: &'a Web, mode: Use, rates_known: bool) -> f64 {
        let believed = if mode == Use::Known { web.model } else { SignalModel::USELESS };
        let mut run = Self {
            web,
            mode,
            rates_known,
            pages: vec![Page::default(); PAGES],
            learner: SignalLearner::new(),
            believed,
        };
        let mut events = web.events.iter().peekable();
        let mut cost = 0.0;
        for step in 1..(HORIZON * BUDGET) as usize {
            let now = step as f64 / BUDGET;
            while let Some(event) = events.next_if(|event| event.at <= now) {
                run.happens(*event);
            }
            (0..PAGES).filter(|i| i % REFRESH == step % REFRESH).for_each(|i| run.refresh(i, now));
            cost += run.visit(now);
        }
        cost / (HORIZON - WARM) / web.weights.iter().sum::<f64>()
    }

    fn happens(&mut self, event: Event) {
        let page = &mut self.pages[event.page];
        if event.change && page.stale_since.is_none() {
            page.stale_since = Some(event.at);
        }
        if event.signal {
            page.signals += 1;
            self.refresh(event.page, event.at);
        }
    }

    fn rate(&self, i: usize) -> f64 {
        if self.rates_known { self.web.rates[i] } else { self.pages[i].evidence.estimate(&prior()).mean() }
    }

    fn refresh(&mut self, i: usize, now: f64) {
        let index = SignalIndex::new(self.web.weights[i], self.believed.page(self.rate(i)));
        let page = &mut self.pages[i];
        let first = if self.mode == Use::Priority && page.signals > 0 { 1e9 } else { 0.0 };
        page.priority = first + index.value_at(now - page.visited, page.signals);
    }

    fn visit(&mut self, now: f64) -> f64 {
        let i = (0..PAGES).max_by(|&a, &b| self.pages[a].priority.total_cmp(&self.pages[b].priority)).unwrap();
        let page = self.pages[i];
        let (tau, changed) = (now - page.visited, page.stale_since.is_some());
        self.learner.record(self.rate(i), tau, page.signals, changed);
        let mut evidence = page.evidence;
        let seen = if changed { Observation::Changed } else { Observation::Unchanged };
        evidence.record_signalled(tau, (page.signals, seen), &self.believed, &prior(), Forgetting::Never);
        if self.mode == Use::Learned {
            self.believed = self.learner.model();
        }
        self.pages[i] = Page { visited: now, evidence, ..Page::default() };
        self.refresh(i, now);
        page.stale_since.map_or(0.0, |since| self.web.weights[i] * (now - since.max(WARM)).max(0.0))
    }
}

/// Cost with signals over cost without, less one, on the same webs: mean and standard error.
fn loss(webs: impl Iterator<Item = Web>, mode: Use, rates_known: bool) -> (f64, f64) {
    let ratio =
        |web: Web| Run::stale_cost(&web, mode, rates_known) / Run::stale_cost(&web, Use::Ignored, rates_known) - 1.0;
    let ratios: Vec<f64> = webs.map(ratio).collect();
    let n = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / n;
    let variance = ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

fn webs(recall: f64, precision: f64) -> impl Iterator<Item = Web> {
    (1000..1003).map(move |seed| Web::new(recall, precision, seed))
}

/// Two standard errors above no loss.
fn assert_no_loss((mean, error): (f64, f64), what: &str) {
    assert!(mean <= 2.0 * error, "{what}: {mean} +- {error}");
    assert!(error < 0.05, "{what}: too noisy to tell, {error}");
}

/// Signals that mostly lie never make things worse than ignoring them.
#[test]
fn f25_known_signals_never_cost() {
    for precision in [0.05, 0.2, 0.5] {
        for recall in [0.3, 0.6, 0.9] {
            assert_no_loss(loss(webs(recall, precision), Use::Known, true), &format!("known {precision} {recall}"));
        }
    }
}

/// Nor do they when nobody knows how much they lie, nor when the change rates are learned besides.
#[test]
fn f25_learned_signals_never_cost() {
    for precision in [0.05, 0.2, 0.5] {
        for recall in [0.3, 0.6, 0.9] {
            assert_no_loss(loss(webs(recall, precision), Use::Learned, true), &format!("learned {precision} {recall}"));
        }
    }
    for recall in [0.3, 0.9] {
        assert_no_loss(loss(webs(recall, 0.2), Use::Learned, false), &format!("all learned {recall}"));
    }
}

/// Not even when a tenth of the pages has all the false signals, which the model does not foresee.
#[test]
fn f25_learned_signals_of_a_few_liars_never_cost() {
    let webs = (1..4).map(|seed| Web::with_liars(0.6, 0.2, 0.1, seed));
    assert_no_loss(loss(webs, Use::Learned, true), "liars");
}

/// Signals that are mostly true save much, or the tests above would say nothing.
#[test]
fn f25_good_signals_save() {
    for (mode, rates_known) in [(Use::Known, true), (Use::Learned, true), (Use::Learned, false)] {
        let (mean, error) = loss(webs(0.6, 0.9), mode, rates_known);
        assert!(mean + 5.0 * error < -0.25, "{mode:?}: {mean} +- {error}");
    }
}

/// Signals first, whatever they are worth: when more come than can be followed it is worse than ignoring them.
#[test]
fn absolute_priority_costs_when_signals_exceed_the_budget() {
    let webs = (1000..1010).map(|seed| Web::new(0.3, 0.2, seed));
    let (mean, error) = loss(webs, Use::Priority, true);
    assert!(mean - 3.0 * error > 0.05, "{mean} +- {error}");
}
