//! Charts: made here, so that they are there without scripts, with the same in a table for who cannot see them.

use std::fmt::Write;

use maud::{Markup, html};

use crate::output::number::short;
use crate::plot::axis::Axis;

/// Not wider, so that letters can still be read on a phone.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 240.0;
const SIDES: (f64, f64) = (60.0, 466.0);
const ENDS: (f64, f64) = (194.0, 14.0);

/// Room that a line of text takes.
const LINE: f64 = 16.0;

/// The unit of parts.
pub(super) const PER_CENT: &str = " %";

/// Ticks across, at most.
const MOST_TICKS: usize = 8;

/// Rows of the table, at most, and where there are steps.
const ROWS: usize = 12;
const MOST_STEPS: usize = 100;

/// A chart of curves over one axis.
pub(super) struct Chart<'a> {
    /// What it is called; also its name in the page, so that it is the only one of that name.
    pub(super) title: &'a str,
    /// What it says, in a sentence.
    pub(super) summary: String,
    pub(super) x: Across<'a>,
    /// What is drawn, and in which unit.
    pub(super) y_label: &'a str,
    pub(super) unit: &'a str,
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
            Self::Time { now } if now - value < 2.0 => "now".to_owned(),
            Self::Time { now } => format!("{} ago", crate::output::age::length(now - value)),
            Self::Logarithmic(_) | Self::Linear(_) => short(value),
        }
    }

    /// Finer, so that no two rows of a table have the same.
    fn exact_text(&self, value: f64) -> String {
        match self {
            Self::Time { now } if now - value >= 2.0 => format!("{} ago", exact_length(now - value)),
            _ => self.text(value),
        }
    }

    /// Values that get a tick, with their text: no more than there is room for.
    fn ticks(&self, axis: &Axis) -> Vec<(f64, String)> {
        let Self::Time { .. } = self else {
            let ticks = axis.ticks();
            let every = ticks.len().div_ceil(MOST_TICKS);
            return ticks.into_iter().step_by(every.max(1)).collect();
        };
        let (from, to) = axis.range();
        (0..=3).map(|n| from + (to - from) * f64::from(n) / 3.0).map(|at| (at, self.text(at))).collect()
    }
}

/// A length of time in two units.
fn exact_length(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    let two = |large: u64, name: &str, small: u64, rest: &str| match (seconds / large, seconds % large / small) {
        (count, 0) => format!("{count} {name}"),
        (count, more) => format!("{count} {name} {more} {rest}"),
    };
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3_600 => two(60, "min", 1, "s"),
        3_600..86_400 => two(3_600, "h", 60, "min"),
        _ => two(86_400, "d", 3_600, "h"),
    }
}

/// The chart, its legend, and the same as a table.
pub(super) fn draw(chart: &Chart<'_>) -> Markup {
    let name = chart.title.to_lowercase().replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    html! {
        figure .chart {
            figcaption { h2 id=(name) { (chart.title) } p .aside { (chart.y_label) } }
            @match extent(chart) {
                Some(extent) => {
                    (picture(chart, extent, &name))
                    div .beside {
                        ul .legend { @for curve in &chart.curves { li { (entry(chart, curve)) } } }
                        p .aside { (chart.summary) }
                        details { summary { "As a table" } (table(chart)) }
                    }
                }
                None => { p .aside { "Nothing is known of this yet." } }
            }
        }
    }
}

/// What a curve is, and over time where it has come to.
fn entry(chart: &Chart<'_>, curve: &Curve<'_>) -> Markup {
    let is_time = matches!(chart.x, Across::Time { .. });
    let last = curve.points.iter().rev().find_map(|(_, y)| *y).filter(|_| is_time);
    html! {
        svg width="26" height="10" aria-hidden="true" { line .(curve.class) x1="0" y1="5" x2="26" y2="5" {} }
        span { (curve.name) }
        @if let Some(last) = last { strong { (rounded(last, chart.unit)) (chart.unit) } }
    }
}

fn rounded(value: f64, unit: &str) -> String {
    if unit == PER_CENT && value >= 1.0 { format!("{value:.1}") } else { short((value * 100.0).round() / 100.0) }
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
    // Where all is below one per cent there is nothing to see but that.
    let most = if chart.unit == PER_CENT { most.max(1.0) } else { most };
    let (x, y) = (chart.x.axis(from, to), Axis::linear(most, ENDS));
    let view = format!("0 0 {WIDTH} {HEIGHT}");
    html! {
        svg .picture viewBox=(view) role="img" aria-labelledby=(name) {
            (frame(chart, &x, &y))
            // Below the curves, so that their words cover none.
            (levels(chart, &y))
            @for curve in &chart.curves {
                path .(curve.class) d=(path(curve, &x, &y)) { title { (curve.name) } }
            }
            (uprights(chart, &x))
        }
    }
}

/// Values of y that are marked. Where they are close only the uppermost has room for words.
fn levels(chart: &Chart<'_>, y: &Axis) -> Markup {
    let places: Vec<f64> = chart.levels.iter().map(|(value, _)| y.place(*value)).collect();
    let has_room = |at: f64| !places.iter().any(|other| *other < at && *other > at - LINE);
    html! {
        @for ((_, label), at) in chart.levels.iter().zip(&places) {
            line .level x1=(SIDES.0) x2=(SIDES.1) y1=(at) y2=(at) {}
            @if has_room(*at) { text x=(SIDES.1) y=(at - 3.0) text-anchor="end" { (label) } }
        }
    }
}

/// Values of x that are marked, their words one below the other.
fn uprights(chart: &Chart<'_>, x: &Axis) -> Markup {
    html! {
        @for (place, (value, label)) in chart.uprights.iter().enumerate() {
            @let at = x.place(*value);
            @let is_left = at < (SIDES.0 + SIDES.1) / 2.0;
            line .level x1=(at) x2=(at) y1=(ENDS.0) y2=(ENDS.1) {}
            text x=(if is_left { at + 4.0 } else { at - 4.0 }) y=(ENDS.1 + 11.0 + LINE * place as f64)
                text-anchor=(if is_left { "start" } else { "end" }) { (label) }
        }
    }
}

fn frame(chart: &Chart<'_>, x: &Axis, y: &Axis) -> Markup {
    html! {
        @for (value, text) in y.ticks() {
            @let at = y.place(value);
            line .grid x1=(SIDES.0) x2=(SIDES.1) y1=(at) y2=(at) {}
            text x=(SIDES.0 - 6.0) y=(at + 4.0) text-anchor="end" { (text) (chart.unit) }
        }
        @for (value, text) in chart.x.ticks(x) {
            @let at = x.place(value);
            @let anchor = if at > SIDES.1 - LINE { "end" } else { "middle" };
            line .grid x1=(at) x2=(at) y1=(ENDS.0) y2=(ENDS.0 + 4.0) {}
            text x=(at) y=(ENDS.0 + 18.0) text-anchor=(anchor) { (text) }
        }
        @if !matches!(chart.x, Across::Time { .. }) {
            text x=((SIDES.0 + SIDES.1) / 2.0) y=(HEIGHT - 6.0) text-anchor="middle" { (chart.x.label()) }
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
    let rows = rows(chart, xs.len());
    let cell = |curve: &Curve<'_>, row: usize| {
        let value = curve.points.get(row).and_then(|(_, y)| *y);
        value.map_or_else(|| "unknown".to_owned(), |value| format!("{}{}", rounded(value, chart.unit), chart.unit))
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
                    @for row in &rows {
                        tr {
                            th scope="row" { (chart.x.exact_text(xs[*row])) }
                            @for curve in &chart.curves { td .number { (cell(curve, *row)) } }
                        }
                    }
                }
            }
        }
    }
}

/// The points that are told: where steps are, or some that are equally far apart up to the last.
fn rows(chart: &Chart<'_>, count: usize) -> Vec<usize> {
    let is_step = |row: &usize| {
        let differs =
            |curve: &Curve<'_>| row.checked_sub(1).is_none_or(|last| curve.points[*row].1 != curve.points[last].1);
        *row + 1 == count || chart.curves.iter().any(differs)
    };
    if chart.curves.iter().all(|curve| curve.steps && curve.points.len() == count) {
        return (0..count).filter(is_step).take(MOST_STEPS).collect();
    }
    let mut rows: Vec<usize> = (0..count).rev().step_by(count.div_ceil(ROWS).max(1)).collect();
    rows.reverse();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, Option<f64>)>) -> String {
        let curve = Curve { name: "a < b", class: "s0", points, steps: false };
        let levels = vec![(8.0, "full".to_owned())];
        let (title, summary) = ("How \"stale\"", String::new());
        let (x, y_label, unit) = (Across::Linear("x"), "y", PER_CENT);
        draw(&Chart { title, summary, x, y_label, unit, curves: vec![curve], uprights: Vec::new(), levels })
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
        assert!(text.contains(">full<") && text.contains(">8 %<"), "the axis has room for what is marked");
    }

    /// In a page the end of an element of a picture is not told by what follows.
    #[test]
    fn everything_that_is_drawn_has_an_end() {
        let text = chart(vec![(0.0, Some(1.0)), (9.0, Some(2.0))]);
        for element in ["line", "path", "text", "svg"] {
            let begun = text.matches(&format!("<{element} ")).count();
            assert!(begun > 0 && begun == text.matches(&format!("</{element}>")).count(), "{element}: {text}");
        }
    }

    #[test]
    fn levels_that_are_close_share_no_words() {
        let level = |value: f64| (value, format!("from {value}"));
        let levels = [1.0, 1.2, 1.4, 5.0, 9.9].map(level).into();
        let curves = vec![Curve { name: "a", class: "s0", points: vec![(0.0, Some(10.0))], steps: false }];
        let (x, summary) = (Across::Linear("x"), String::new());
        let drawn = draw(&Chart { title: "t", summary, x, y_label: "y", unit: "", curves, uprights: vec![], levels });
        let words: Vec<bool> =
            [1.0, 1.2, 1.4, 5.0, 9.9].map(|value| drawn.0.contains(&format!(">from {value}<"))).into();
        assert_eq!(words, [false, false, true, true, true]);
    }

    #[test]
    fn tables_have_all_steps_units_and_no_time_twice() {
        let robots = |documents: usize| [4.0, 4.0, 2.0, 0.0].get(documents).copied().unwrap_or(0.0);
        let points = (0..65).map(|documents| (documents as f64, Some(robots(documents)))).collect();
        let curves = vec![Curve { name: "robots", class: "s0", points, steps: true }];
        let drawn = |x, unit, curves| {
            let (title, summary, y_label) = ("t", String::new(), "y");
            draw(&Chart { title, summary, x, y_label, unit, curves, uprights: vec![], levels: vec![] }).into_string()
        };
        let heads = |text: &str| -> Vec<String> {
            let rows = text.split("<th scope=\"row\">").skip(1);
            rows.map(|row| row.split('<').next().unwrap().to_owned()).collect()
        };
        assert_eq!(heads(&drawn(Across::Linear("documents"), "", curves)), ["0", "2", "3", "64"]);
        let points = (0..12).map(|n| (1e6 - 20.0 * f64::from(n), Some(0.261_437 * f64::from(n)))).rev().collect();
        let curves = vec![Curve { name: "stale", class: "s0", points, steps: false }];
        let text = drawn(Across::Time { now: 1e6 }, PER_CENT, curves);
        let times = heads(&text);
        assert_eq!((times.len(), times[0].as_str(), times[11].as_str()), (12, "3 min 40 s ago", "now"));
        assert!((1..12).all(|n| times[n] != times[n - 1]), "{times:?}");
        assert!(text.contains(">2.9 %<") && text.contains(">0.26 %<"), "{text}");
        assert_eq!((exact_length(7_320.0), exact_length(90_000.0)), ("2 h 2 min".to_owned(), "1 d 1 h".to_owned()));
    }

    #[test]
    fn nothing_is_said_of_nothing() {
        for points in [vec![], vec![(0.0, None)]] {
            assert!(chart(points).contains("Nothing is known"));
        }
    }
}
