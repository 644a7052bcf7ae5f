//! A picture of curves over one axis.

use super::axis::Axis;
use super::svg::Svg;
use crate::output::number::short;

const WIDTH: f64 = 640.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 360.0;
const SIDES: (f64, f64) = (75.0, 615.0);

/// Classes of the curves, in order; a chart has no more curves than that.
const CLASSES: [&str; 7] = ["s0", "s1", "s2", "s3", "s4", "s5", "s6"];

/// Curves to be drawn.
#[derive(Debug)]
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) x_label: &'static str,
    pub(crate) y_label: &'static str,
    pub(crate) curves: Vec<Curve>,
}

/// A curve through points, by x ascending.
#[derive(Debug)]
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
    /// The points are all there is; the lines between them only lead the eye.
    pub(crate) dots: bool,
}

/// The picture, as SVG.
pub(crate) fn draw(chart: &Chart) -> String {
    let all = || chart.curves.iter().flat_map(|curve| &curve.points);
    let most_x = all().map(|(x, _)| *x).fold(0.0, f64::max);
    let (low, high) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), (_, y)| (l.min(*y), h.max(*y)));
    let x = Axis::linear(most_x, SIDES);
    let y = Axis::between(low.min(high), high.max(low), (BOTTOM, TOP));
    let rows = legend_rows(&chart.curves);
    let mut svg = Svg::new(WIDTH, BOTTOM + 48.0 + 18.0 * rows.len() as f64, &chart.title);
    title(&mut svg, &chart.title);
    frame(&mut svg, &x, &y, chart);
    for (curve, class) in chart.curves.iter().zip(CLASSES) {
        let places: Vec<(f64, f64)> = curve.points.iter().map(|(a, b)| (x.place(*a), y.place(*b))).collect();
        svg.curve(class, &places, &curve.name);
        if curve.dots {
            for (place, (a, b)) in places.iter().zip(&curve.points) {
                svg.dot(&format!("point {class}"), *place, &format!("{}: {} at {}", curve.name, short(*b), short(*a)));
            }
        }
    }
    legend(&mut svg, &chart.curves, &rows);
    svg.finish()
}

/// Letters of the title in a line, at most; their width is a guess, as it depends on the viewer's font.
const LINE: usize = 62;

/// The title, in as many lines as it takes; there is room for two.
fn title(svg: &mut Svg, title: &str) {
    let mut lines: Vec<String> = Vec::new();
    for word in title.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= LINE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    let first = if lines.len() > 1 { 20.0 } else { 28.0 };
    for (n, line) in lines.iter().enumerate() {
        svg.text("title", "start", (SIDES.0, first + 18.0 * n as f64), line);
    }
}

fn frame(svg: &mut Svg, x: &Axis, y: &Axis, chart: &Chart) {
    for (value, text) in x.ticks() {
        let place = x.place(value);
        svg.line("grid", (place, TOP), (place, BOTTOM));
        svg.text("", "middle", (place, BOTTOM + 16.0), &text);
    }
    for (value, text) in y.ticks() {
        let place = y.place(value);
        svg.line("grid", (SIDES.0, place), (SIDES.1, place));
        svg.text("", "end", (SIDES.0 - 6.0, place + 4.0), &text);
    }
    svg.line("axis", (SIDES.0, BOTTOM), (SIDES.1, BOTTOM));
    svg.line("axis", (SIDES.0, TOP), (SIDES.0, BOTTOM));
    svg.text("", "middle", ((SIDES.0 + SIDES.1) / 2.0, BOTTOM + 34.0), chart.x_label);
    svg.upright_text((SIDES.0 - 52.0, (TOP + BOTTOM) / 2.0), chart.y_label);
}

/// Room for a name in the legend; the width of a letter is a guess, as it depends on the viewer's font.
fn width(name: &str) -> f64 {
    45.0 + 6.5 * name.chars().count() as f64
}

/// How many names go into each row of the legend.
fn legend_rows(curves: &[Curve]) -> Vec<usize> {
    let mut rows: Vec<usize> = Vec::new();
    let mut used = f64::INFINITY;
    for curve in curves {
        let width = width(&curve.name);
        match rows.last_mut() {
            Some(row) if used + width <= SIDES.1 - SIDES.0 => {
                *row += 1;
                used += width;
            }
            _ => {
                rows.push(1);
                used = width;
            }
        }
    }
    rows
}

fn legend(svg: &mut Svg, curves: &[Curve], rows: &[usize]) {
    let mut entries = curves.iter().zip(CLASSES);
    for (row, count) in rows.iter().enumerate() {
        let y = BOTTOM + 56.0 + 18.0 * row as f64;
        let mut x = SIDES.0;
        for (curve, class) in entries.by_ref().take(*count) {
            svg.line(&format!("line {class}"), (x, y - 4.0), (x + 22.0, y - 4.0));
            svg.text("", "start", (x + 28.0, y), &curve.name);
            x += width(&curve.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_are_broken_into_lines() {
        let mut svg = Svg::new(WIDTH, BOTTOM, "");
        title(&mut svg, "Cost against the threshold between 3 and 1 robots, for services that vary more and more");
        let text = svg.finish();
        assert!(text.contains(">Cost against the threshold between 3 and 1 robots, for</text>"), "{text}");
        assert!(text.contains(">services that vary more and more</text>"), "{text}");
    }
}
