//! Law C-20: no policy of any kind costs less than this.
//!
//! The cost is `J = G + a N/D`. A policy with `N/D = t` has `J = G + a t` and `N - t D = 0`, so for every `y`
//! `J = G + y (N - t D) + a t >= h(t, y) = min (G + y (N - t D)) + a t`, a decision process with fixed rates. As a least value of
//! linear functions `h` is concave in `t` and in `y`: on an interval of `t` it is least at an end, and the best `y` is found by
//! tangents. Halving intervals of `t` closes the gap to second order in their width.

use super::averages::{Averages, prices};
use super::iteration::{Allowed, Iterated, minimise};
use super::passage::evaluate;
use super::process::{Choices, Process};
use crate::model::Model;

/// A decision process whose prices can be chosen.
pub(crate) trait Probing {
    /// What is kept of a policy.
    type Policy;

    fn model(&self) -> &Model;

    /// No policy has less of `G + y (N - t D)` on average than the first result, which is certified; the second is a policy that
    /// comes near it.
    fn probe(&mut self, y: f64, t: f64) -> (f64, Option<Met<Self::Policy>>);
}

/// A policy that was met, with the parts of its cost `G + a N/D`.
pub(crate) struct Met<P> {
    /// `G`.
    pub(crate) linear: f64,
    /// `N`.
    pub(crate) pages: f64,
    /// `D`.
    pub(crate) served: f64,
    pub(crate) policy: P,
}

impl<P> Met<P> {
    fn cost(&self, model: &Model) -> f64 {
        self.linear + model.costs().sojourn * self.pages / self.served
    }
}

/// What the search for a bound knows.
pub(crate) struct Bounding<D: Probing> {
    problem: D,
    y: f64,
    /// The cheapest policy met, with its cost.
    pub(crate) best: Option<(f64, Met<D::Policy>)>,
    /// A cost that mixtures of policies are known to reach.
    pub(crate) reached: f64,
    /// Relative accuracy.
    accuracy: f64,
}

/// Dense blocks, on which policies that see the whole state are iterated.
pub(crate) struct Dense<'p, 'a> {
    process: &'p Process<'a>,
    allowed: &'p Allowed<'p>,
    /// Where the next policy iteration starts.
    choices: Choices,
}

impl<'p, 'a> Dense<'p, 'a> {
    pub(crate) fn new(process: &'p Process<'a>, allowed: &'p Allowed<'p>, start: &Choices) -> Self {
        Self { process, allowed, choices: allowed.admit(start) }
    }
}

impl Probing for Dense<'_, '_> {
    type Policy = (Averages, Choices);

    fn model(&self) -> &Model {
        self.process.model()
    }

    fn probe(&mut self, y: f64, t: f64) -> (f64, Option<Met<Self::Policy>>) {
        let costs = *self.process.model().costs();
        let Iterated { gain, choices, .. } = minimise(self.process, &prices(&costs, y, t), self.allowed, &self.choices);
        self.choices = choices;
        let met = evaluate(self.process, &self.choices).map(|averages| Met {
            linear: averages.linear_cost(&costs),
            pages: averages.pages,
            served: averages.served,
            policy: (averages, self.choices.clone()),
        });
        (gain, met)
    }
}

/// A piece of the range of `t` and a lower bound for policies in it.
struct Interval {
    from: f64,
    to: f64,
    lower: f64,
}

/// `h(t, y) <= value + slope (y' - y)` at any `y'`.
struct Tangent {
    y: f64,
    value: f64,
    slope: f64,
}

impl Tangent {
    fn at(&self, y: f64) -> f64 {
        self.value + self.slope * (y - self.y)
    }
}

/// Tangents tried for one interval.
const MOST_TANGENTS: usize = 12;

impl<D: Probing> Bounding<D> {
    pub(crate) fn new(problem: D, accuracy: f64) -> Self {
        Self { problem, y: 0.0, best: None, reached: f64::INFINITY, accuracy }
    }

    /// The price of the mean time in the system.
    fn a(&self) -> f64 {
        self.problem.model().costs().sojourn
    }

    /// A lower bound on the cost of all policies with the allowed modes, or `known` if that is less: the search ends as soon as
    /// nothing below `known` is left, when the bound is within its accuracy of what is reached, or after `most` splits.
    pub(crate) fn lower(&mut self, known: f64, most: usize) -> f64 {
        let a = self.a();
        let (linear, met) = self.probe(0.0, 0.0);
        if a == 0.0 {
            return linear.min(known);
        }
        self.y = met.map_or(a, |[_, served]| a / served);
        let known = known.min(self.reached);
        // Every page indexed stays at least as long as it takes to index it.
        let (from, to) = (self.problem.model().service().mean(), (known - linear) / a);
        if to <= from {
            return known;
        }
        let lower = self.dual(from, to, known).max(linear + a * from);
        let mut open = vec![Interval { from, to, lower }];
        for _ in 0..most {
            let goal = known.min(self.reached);
            let least = (0..open.len()).min_by(|i, j| open[*i].lower.total_cmp(&open[*j].lower)).unwrap_or(0);
            if open[least].lower >= goal - self.accuracy * goal.abs() {
                break;
            }
            let split = open.swap_remove(least);
            self.split(&split, known, &mut open);
        }
        open.iter().map(|piece| piece.lower).fold(known, f64::min)
    }

    fn split(&mut self, piece: &Interval, known: f64, open: &mut Vec<Interval>) {
        let width = piece.to - piece.from;
        let nearby = self.best.as_ref().map_or(0.0, |(_, met)| met.pages / met.served);
        let inside = nearby > piece.from && nearby < piece.to;
        let middle = piece.from + width * if inside { ((nearby - piece.from) / width).clamp(0.1, 0.9) } else { 0.5 };
        self.dual(middle, middle, f64::INFINITY);
        for (from, to) in [(piece.from, middle), (middle, piece.to)] {
            let goal = known.min(self.reached);
            open.push(Interval { from, to, lower: self.dual(from, to, goal).max(piece.lower) });
        }
    }

    /// The certified least average of `G + y (N - t D)`, and `N` and `D` of the policy that comes near it.
    fn probe(&mut self, y: f64, t: f64) -> (f64, Option<[f64; 2]>) {
        let (gain, met) = self.problem.probe(y, t);
        let rates = met.as_ref().map(|met| [met.pages, met.served]);
        if let Some(met) = met {
            let cost = met.cost(self.problem.model());
            self.reached = self.reached.min(cost);
            if self.best.as_ref().is_none_or(|(least, _)| cost < *least) {
                self.best = Some((cost, met));
            }
        }
        (gain, rates)
    }

    fn tangent(&mut self, y: f64, t: f64) -> Tangent {
        let (gain, rates) = self.probe(y, t);
        let slope = rates.map_or(0.0, |[pages, served]| pages - t * served);
        Tangent { y, value: gain + self.a() * t, slope }
    }

    /// Near the optimum `y = a/D`, and no more pages are indexed than one after the other.
    fn least_y(&self) -> f64 {
        self.a() * self.problem.model().service().mean()
    }

    /// `max_y min(h(from, y), h(to, y))` from below; stops once it is at least `enough`. For one point also improves `reached`:
    /// a mixture of policies reaches the meeting point of tangents.
    fn dual(&mut self, from: f64, to: f64, enough: f64) -> f64 {
        self.y = self.y.max(self.least_y());
        let mut tangents: Vec<Tangent> = Vec::new();
        let mut lower = f64::NEG_INFINITY;
        for _ in 0..MOST_TANGENTS {
            let y = self.y;
            let first = self.tangent(y, from);
            let mut value = first.value;
            tangents.push(first);
            if to > from {
                let second = self.tangent(y, to);
                value = value.min(second.value);
                tangents.push(second);
            }
            lower = f64::max(lower, value);
            if lower >= enough {
                break;
            }
            let (next, upper) = highest(&tangents, self.least_y());
            if upper - lower <= 0.1 * self.accuracy * lower.abs() {
                if to == from {
                    self.reached = self.reached.min(upper);
                }
                break;
            }
            self.y = next;
        }
        lower
    }
}

/// Where the least of the tangents is highest, and how high; while all rise, a step further, of at least `step`.
fn highest(tangents: &[Tangent], step: f64) -> (f64, f64) {
    let least = |y: f64| tangents.iter().map(|t| t.at(y)).fold(f64::INFINITY, f64::min);
    let rising = || tangents.iter().filter(|t| t.slope > 0.0);
    let falling = || tangents.iter().filter(|t| t.slope <= 0.0);
    let far = tangents.iter().map(|t| t.y).fold(0.0, f64::max);
    if falling().next().is_none() {
        return (2.0 * far.max(step), f64::INFINITY);
    }
    let meet = |a: &Tangent, b: &Tangent| (b.at(0.0) - a.at(0.0)) / (a.slope - b.slope);
    let crossings = rising().flat_map(|a| falling().map(move |b| meet(a, b)));
    let candidates = crossings.chain([0.0]).filter(|y| *y >= 0.0);
    let best = candidates.map(|y| (y, least(y))).max_by(|a, b| a.1.total_cmp(&b.1));
    best.unwrap_or((0.0, least(0.0)))
}
