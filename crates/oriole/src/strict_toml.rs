//! Strict reading of TOML: tables whose keys are all known, and values with the line they stand on.

use std::fmt::Display;
use std::io::Read;
use std::path::Path;

use anyhow::Result;
use control::Matrix;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::failure::{Mistake, quoted, reading};
use crate::input::{Input, nearest};

/// The name and the text of a file, or of standard input if `path` is `-`: UTF-8, and not too long for `what` it is to be.
pub(crate) fn read_text(path: &Path, longest: u64, what: &str) -> Result<(String, String)> {
    let input = Input::open(path)?;
    let name = input.name().to_string();
    let mut bytes = Vec::new();
    input.take(longest + 1).read_to_end(&mut bytes).map_err(|error| reading(&name, error))?;
    if bytes.len() as u64 > longest {
        let problem = format!("is longer than {} MiB, too long for a {what}; give a {what} file", longest >> 20);
        return Err(Mistake::file(name, problem).into());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok((name, text)),
        Err(error) => {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64;
            Err(Mistake::line(name, line, "is not UTF-8; save the file as UTF-8").into())
        }
    }
}

/// A TOML file, for messages about it.
pub(crate) struct Document<'a> {
    name: &'a str,
    text: &'a str,
    /// Where lines end: a file may have as many values as lines, and each is asked for its line.
    line_ends: Vec<usize>,
}

impl<'a> Document<'a> {
    pub(crate) fn new(name: &'a str, text: &'a str) -> Self {
        let line_ends = text.match_indices('\n').map(|(at, _)| at).collect();
        Self { name, text, line_ends }
    }

    pub(crate) fn parse(&self) -> Result<Spanned<DeTable<'a>>, Mistake> {
        DeTable::parse(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let what = error.message().trim().replace('\n', ", ");
            self.mistake(at, format_args!("cannot be read as TOML: {what}; correct the line"))
        })
    }

    /// A mistake at a byte of the text.
    fn mistake(&self, at: usize, problem: impl Display) -> Mistake {
        Mistake::line(self.name, self.line(at), problem)
    }

    /// The line of a byte of the text.
    pub(crate) fn line(&self, at: usize) -> u64 {
        1 + self.line_ends.partition_point(|end| *end < at) as u64
    }
}

/// A table of the file.
pub(crate) struct Section<'a> {
    document: &'a Document<'a>,
    table: &'a DeTable<'a>,
    /// Where it begins.
    at: usize,
    /// Its name; empty for the whole file.
    path: String,
}

pub(crate) type Value<'a> = Spanned<DeValue<'a>>;

impl<'a> Section<'a> {
    /// The whole file.
    pub(crate) fn root(document: &'a Document<'a>, table: &'a DeTable<'a>) -> Self {
        Self { document, table, at: 0, path: String::new() }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.path
    }

    /// What messages call a key.
    fn field(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.path) }
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&'a Value<'a>> {
        self.table.get(key)
    }

    fn wrong(&self, value: &Value<'_>, problem: impl Display) -> Mistake {
        self.document.mistake(value.span().start, problem)
    }

    /// A mistake in the value of a key.
    pub(crate) fn mistake_at(&self, key: &str, problem: impl Display) -> Mistake {
        self.document.mistake(self.get(key).map_or(self.at, |value| value.span().start), problem)
    }

    /// A mistake in what the section says.
    pub(crate) fn mistake(&self, problem: impl Display) -> Mistake {
        self.document.mistake(self.at, problem)
    }

    /// A key that must be there is not.
    pub(crate) fn missing(&self, key: &str, remedy: &str) -> Mistake {
        self.mistake(format_args!("there is no `{}`; {remedy}", self.field(key)))
    }

    /// Fails if there is a key that is not known.
    pub(crate) fn allow(&self, known: &[&str]) -> Result<(), Mistake> {
        let Some((key, _)) = self.table.iter().find(|(key, _)| !known.contains(&key.get_ref().as_ref())) else {
            return Ok(());
        };
        let remedy = match nearest(key.get_ref(), known.iter().copied()) {
            Some(name) => format!("did you mean `{}`?", self.field(name)),
            None => format!("the keys here are {}", known.join(", ")),
        };
        let wrong = quoted(&self.field(key.get_ref()));
        Err(self.document.mistake(key.span().start, format_args!("unknown key {wrong}; {remedy}")))
    }

    /// Whether a key is there.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// A table of this one.
    pub(crate) fn section(&self, key: &str) -> Result<Option<Section<'a>>, Mistake> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let path = self.field(key);
        match value.get_ref() {
            DeValue::Table(table) => Ok(Some(Section { document: self.document, table, at: value.span().start, path })),
            other => {
                let problem = format!("`{path}` is {}, not a table; begin it with [{path}]", kind(other));
                Err(self.wrong(value, problem))
            }
        }
    }

    /// The tables of a list of tables; none if it is not there.
    pub(crate) fn sections(&self, key: &str) -> Result<Vec<Section<'a>>, Mistake> {
        let Some(value) = self.get(key) else {
            return Ok(Vec::new());
        };
        let path = self.field(key);
        let wrong = |value: &Value<'_>| {
            let problem = format!("`{path}` is not a list of tables; begin each with [[{path}]]");
            self.wrong(value, problem)
        };
        let DeValue::Array(items) = value.get_ref() else {
            return Err(wrong(value));
        };
        let section = |item: &'a Value<'a>| match item.get_ref() {
            DeValue::Table(table) => {
                Ok(Section { document: self.document, table, at: item.span().start, path: path.clone() })
            }
            _ => Err(wrong(item)),
        };
        items.iter().map(section).collect()
    }

    /// A whole number between `least` and `most` that must be there.
    pub(crate) fn whole(&self, key: &str, least: usize, most: usize, remedy: &str) -> Result<usize, Mistake> {
        let value = self.get(key).ok_or_else(|| self.missing(key, remedy))?;
        let DeValue::Integer(digits) = value.get_ref() else {
            let problem = format!("`{}` is {}, not a whole number; {remedy}", self.field(key), kind(value.get_ref()));
            return Err(self.wrong(value, problem));
        };
        let number = i128::from_str_radix(digits.as_str(), digits.radix()).unwrap_or(i128::MAX);
        let within = usize::try_from(number).ok().filter(|number| (least..=most).contains(number));
        within.ok_or_else(|| {
            let problem = format!("`{}` is {digits}; it must be from {least} to {most}", self.field(key));
            self.wrong(value, problem)
        })
    }

    /// A finite number of at least zero, if it is there.
    pub(crate) fn at_least_zero(&self, key: &str) -> Result<Option<f64>, Mistake> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let number = self.number(value, &self.field(key))?;
        if number < 0.0 {
            let problem = format!("`{}` is {number}; give a number of at least 0", self.field(key));
            return Err(self.wrong(value, problem));
        }
        Ok(Some(number))
    }

    /// A text, if it is there.
    pub(crate) fn text(&self, key: &str) -> Result<Option<&'a str>, Mistake> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let wrong = || format!("`{}` is {}, not a text; put it in quotes", self.field(key), kind(value.get_ref()));
        value.get_ref().as_str().map(Some).ok_or_else(|| self.wrong(value, wrong()))
    }

    /// Yes or no, if it is there.
    pub(crate) fn flag(&self, key: &str) -> Result<Option<bool>, Mistake> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let wrong = || format!("`{}` is {}; give true or false", self.field(key), kind(value.get_ref()));
        value.get_ref().as_bool().map(Some).ok_or_else(|| self.wrong(value, wrong()))
    }

    /// A list of numbers that must be there.
    pub(crate) fn numbers(&self, key: &str, remedy: &str) -> Result<Vec<f64>, Mistake> {
        let value = self.get(key).ok_or_else(|| self.missing(key, remedy))?;
        self.row(value, &self.field(key))
    }

    /// A matrix that must be there.
    pub(crate) fn matrix(&self, key: &str, remedy: &str) -> Result<Matrix, Mistake> {
        let value = self.get(key).ok_or_else(|| self.missing(key, remedy))?;
        self.matrix_of(value, &self.field(key))
    }

    /// A list of matrices `D_first, ...` that must be there.
    pub(crate) fn matrices(&self, key: &str, first: usize, remedy: &str) -> Result<Vec<Matrix>, Mistake> {
        let value = self.get(key).ok_or_else(|| self.missing(key, remedy))?;
        let field = self.field(key);
        let items = self.list(value, &field, "matrices")?;
        let named = |(k, item): (usize, &'a Value<'a>)| self.matrix_of(item, &format!("{field}, D_{}", first + k));
        items.iter().enumerate().map(named).collect()
    }

    fn matrix_of(&self, value: &'a Value<'a>, name: &str) -> Result<Matrix, Mistake> {
        let rows = self.list(value, name, "rows")?.iter().enumerate();
        let rows = rows.map(|(i, row)| self.row(row, &format!("{name}, row {}", i + 1)));
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        if let Some((i, row)) = rows.iter().enumerate().find(|(_, row)| row.len() != rows[0].len()) {
            let (got, first) = (row.len(), rows[0].len());
            let problem = format!("{name}: row {} has {got} entries, row 1 has {first}; give each as many", i + 1);
            return Err(self.wrong(value, problem));
        }
        Matrix::from_rows(&rows).ok_or_else(|| self.wrong(value, format_args!("{name} is not a matrix")))
    }

    fn row(&self, value: &'a Value<'a>, name: &str) -> Result<Vec<f64>, Mistake> {
        let entries = self.list(value, name, "numbers")?.iter().enumerate();
        entries.map(|(i, entry)| self.number(entry, &format!("{name}, column {}", i + 1))).collect()
    }

    fn list(&self, value: &'a Value<'a>, name: &str, of: &str) -> Result<&'a [Value<'a>], Mistake> {
        match value.get_ref() {
            DeValue::Array(items) if !items.is_empty() => Ok(items),
            DeValue::Array(_) => Err(self.wrong(value, format_args!("{name} is empty; give {of} in brackets"))),
            other => {
                let problem = format!("{name} is {}, not a list; give {of} in brackets", kind(other));
                Err(self.wrong(value, problem))
            }
        }
    }

    fn number(&self, value: &Value<'_>, name: &str) -> Result<f64, Mistake> {
        let number = match value.get_ref() {
            DeValue::Integer(digits) => i128::from_str_radix(digits.as_str(), digits.radix()).ok().map(|n| n as f64),
            DeValue::Float(digits) => digits.as_str().parse::<f64>().ok(),
            other => {
                let problem = format!("{name} is {}, not a number", kind(other));
                return Err(self.wrong(value, problem));
            }
        };
        match number {
            Some(number) if number.is_finite() => Ok(number),
            _ => Err(self.wrong(value, format_args!("{name} is not a finite number; give one like 0.25 or 1e-3"))),
        }
    }
}

/// What a value is, for messages.
pub(crate) fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a decimal number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
