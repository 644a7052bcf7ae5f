//! Pages from JSON Lines: one object a line.

use std::borrow::Cow;

use anyhow::Result;
use serde::Deserialize;

use super::compression::Input;
use super::csv::{missing, near_miss};
use super::lines::next_line;
use super::rows::{Row, Rows};

#[derive(Deserialize)]
struct Object<'a> {
    #[serde(borrow)]
    page: Option<Cow<'a, str>>,
    change_rate: Option<f64>,
    /// As in a file of `oriole export`.
    #[serde(borrow)]
    url: Option<Cow<'a, str>>,
    changes_per_day: Option<f64>,
    weight: Option<f64>,
    #[serde(borrow)]
    host: Option<Cow<'a, str>>,
}

pub(super) fn read(mut input: Input, rows: &mut Rows) -> Result<()> {
    let mut text = Vec::new();
    for line in 1.. {
        let length = next_line(&mut input, line, &mut text).map_err(|error| rows.source.failure(error))?;
        if length == 0 {
            return Ok(());
        }
        let object = text.strip_prefix("\u{feff}".as_bytes()).filter(|_| line == 1).unwrap_or(&text).trim_ascii();
        if !object.is_empty() {
            push(object, line, rows)?;
        }
    }
    Ok(())
}

fn push(text: &[u8], line: u64, rows: &mut Rows) -> Result<()> {
    let wrong = |problem: String| rows.source.mistake_at(line, problem);
    if text[0] != b'{' {
        return Err(wrong(format!("is not a JSON object like {EXAMPLE}")).into());
    }
    let object: Object<'_> = serde_json::from_slice(text)
        .map_err(|error| wrong(format!("is not a JSON object like {EXAMPLE}: {}", without_line(&error))))?;
    let page = object.page.or(object.url).ok_or_else(|| wrong(missing_key(text, "page")))?;
    let change_rate = object.change_rate.or(object.changes_per_day);
    let change_rate = change_rate.ok_or_else(|| wrong(missing_key(text, "change_rate")))?;
    if rows.wanted.weights && object.weight.is_none() && line == 1 {
        let keys = keys(text);
        near_miss(&keys, "weight").map_or(Ok(()), |problem| Err(wrong(problem)))?;
    }
    let weight = if rows.wanted.weights { object.weight.unwrap_or(1.0) } else { 1.0 };
    let host = object.host.as_deref().map(str::trim);
    rows.push(line, &Row { page: page.trim(), change_rate, weight, host })?;
    Ok(())
}

const EXAMPLE: &str = r#"{"page": "a", "change_rate": 0.5}"#;

/// The keys of an object that have a value.
fn keys(text: &[u8]) -> Vec<String> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(text).unwrap_or_default();
    object.into_iter().filter(|(_, value)| !value.is_null()).map(|(key, _)| key).collect()
}

fn missing_key(text: &[u8], key: &str) -> String {
    missing(&keys(text), key).replace("column", "key").replace("; name the keys in the first line", "")
}

/// The message of an error in one line, without serde's count of lines in it.
fn without_line(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.split(" at line ").next().unwrap_or_default().to_string()
}
