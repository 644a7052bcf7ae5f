//! Charts: made here, so that they are there without scripts, with the same in a table for who cannot see them.

use std::fmt::Write;

use maud::{Markup, html};

use crate::output::number::short;
use crate::plot::axis::Axis;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 260.0;
const SIDES: (f64, f64) = (64.0, 628.0);
const ENDS: (f64, f64) = (220.0, 12.0);

/// Rows of the table, at most.
const ROWS: usize = 12;

/// A chart of curves over one axis.
pub(super) struct Chart<'a> {
    /// What it is called; also its name in the page, so that it is the only one of that name.
    pub(super) title: &'a str,
    /// What it says, in a sentence.
    pub(super) summary: String,
    pub(super) x: Across<'a>,
    pub(super) y_label: &'a str,
    pub(super) curves: Vec<Curve<'a>>,
    /// Values of x that are marked, and why.
    pub(super) uprights: Vec<(f64, String)>,
    /// Values of y that are marked, and why.
    pub(super) levels: Vec<(f64, String)>,
}

/// What runs along the chart.
#[derive(Clone, Copy)]
pub(super) enum Across<'a> {
    /// Seconds since 1970, shown as the time before `now`.
    Time { now: f64 },
    /// A number, on a logarithmic scale.
    Logarithmic(&'a str),
    /// A number from 0 on.
    Linear(&'a str),
}

/// A curve. Where nothing is known there is a gap.
pub(super) struct Curve<'a> {
    pub(super) name: &'a str,
    /// Its look in the style sheet.
    pub(super) class: &'a str,
    pub(super) points: Vec<(f64, Option<f64>)>,
    /// Whether it stays where it is until the next point.
    pub(super) steps: bool,
}

impl Across<'_> {
    fn axis(&self, from: f64, to: f64) -> Axis {
        match self {
            Self::Time { .. } => Axis::exact(from, to, SIDES),
            Self::Logarithmic(_) if from > 0.0 => Axis::logarithmic(from, to, SIDES),
            Self::Logarithmic(_) | Self::Linear(_) => Axis::linear(to, SIDES),
        }
    }

    fn label(&self) -> &str {
        match self {
            Self::Time { .. } => "time",
            Self::Logarithmic(label) | Self::Linear(label) => label,
        }
    }

    fn text(&self, value: f64) -> String {
        match self {
            Self::Time { now } if now - value < 1.0 => "now".to_owned(),
            Self::Time { now } => format!("{} ago", crate::output::age::length(now - value)),
            Self::Logarithmic(_) | Self::Linear(_) => short(value),
        }
    }

    fn ticks(&self, axis: &Axis) -> Vec<(f64, String)> {
        let Self::Time { .. } = self else { return axis.ticks() };
        let (from, to) = axis.range();
        (0..=4).map(|n| from + (to - from) * f64::from(n) / 4.0).map(|at| (at, self.text(at))).collect()
    }
}

/// The chart, its legend, and the same as a table.
pub(super) fn draw(chart: &Chart<'_>) -> Markup {
    let name = chart.title.to_lowercase().replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    html! {
        figure .chart {
            figcaption id=(name) { (chart.title) }
            @match extent(chart) {
                Some(extent) => {
                    (picture(chart, extent, &name))
                    ul .legend {
                        @for curve in &chart.curves {
                            li { svg width="22" height="10" aria-hidden="true" { line .(curve.class) x1="0" y1="5" x2="22" y2="5"; } " " (curve.name) }
                        }
                    }
                    p .aside { (chart.summary) }
                    details { summary { "As a table" } (table(chart)) }
                }
                None => { p .aside { "Nothing is known of this yet." } }
            }
        }
    }
}

/// Least and most x, and most y, of all that is drawn.
fn extent(chart: &Chart<'_>) -> Option<(f64, f64, f64)> {
    let known = chart.curves.iter().flat_map(|curve| curve.points.iter().filter_map(|(x, y)| Some((*x, (*y)?))));
    let marked = chart.levels.iter().map(|(y, _)| *y);
    let mut extent: Option<(f64, f64, f64)> = None;
    for (x, y) in known.filter(|(x, y)| x.is_finite() && y.is_finite()) {
        let (from, to, most) = extent.unwrap_or((x, x, y));
        extent = Some((from.min(x), to.max(x), most.max(y)));
    }
    extent.map(|(from, to, most)| (from, to, marked.fold(most, f64::max)))
}

fn picture(chart: &Chart<'_>, (from, to, most): (f64, f64, f64), name: &str) -> Markup {
    let (x, y) = (chart.x.axis(from, to), Axis::linear(most, ENDS));
    let view = format!("0 0 {WIDTH} {HEIGHT}");
    html! {
        svg viewBox=(view) role="img" aria-labelledby=(name) {
            (frame(chart, &x, &y))
            @for (value, label) in &chart.levels {
                @let at = y.place(*value);
                line .level x1=(SIDES.0) x2=(SIDES.1) y1=(at) y2=(at);
                text x=(SIDES.1) y=(at - 3.0) text-anchor="end" { (label) }
            }
            @for (value, label) in &chart.uprights {
                @let at = x.place(*value);
                line .level x1=(at) x2=(at) y1=(ENDS.0) y2=(ENDS.1);
                text x=(at + 4.0) y=(ENDS.1 + 10.0) { (label) }
            }
            @for curve in &chart.curves {
                path .(curve.class) d=(path(curve, &x, &y)) { title { (curve.name) } }
            }
        }
    }
}

fn frame(chart: &Chart<'_>, x: &Axis, y: &Axis) -> Markup {
    html! {
        @for (value, text) in y.ticks() {
            @let at = y.place(value);
            line .grid x1=(SIDES.0) x2=(SIDES.1) y1=(at) y2=(at);
            text x=(SIDES.0 - 6.0) y=(at + 4.0) text-anchor="end" { (text) }
        }
        @for (value, text) in chart.x.ticks(x) {
            @let at = x.place(value);
            line .grid x1=(at) x2=(at) y1=(ENDS.0) y2=(ENDS.0 + 4.0);
            text x=(at) y=(ENDS.0 + 18.0) text-anchor="middle" { (text) }
        }
        text x=((SIDES.0 + SIDES.1) / 2.0) y=(HEIGHT - 6.0) text-anchor="middle" { (chart.x.label()) }
        text transform=(format!("translate(12 {}) rotate(-90)", (ENDS.0 + ENDS.1) / 2.0)) text-anchor="middle" {
            (chart.y_label)
        }
    }
}

/// The line through all points that are known, with gaps where they are not.
fn path(curve: &Curve<'_>, x: &Axis, y: &Axis) -> String {
    let (mut line, mut pen_down) = (String::new(), false);
    for (at, value) in &curve.points {
        let Some(value) = value.filter(|value| value.is_finite()) else {
            pen_down = false;
            continue;
        };
        let place = (x.place(*at), y.place(value));
        // Writing into a text does not fail.
        _ = match (pen_down, curve.steps) {
            (false, _) => write!(line, "M{:.1} {:.1}", place.0, place.1),
            (true, false) => write!(line, "L{:.1} {:.1}", place.0, place.1),
            (true, true) => write!(line, "H{:.1}V{:.1}", place.0, place.1),
        };
        pen_down = true;
    }
    line
}

/// The same in numbers: some points of all curves.
fn table(chart: &Chart<'_>) -> Markup {
    let xs: Vec<f64> = chart.curves.first().map_or(Vec::new(), |curve| curve.points.iter().map(|(x, _)| *x).collect());
    let every = xs.len().div_ceil(ROWS).max(1);
    let rows = (0..xs.len()).rev().step_by(every).collect::<Vec<_>>();
    let cell = |curve: &Curve<'_>, row: usize| {
        let value = curve.points.get(row).and_then(|(_, y)| *y);
        value.map_or_else(|| "unknown".to_owned(), |value| short((value * 1e4).round() / 1e4))
    };
    html! {
        div .scroll {
            table {
                caption .hidden { (chart.title) }
                thead { tr {
                    th scope="col" { (chart.x.label()) }
                    @for curve in &chart.curves { th .number scope="col" { (curve.name) } }
                } }
                tbody {
                    @for row in rows.iter().rev() {
                        tr {
                            th scope="row" { (chart.x.text(xs[*row])) }
                            @for curve in &chart.curves { td .number { (cell(curve, *row)) } }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, Option<f64>)>) -> String {
        let curve = Curve { name: "a < b", class: "s0", points, steps: false };
        let levels = vec![(8.0, "full".to_owned())];
        let (title, summary) = ("How \"stale\"", String::new());
        let x = Across::Linear("x");
        draw(&Chart { title, summary, x, y_label: "y", curves: vec![curve], uprights: Vec::new(), levels })
            .into_string()
    }

    #[test]
    fn gaps_are_gaps() {
        let text =
            chart(vec![(0.0, Some(1.0)), (1.0, Some(2.0)), (2.0, None), (3.0, Some(f64::NAN)), (4.0, Some(4.0))]);
        let line = text.split(" d=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(line.matches('M').count(), 2, "{line}");
        assert_eq!(line.matches('L').count(), 1, "{line}");
        assert!(text.contains("unknown") && text.contains("a &lt; b") && !text.contains("a < b"));
        assert!(text.contains(">full<") && text.contains(">8<"), "the axis has room for what is marked");
    }

    #[test]
    fn nothing_is_said_of_nothing() {
        for points in [vec![], vec![(0.0, None)]] {
            assert!(chart(points).contains("Nothing is known"));
        }
    }
}
