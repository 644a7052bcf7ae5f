//! Lists of addresses, one a line.

use std::io::{BufRead, Read};

use anyhow::Result;

use super::addresses::Addresses;
use crate::failure::{Mistake, reading};
use crate::input::Input;

/// Longer lines are no addresses.
const LONGEST: u64 = 64 << 10;

/// Takes every line. Blank lines and those that begin with # do not count.
pub(super) fn read(mut input: Input, addresses: &mut Addresses<'_>) -> Result<()> {
    let name = input.name().to_owned();
    addresses.begin(&name);
    let mut line = Vec::new();
    let mut number = 0_u64;
    loop {
        line.clear();
        number += 1;
        let length = input.by_ref().take(LONGEST).read_until(b'\n', &mut line);
        match length.map_err(|error| reading(&name, error))? as u64 {
            0 => return addresses.some_or(&name),
            LONGEST if !line.ends_with(b"\n") => {
                return Err(Mistake::line(&name, number, "is too long for an address; give one address a line").into());
            }
            _ => {}
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_start_matches('\u{feff}').trim();
        if !text.is_empty() && !text.starts_with('#') {
            addresses.take(text, format_args!("line {number}"))?;
        }
    }
}
