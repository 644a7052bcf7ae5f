//! Tables and lists for the terminal.

use std::fmt::Write;

use anstyle::Style;

/// Where a column's text goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Align {
    /// To the left: names.
    Left,
    /// To the right: numbers.
    Right,
}

/// A table with a heading line.
#[derive(Debug)]
pub struct Table {
    headings: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(headings: &[(&'static str, Align)]) -> Self {
        Self { headings: headings.to_vec(), rows: Vec::new() }
    }

    /// Adds a row; it has as many cells as there are headings.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        debug_assert_eq!(N, self.headings.len());
        self.rows.push(cells.to_vec());
    }

    /// The table as lines, with styles that the stream may strip.
    #[must_use]
    pub fn render(&self) -> String {
        let widths = self.widths();
        let bold = Style::new().bold();
        let headings: Vec<String> = self.headings.iter().map(|(name, _)| (*name).to_string()).collect();
        let mut text = format!("{bold}{}{bold:#}\n", self.line(&headings, &widths));
        for row in &self.rows {
            text.push_str(&self.line(row, &widths));
            text.push('\n');
        }
        text
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize, name: &str| {
            self.rows.iter().map(|row| row[column].chars().count()).chain([name.chars().count()]).max().unwrap_or(0)
        };
        self.headings.iter().enumerate().map(|(column, (name, _))| width(column, name)).collect()
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let aligned = cells.iter().zip(widths).zip(&self.headings).map(|((cell, &width), (_, align))| match align {
            Align::Left => format!("{cell:<width$}"),
            Align::Right => format!("{cell:>width$}"),
        });
        aligned.collect::<Vec<_>>().join("  ").trim_end().to_string()
    }
}

/// Names and values, one pair a line, values in one column.
#[must_use]
pub fn list(pairs: &[(&str, String)]) -> String {
    let width = pairs.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, value) in pairs {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<width$}  {value}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_to_the_right_names_to_the_left() {
        let mut table = Table::new(&[("policy", Align::Left), ("cost", Align::Right)]);
        table.row(["index".to_string(), "1.5".to_string()]);
        table.row(["golden ratio".to_string(), "10.25".to_string()]);
        let plain = anstream::adapter::strip_str(&table.render()).to_string();
        assert_eq!(plain, "policy         cost\nindex           1.5\ngolden ratio  10.25\n");
    }
}
