use std::fmt;

use serde::{Deserialize, Serialize};
use sha1::{Digest as _, Sha1};

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// SHA-1 of bytes, as web archives use it: it recognises, it does not protect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Digest(pub [u8; 20]);

impl Digest {
    /// The digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self::of_parts(&[bytes])
    }

    /// The digest of the parts in a row.
    #[must_use]
    pub fn of_parts(parts: &[&[u8]]) -> Self {
        let mut sha1 = Sha1::new();
        for part in parts {
            sha1.update(part);
        }
        Self(sha1.finalize().into())
    }

    /// As 32 letters and digits.
    #[must_use]
    pub fn base32(&self) -> String {
        self.0.chunks_exact(5).flat_map(letters).collect()
    }

    /// Reads what [`Display`](fmt::Display) writes; the digits may also be hexadecimal, as some tools write them.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (name, digits) = text.trim().split_once(':')?;
        if !name.eq_ignore_ascii_case("sha1") {
            return None;
        }
        match digits.len() {
            32 => from_digits::<5>(digits, |byte| BASE32.iter().position(|b| *b == byte.to_ascii_uppercase())),
            40 => from_digits::<4>(digits, |byte| char::from(byte).to_digit(16).map(|digit| digit as usize)),
            _ => None,
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha1:{}", self.base32())
    }
}

/// Five bytes as eight letters.
fn letters(five: &[u8]) -> [char; 8] {
    let bits = five.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    std::array::from_fn(|place| char::from(BASE32[(bits >> (35 - 5 * place) & 31) as usize]))
}

/// Twenty bytes from digits of `BITS` bits each.
fn from_digits<const BITS: u32>(digits: &str, value: impl Fn(u8) -> Option<usize>) -> Option<Digest> {
    let mut bytes = Vec::with_capacity(20);
    let (mut bits, mut count) = (0_u32, 0);
    for digit in digits.bytes() {
        bits = bits << BITS | value(digit)? as u32;
        count += BITS;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    bytes.try_into().ok().map(Digest)
}
