//! Values as they were typed, and where.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use toml::de::DeValue;

use crate::failure::{Mistake, quoted};
use crate::strict_toml::{self, Document, kind};

/// A value, and where it was given.
#[derive(Clone, Debug)]
pub(super) struct Given {
    key: &'static str,
    place: Place,
    value: Value,
}

#[derive(Clone, Debug)]
enum Place {
    Line(String, u64),
    Variable(String),
}

#[derive(Clone, Debug)]
enum Value {
    Text(String),
    Whole(i128),
    Decimal(f64),
    Flag(bool),
    List(Vec<Given>),
    Other(&'static str),
}

impl Given {
    /// From a file.
    pub(super) fn in_file(key: &'static str, value: &strict_toml::Value<'_>, file: (&str, &Document<'_>)) -> Self {
        let (name, document) = file;
        let place = Place::Line(name.to_owned(), document.line(value.span().start));
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Boolean(flag) => Value::Flag(*flag),
            // What is too long to be read is out of every range.
            DeValue::Integer(digits) => {
                Value::Whole(i128::from_str_radix(digits.as_str(), digits.radix()).unwrap_or(i128::MAX))
            }
            DeValue::Float(digits) => Value::Decimal(digits.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Array(items) => Value::List(items.iter().map(|item| Self::in_file(key, item, file)).collect()),
            other => Value::Other(kind(other)),
        };
        Self { key, place, value }
    }

    /// From a variable.
    pub(super) fn in_variable(key: &'static str, name: &str, text: &str) -> Self {
        Self { key, place: Place::Variable(name.to_owned()), value: Value::Text(text.to_owned()) }
    }

    /// A path, which begins in `folder` if it stands in the file.
    pub(super) fn path(&self, folder: &Path) -> Result<PathBuf, Mistake> {
        let text = self.text()?;
        match self.place {
            _ if text.is_empty() => Err(self.mistake("is empty; give a path")),
            Place::Line(..) => Ok(folder.join(text)),
            Place::Variable(_) => Ok(PathBuf::from(text)),
        }
    }

    /// A mistake in this value. The problem goes on after the name of the key.
    pub(super) fn mistake(&self, problem: impl Display) -> Mistake {
        match &self.place {
            Place::Line(file, line) => Mistake::line(file, *line, format_args!("`{}` {problem}", self.key)),
            Place::Variable(name) => Mistake::usage(format_args!("the variable {name} {problem}")),
        }
    }

    fn is_not(&self, wanted: impl Display) -> Mistake {
        self.mistake(format_args!("is {}, not {wanted}", self.value.kind()))
    }

    /// Whether it may be anything that can be read in it.
    fn is_variable(&self) -> bool {
        matches!(self.place, Place::Variable(_))
    }

    /// A text.
    pub(super) fn text(&self) -> Result<&str, Mistake> {
        match &self.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.is_not("a text; put it in quotes")),
        }
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, Mistake> {
        let text = self.text()?;
        words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning).ok_or_else(|| {
            let names: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            self.mistake(format_args!("is {}; give {}", quoted(text), names.join(" or ")))
        })
    }

    /// What can be read in a text. A number is read too, if only to say which unit it needs.
    pub(super) fn parsed<T: FromStr>(&self) -> Result<T, Mistake>
    where
        T::Err: Display,
    {
        let text = match &self.value {
            Value::Text(text) => text.clone(),
            Value::Whole(number) => number.to_string(),
            Value::Decimal(number) => number.to_string(),
            _ => return Err(self.is_not("a text; put it in quotes")),
        };
        text.parse().map_err(|error| self.mistake(format_args!("is wrong: {error}")))
    }

    /// A whole number of a range.
    pub(super) fn whole(&self, range: RangeInclusive<u64>) -> Result<u64, Mistake> {
        let wanted = format!("a whole number from {} to {}", range.start(), range.end());
        let number = match &self.value {
            Value::Whole(number) => Some(*number),
            Value::Text(text) if self.is_variable() => text.trim().parse().ok(),
            _ => return Err(self.is_not(format_args!("{wanted}; give one"))),
        };
        let within = number.and_then(|number| u64::try_from(number).ok()).filter(|number| range.contains(number));
        within.ok_or_else(|| self.mistake(format_args!("is {}; give {wanted}", self.value)))
    }

    /// A number of a range.
    pub(super) fn number(&self, range: RangeInclusive<f64>) -> Result<f64, Mistake> {
        let wanted = format!("a number from {} to {}", range.start(), range.end());
        let number = match &self.value {
            Value::Whole(number) => Some(*number as f64),
            Value::Decimal(number) => Some(*number),
            Value::Text(text) if self.is_variable() => text.trim().parse().ok(),
            _ => return Err(self.is_not(format_args!("{wanted}; give one"))),
        };
        let within = number.filter(|number| range.contains(number));
        within.ok_or_else(|| self.mistake(format_args!("is {}; give {wanted}", self.value)))
    }

    /// Yes or no.
    pub(super) fn flag(&self) -> Result<bool, Mistake> {
        match &self.value {
            Value::Flag(flag) => Ok(*flag),
            Value::Text(text) if self.is_variable() => match text.trim() {
                "true" => Ok(true),
                "false" => Ok(false),
                other => Err(self.mistake(format_args!("is {}; give true or false", quoted(other)))),
            },
            _ => Err(self.is_not("true or false; give one of them without quotes")),
        }
    }

    /// A list of texts.
    pub(super) fn list(&self) -> Result<Vec<Given>, Mistake> {
        match &self.value {
            Value::List(items) => {
                items.iter().try_for_each(|item| item.text().map(|_| ()))?;
                Ok(items.clone())
            }
            Value::Text(text) if self.is_variable() => {
                let item = |text: &str| Given { value: Value::Text(text.trim().to_owned()), ..self.clone() };
                Ok(text.split(',').filter(|item| !item.trim().is_empty()).map(item).collect())
            }
            _ => Err(self.is_not("a list; give texts in brackets, such as [\"a\", \"b\"]")),
        }
    }
}

impl Value {
    /// What it is, for messages.
    fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Whole(_) => "a whole number",
            Self::Decimal(_) => "a decimal number",
            Self::Flag(_) => "true or false",
            Self::List(_) => "a list",
            Self::Other(kind) => kind,
        }
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Whole(number) => write!(f, "{number}"),
            Self::Decimal(number) => write!(f, "{number}"),
            _ => f.write_str(self.kind()),
        }
    }
}
