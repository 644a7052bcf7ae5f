//! Fonts, as far as they say which text is shown and how wide it is.

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GBK, MACINTOSH, SHIFT_JIS, UTF_16BE, WINDOWS_1252};

use super::character_map::CharacterMap;
use super::file::File;
use super::glyph_names;
use super::object::{Dict, Object};

/// Widths of characters that are kept.
const MAX_WIDTHS: usize = 1 << 16;

/// How the codes of a font become text, apart from its character map.
enum Codes {
    /// One byte each: the text of each code.
    Single(Vec<String>),
    /// Two bytes each, known only by the character map.
    Double,
    /// Bytes in an encoding of its own.
    Encoded(&'static Encoding),
}

/// A font.
pub(super) struct Font {
    map: Option<CharacterMap>,
    codes: Codes,
    /// Widths by code, in thousandths of the font's size.
    widths: Vec<Option<f32>>,
    default_width: f32,
}

impl Font {
    /// A font that shows ASCII.
    pub(super) fn plain() -> Self {
        Self { map: None, codes: Codes::Single(base_encoding(None)), widths: Vec::new(), default_width: 500.0 }
    }

    pub(super) fn read(file: &File, dict: &Dict) -> Self {
        let map = file.get_dict(dict, "ToUnicode").and_then(|stream| file.data(&stream));
        let map = map.map(|data| CharacterMap::read(&data, file.fuel));
        if dict.get("Subtype").and_then(Object::name) == Some(b"Type0") {
            return Self::read_composite(file, dict, map);
        }
        let widths = file.get(dict, "Widths").map_or_else(Vec::new, |widths| simple_widths(file, dict, &widths));
        Self { map, codes: Codes::Single(simple_encoding(file, dict)), widths, default_width: 500.0 }
    }

    fn read_composite(file: &File, dict: &Dict, map: Option<CharacterMap>) -> Self {
        let encoding = file.get(dict, "Encoding");
        let codes =
            encoding.as_ref().and_then(Object::name).and_then(known_encoding).map_or(Codes::Double, Codes::Encoded);
        let descendants = file.get(dict, "DescendantFonts");
        let descendant = descendants.as_ref().and_then(Object::array).and_then(<[Object]>::first);
        let descendant = match descendant.and_then(|font| file.resolve(font)) {
            Some(Object::Dict(descendant)) => descendant,
            _ => Dict::default(),
        };
        let default_width = file.get(&descendant, "DW").and_then(|width| width.number()).unwrap_or(1000.0) as f32;
        let widths = match file.get(&descendant, "W") {
            Some(Object::Array(widths)) => composite_widths(file, &widths),
            _ => Vec::new(),
        };
        Self { map, codes, widths, default_width }
    }

    /// Appends the text of some codes and gives their width in units of the font's size, and their number.
    pub(super) fn show(&self, bytes: &[u8], text: &mut String) -> (f64, usize) {
        let size = match &self.codes {
            Codes::Single(_) => 1,
            Codes::Double | Codes::Encoded(_) if self.map.as_ref().is_some_and(|map| map.is_single_byte) => 1,
            Codes::Double | Codes::Encoded(_) => 2,
        };
        let mut width = 0.0;
        let mut encoded = Vec::new();
        for code in bytes.chunks(size) {
            let number = code.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
            width += self.widths.get(number as usize).copied().flatten().unwrap_or(self.default_width);
            if self.map.as_ref().is_some_and(|map| map.append(number, text)) {
                continue;
            }
            match &self.codes {
                Codes::Single(texts) => text.push_str(texts.get(number as usize).map_or("", String::as_str)),
                Codes::Double => {}
                Codes::Encoded(_) => encoded.extend(code),
            }
        }
        if let Codes::Encoded(encoding) = &self.codes {
            text.push_str(&encoding.decode_without_bom_handling(&encoded).0);
        }
        (f64::from(width) / 1000.0, bytes.len().div_ceil(size))
    }
}

/// The encodings that common predefined character maps stand for.
fn known_encoding(name: &[u8]) -> Option<&'static Encoding> {
    let name = std::str::from_utf8(name).ok()?;
    let has = |part: &str| name.contains(part);
    Some(if has("UCS2") || has("UTF16") {
        UTF_16BE
    } else if has("RKSJ") {
        SHIFT_JIS
    } else if has("GBK") || has("GB-") || has("GBpc") {
        GBK
    } else if has("B5") {
        BIG5
    } else if has("KSC") {
        EUC_KR
    } else if name.starts_with("EUC-") {
        EUC_JP
    } else {
        return None;
    })
}

fn simple_widths(file: &File, dict: &Dict, widths: &Object) -> Vec<Option<f32>> {
    let first = file.get(dict, "FirstChar").and_then(|first| first.number()).unwrap_or(0.0);
    let first = (first as usize).min(256);
    let numbers = widths.array().unwrap_or_default().iter().take(256).map(|width| Some(width.number()? as f32));
    std::iter::repeat_n(None, first).chain(numbers).collect()
}

/// `first [w w w]` and `first last w`, in any order.
fn composite_widths(file: &File, entries: &[Object]) -> Vec<Option<f32>> {
    let mut widths: Vec<Option<f32>> = Vec::new();
    let mut set = |code: usize, width: Option<f64>| {
        if code < MAX_WIDTHS {
            if widths.len() <= code {
                widths.resize(code + 1, None);
            }
            widths[code] = width.map(|width| width as f32);
        }
    };
    let mut at = 0;
    while let Some(first) = entries.get(at).and_then(Object::number) {
        let first = first.max(0.0) as usize;
        match entries.get(at + 1).and_then(|entry| file.resolve(entry)) {
            Some(Object::Array(list)) => {
                list.iter().take(MAX_WIDTHS).enumerate().for_each(|(place, width)| set(first + place, width.number()));
                at += 2;
            }
            Some(Object::Number(last)) => {
                let width = entries.get(at + 2).and_then(Object::number);
                let last = (last.max(0.0) as usize).min(MAX_WIDTHS);
                if !file.fuel.spend(last.saturating_sub(first)) {
                    break;
                }
                (first..=last).for_each(|code| set(code, width));
                at += 3;
            }
            _ => break,
        }
    }
    widths
}

/// The text of each code of a simple font.
fn simple_encoding(file: &File, dict: &Dict) -> Vec<String> {
    let encoding = file.get(dict, "Encoding");
    let name = match &encoding {
        Some(Object::Dict(encoding)) => encoding.get("BaseEncoding").and_then(Object::name),
        Some(encoding) => encoding.name(),
        None => None,
    };
    let mut texts = base_encoding(name);
    let differences = encoding.as_ref().and_then(Object::dict).and_then(|encoding| file.get(encoding, "Differences"));
    let mut code = 0;
    for difference in differences.as_ref().and_then(Object::array).unwrap_or_default() {
        match difference {
            Object::Number(number) => code = number.max(0.0) as usize,
            Object::Name(name) => {
                if let Some(place) = texts.get_mut(code) {
                    let mut text = String::new();
                    if glyph_names::append(name, &mut text) {
                        *place = text;
                    }
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    texts
}

/// `MacRomanEncoding`, or Windows for all others, with which most fonts without a word about it agree.
fn base_encoding(name: Option<&[u8]>) -> Vec<String> {
    let encoding = if name == Some(b"MacRomanEncoding") { MACINTOSH } else { WINDOWS_1252 };
    let text =
        |byte: u8| if byte < 32 { String::new() } else { encoding.decode_without_bom_handling(&[byte]).0.into_owned() };
    (0..=255).map(text).collect()
}
