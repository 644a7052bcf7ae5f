//! `ToUnicode` character maps: which text the codes of a font stand for.

use super::object::{Fuel, Object, Reader};

/// Ranges that are kept.
const MAX_RANGES: usize = 100_000;

/// Codes from `first` to `last` stand for `text`, whose last character grows with the code.
struct CodeRange {
    first: u32,
    last: u32,
    text: String,
}

/// A character map.
pub(super) struct CharacterMap {
    /// In order of the first code.
    ranges: Vec<CodeRange>,
    /// Whether all codes are of one byte.
    pub(super) is_single_byte: bool,
}

impl CharacterMap {
    /// Reads a character map.
    pub(super) fn read(data: &[u8], fuel: &Fuel) -> Self {
        let mut reader = Reader::new(data, 0, fuel);
        let mut operands = Vec::new();
        let mut map = Self { ranges: Vec::new(), is_single_byte: false };
        let (mut short, mut long) = (false, false);
        while let Some(object) = reader.next() {
            let Object::Word(word) = object else {
                operands.push(object);
                continue;
            };
            match word.as_slice() {
                b"endcodespacerange" => {
                    let single = |operand: &Object| matches!(operand, Object::Text(code) if code.len() == 1);
                    short |= operands.iter().any(single);
                    long |= operands.iter().any(|operand| !single(operand));
                }
                b"endbfchar" => operands.chunks_exact(2).for_each(|pair| map.add(&pair[0], &pair[0], &pair[1])),
                b"endbfrange" => operands.chunks_exact(3).for_each(|range| map.add(&range[0], &range[1], &range[2])),
                _ => {}
            }
            operands.clear();
        }
        map.ranges.sort_by_key(|range| range.first);
        map.is_single_byte = short && !long;
        map
    }

    fn add(&mut self, first: &Object, last: &Object, target: &Object) {
        let (Some(first), Some(last)) = (code(first), code(last)) else { return };
        match target {
            Object::Text(text) => self.push(first, last, utf_16(text)),
            Object::Array(targets) => {
                for (first, target) in (first..=last).zip(targets) {
                    if let Object::Text(text) = target {
                        self.push(first, first, utf_16(text));
                    }
                }
            }
            _ => {}
        }
    }

    fn push(&mut self, first: u32, last: u32, text: String) {
        if self.ranges.len() < MAX_RANGES && first <= last {
            self.ranges.push(CodeRange { first, last, text });
        }
    }

    /// Appends the text of a code; false if it has none.
    pub(super) fn append(&self, code: u32, text: &mut String) -> bool {
        let place = self.ranges.partition_point(|range| range.first <= code);
        let Some(range) = place.checked_sub(1).map(|place| &self.ranges[place]).filter(|range| range.last >= code)
        else {
            return false;
        };
        let mut characters = range.text.chars();
        let last = characters.next_back();
        text.push_str(characters.as_str());
        text.extend(last.and_then(|last| char::from_u32(u32::from(last).saturating_add(code - range.first))));
        true
    }
}

fn code(object: &Object) -> Option<u32> {
    let Object::Text(bytes) = object else { return None };
    (bytes.len() <= 4).then(|| bytes.iter().fold(0, |code, byte| code << 8 | u32::from(*byte)))
}

/// Text in big-endian UTF-16; one byte alone is a character.
pub(super) fn utf_16(bytes: &[u8]) -> String {
    if let [byte] = bytes {
        return char::from(*byte).to_string();
    }
    let units = bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
