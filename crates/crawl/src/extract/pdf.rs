//! The text of PDF documents.
//!
//! Own code rather than a library, because the input is hostile: all work is paid from one budget of steps, nothing
//! recurses without limit, and a damaged document gives what can be read of it. Images and encrypted documents are not
//! read, nor is text whose font does not say which characters it shows.

use self::content::Viewer;
use self::file::File;
use self::object::{Dict, Fuel, Object};
use super::plain::Lines;
use super::{ExtractError, Extracted, Kind, Limits, space};
use crate::date;

mod character_map;
mod content;
mod file;
mod filter;
mod font;
mod glyph_names;
mod object;
#[cfg(test)]
mod tests;

/// Reads a document.
pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Extracted, ExtractError> {
    if bytes.len() > limits.input_bytes {
        return Err(ExtractError::TooLarge { bytes: bytes.len(), limit: limits.input_bytes });
    }
    let fuel = Fuel::new(limits.pdf_steps);
    let file = File::new(bytes, &fuel);
    if file.trailer("/Encrypt").is_some() {
        return Err(ExtractError::Encrypted);
    }
    let pages = file.pages();
    if pages.is_empty() {
        return Err(ExtractError::Broken { reason: "no pages found" });
    }
    let mut viewer = Viewer::new(&file, limits.text_bytes);
    for page in &pages {
        if viewer.is_full() || !fuel.spend(1) {
            break;
        }
        viewer.show(page);
    }
    let mut lines = Lines::new(limits);
    viewer.text.lines().for_each(|line| lines.push(line));
    let mut page = Extracted::new(Kind::Pdf, "UTF-8");
    lines.finish(&mut page);
    if let Some(Object::Dict(facts)) = file.trailer("/Info").and_then(|info| file.resolve(&info)) {
        take_facts(&file, &facts, limits, &mut page);
    }
    Ok(page)
}

/// Title, subject and date of the document.
fn take_facts(file: &File, facts: &Dict, limits: &Limits, page: &mut Extracted) {
    let text = |key: &str| match file.get(facts, key) {
        Some(Object::Text(bytes)) => Some(text_string(&bytes)),
        _ => None,
    };
    page.title = text("Title").and_then(|title| space::label(&title, limits.label_bytes));
    page.description = text("Subject").and_then(|subject| space::label(&subject, limits.label_bytes));
    let created = text("CreationDate").and_then(|created| document_date(&created));
    page.published = created.filter(|created| (0..=limits.latest_date).contains(created));
}

/// A string outside of page contents: UTF-16 or UTF-8 with a mark, or nearly Windows-1252.
fn text_string(bytes: &[u8]) -> String {
    if let Some(wide) = bytes.strip_prefix(b"\xFE\xFF") {
        return character_map::utf_16(wide);
    }
    if let Some(utf_8) = bytes.strip_prefix(b"\xEF\xBB\xBF") {
        return String::from_utf8_lossy(utf_8).into_owned();
    }
    encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned()
}

/// `D:20240305093000+01'00'`.
fn document_date(text: &str) -> Option<i64> {
    let text = text.strip_prefix("D:").unwrap_or(text);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, zone) = text.split_at(digits);
    let part = |range: std::ops::Range<usize>, default: &'static str| digits.get(range).unwrap_or(default);
    let zone: String = zone.chars().filter(|character| *character != '\'').take(5).collect();
    let zone = if zone.len() == 5 { zone } else { "Z".to_owned() };
    date::parse(&format!(
        "{}-{}-{}T{}:{}:{}{zone}",
        part(0..4, ""),
        part(4..6, "01"),
        part(6..8, "01"),
        part(8..10, "00"),
        part(10..12, "00"),
        part(12..14, "00")
    ))
}
