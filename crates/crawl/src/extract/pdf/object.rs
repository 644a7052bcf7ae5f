//! The objects that a PDF file, its page contents and its character maps are made of.

use std::cell::Cell;
use std::ops::Range;

use memchr::memmem;

/// Arrays and dictionaries within each other that are read; deeper ones end the object.
const MAX_DEPTH: u32 = 32;

/// Work that may still be done, in steps of about a byte each. All loops over foreign data spend from it, so that a
/// document that refers to itself ends.
pub(super) struct Fuel(Cell<u64>);

impl Fuel {
    pub(super) fn new(steps: u64) -> Self {
        Self(Cell::new(steps))
    }

    /// Spends some steps; false if there are not enough.
    pub(super) fn spend(&self, steps: usize) -> bool {
        let left = self.0.get().checked_sub(steps as u64);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// An object.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Object {
    Number(f64),
    Name(Vec<u8>),
    Text(Vec<u8>),
    Array(Vec<Object>),
    Dict(Dict),
    /// An indirect object, by its number.
    Reference(u32),
    /// An operator or other bare word.
    Word(Vec<u8>),
}

impl Object {
    pub(super) fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    pub(super) fn name(&self) -> Option<&[u8]> {
        if let Self::Name(name) = self { Some(name) } else { None }
    }

    pub(super) fn array(&self) -> Option<&[Object]> {
        if let Self::Array(array) = self { Some(array) } else { None }
    }

    pub(super) fn dict(&self) -> Option<&Dict> {
        if let Self::Dict(dict) = self { Some(dict) } else { None }
    }

    pub(super) fn reference(&self) -> Option<u32> {
        if let Self::Reference(number) = self { Some(*number) } else { None }
    }
}

/// A dictionary, and the place of its data if it is that of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Dict {
    entries: Vec<(Vec<u8>, Object)>,
    pub(super) data: Option<Range<usize>>,
}

impl Dict {
    pub(super) fn get(&self, key: &str) -> Option<&Object> {
        self.entries.iter().find(|(known, _)| known == key.as_bytes()).map(|(_, value)| value)
    }
}

/// Reads objects from bytes.
pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) fuel: &'a Fuel,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize, fuel: &'a Fuel) -> Self {
        Self { bytes, at: at.min(bytes.len()), fuel }
    }

    /// The next object, `None` at the end or if there is no more fuel. Signs that belong nowhere are skipped.
    pub(super) fn next(&mut self) -> Option<Object> {
        self.object(0)
    }

    fn object(&mut self, depth: u32) -> Option<Object> {
        loop {
            self.skip_space();
            let byte = *self.bytes.get(self.at)?;
            if !self.fuel.spend(1) {
                return None;
            }
            let second = self.bytes.get(self.at + 1);
            match byte {
                b'/' => return Some(Object::Name(self.name())),
                b'(' => return Some(Object::Text(self.literal())),
                b'<' if second == Some(&b'<') => return self.dict(depth),
                b'<' => return Some(Object::Text(self.hexadecimal())),
                b'[' => return self.array(depth),
                b']' | b'>' => return Some(Object::Word(self.closing(byte))),
                b'0'..=b'9' | b'+' | b'-' | b'.' => return Some(self.number_or_reference()),
                b'{' | b'}' | b')' => self.at += 1,
                _ => return Some(Object::Word(self.regular().to_vec())),
            }
        }
    }

    fn skip_space(&mut self) {
        let start = self.at;
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'%' => {
                    let rest = &self.bytes[self.at..];
                    self.at += rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
                }
                byte if is_space(*byte) => self.at += 1,
                _ => break,
            }
        }
        self.fuel.spend(self.at - start);
    }

    /// `]`, `>>` or a lone `>`.
    fn closing(&mut self, byte: u8) -> Vec<u8> {
        let double = byte == b'>' && self.bytes.get(self.at + 1) == Some(&b'>');
        self.at += 1 + usize::from(double);
        if double { b">>".to_vec() } else { vec![byte] }
    }

    fn regular(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| !is_regular(*byte)).unwrap_or(rest.len());
        self.at += length;
        self.fuel.spend(length);
        &rest[..length]
    }

    fn name(&mut self) -> Vec<u8> {
        self.at += 1;
        let raw = self.regular();
        let mut name = Vec::with_capacity(raw.len());
        let mut at = 0;
        while at < raw.len() {
            let escaped =
                (raw[at] == b'#').then(|| Some(hex(*raw.get(at + 1)?)? << 4 | hex(*raw.get(at + 2)?)?)).flatten();
            name.push(escaped.unwrap_or(raw[at]));
            at += if escaped.is_some() { 3 } else { 1 };
        }
        name
    }

    /// A string in parentheses.
    fn literal(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut text = Vec::new();
        let mut open = 1;
        while let Some(byte) = self.bytes.get(self.at).copied() {
            self.at += 1;
            match byte {
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                }
                b'\\' => {
                    text.extend(self.escape());
                    continue;
                }
                _ => {}
            }
            text.push(byte);
        }
        self.fuel.spend(text.len());
        text
    }

    /// The character behind a backslash.
    fn escape(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        match byte {
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'b' => Some(8),
            b'f' => Some(12),
            b'\n' => None,
            b'\r' => {
                self.at += usize::from(self.bytes.get(self.at) == Some(&b'\n'));
                None
            }
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.bytes.get(self.at) else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                Some(code as u8)
            }
            _ => Some(byte),
        }
    }

    /// A string in angle brackets.
    fn hexadecimal(&mut self) -> Vec<u8> {
        let rest = &self.bytes[self.at + 1..];
        let length = rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len());
        self.at = self.bytes.len().min(self.at + length + 2);
        self.fuel.spend(length);
        let digits: Vec<u8> = rest[..length].iter().filter_map(|byte| hex(*byte)).collect();
        digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
    }

    fn array(&mut self, depth: u32) -> Option<Object> {
        self.at += 1;
        if depth >= MAX_DEPTH {
            return None;
        }
        let mut array = Vec::new();
        loop {
            match self.object(depth + 1) {
                None => break,
                Some(Object::Word(word)) if word == b"]" => break,
                // An array that was never closed.
                Some(Object::Word(word)) if word == b"endobj" || word == b">>" => break,
                Some(object) => array.push(object),
            }
        }
        Some(Object::Array(array))
    }

    fn dict(&mut self, depth: u32) -> Option<Object> {
        self.at += 2;
        if depth >= MAX_DEPTH {
            return None;
        }
        let mut entries = Vec::new();
        loop {
            match self.object(depth + 1) {
                None => break,
                Some(Object::Word(word)) if word == b">>" || word == b"endobj" => break,
                Some(Object::Name(key)) => {
                    let Some(value) = self.object(depth + 1) else { break };
                    let closes = matches!(&value, Object::Word(word) if word == b">>");
                    entries.push((key, value));
                    if closes {
                        break;
                    }
                }
                Some(_) => {}
            }
        }
        Some(Object::Dict(Dict { entries, data: None }))
    }

    fn number_or_reference(&mut self) -> Object {
        let number = parse_number(self.regular());
        let is_whole = number >= 0.0 && number <= f64::from(u32::MAX) && number.fract() == 0.0;
        if is_whole && let Some(behind) = self.behind_reference() {
            self.at = behind;
            return Object::Reference(number as u32);
        }
        Object::Number(number)
    }

    /// Where `0 R` ends, if it stands here.
    fn behind_reference(&self) -> Option<usize> {
        let rest = &self.bytes[self.at..];
        let spaces = rest.iter().take(4).take_while(|byte| is_space(**byte)).count();
        let digits = rest[spaces..].iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
        let gap = rest[spaces + digits..].iter().take(4).take_while(|byte| is_space(**byte)).count();
        let end = spaces + digits + gap;
        let is_reference = spaces > 0 && digits > 0 && gap > 0 && rest.get(end) == Some(&b'R');
        (is_reference && rest.get(end + 1).is_none_or(|byte| !is_regular(*byte))).then_some(self.at + end + 1)
    }

    /// Where the data of a stream lies, if the word `stream` stands here.
    pub(super) fn stream_data(&mut self, length: Option<usize>) -> Option<Range<usize>> {
        self.skip_space();
        let rest = self.bytes[self.at..].strip_prefix(b"stream")?;
        let line_end =
            if rest.starts_with(b"\r\n") { 2 } else { usize::from(rest.starts_with(b"\n") || rest.starts_with(b"\r")) };
        let start = self.at + 6 + line_end;
        if let Some(end) = length.and_then(|length| start.checked_add(length)).filter(|end| *end <= self.bytes.len()) {
            let behind = &self.bytes[end..self.bytes.len().min(end + 16)];
            if behind.trim_ascii_start().starts_with(b"endstream") {
                return Some(start..end);
            }
        }
        let found = memmem::find(&self.bytes[start..], b"endstream");
        let end = found.map_or(self.bytes.len(), |distance| start + distance);
        self.fuel.spend(end - start).then_some(start..end)
    }
}

/// A number as lenient readers take it: `-.5`, `4.`, `--3`, `1e` as far as it goes.
fn parse_number(text: &[u8]) -> f64 {
    let negative = text.first() == Some(&b'-');
    let (mut value, mut scale) = (0.0, 0.0);
    for byte in text {
        match byte {
            b'0'..=b'9' if scale > 0.0 => {
                value += f64::from(byte - b'0') * scale;
                scale /= 10.0;
            }
            b'0'..=b'9' => value = value * 10.0 + f64::from(byte - b'0'),
            b'.' if scale == 0.0 => scale = 0.1,
            b'+' | b'-' => {}
            _ => break,
        }
    }
    if negative { -value } else { value }
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 12 | b'\r' | b' ')
}

fn is_regular(byte: u8) -> bool {
    !is_space(byte) && !matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

pub(super) fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}
