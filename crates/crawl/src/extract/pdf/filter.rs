//! Unpacks the data of streams, within limits.

use std::io::Read;

use flate2::bufread::{DeflateDecoder, ZlibDecoder};

use super::object::{Fuel, hex};

/// Bytes of one unpacked stream.
const MAX_UNPACKED: usize = 32 << 20;

/// The data behind one filter; `None` for filters of images and those nobody knows.
pub(super) fn unpack(filter: &[u8], data: &[u8], fuel: &Fuel) -> Option<Vec<u8>> {
    let unpacked = match filter {
        b"FlateDecode" | b"Fl" => flate(data),
        b"LZWDecode" | b"LZW" => lzw(data),
        b"ASCIIHexDecode" | b"AHx" => ascii_hex(data),
        b"ASCII85Decode" | b"A85" => ascii_85(data),
        b"RunLengthDecode" | b"RL" => run_length(data),
        _ => return None,
    };
    fuel.spend(data.len() + unpacked.len()).then_some(unpacked)
}

/// What can be unpacked; a damaged end or a missing header does not spoil the rest.
fn flate(data: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let _ = ZlibDecoder::new(data).take(MAX_UNPACKED as u64).read_to_end(&mut unpacked);
    if unpacked.is_empty() && data.len() > 2 {
        let _ = DeflateDecoder::new(&data[2..]).take(MAX_UNPACKED as u64).read_to_end(&mut unpacked);
    }
    unpacked
}

fn ascii_hex(data: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = data.iter().take_while(|byte| **byte != b'>').filter_map(|byte| hex(*byte)).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
}

fn ascii_85(data: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::with_capacity(data.len() / 5 * 4);
    let (mut group, mut count) = (0u32, 0);
    for byte in data.iter().take_while(|byte| **byte != b'~') {
        match byte {
            b'z' if count == 0 => unpacked.extend([0; 4]),
            b'!'..=b'u' => {
                group = group.wrapping_mul(85).wrapping_add(u32::from(byte - b'!'));
                count += 1;
                if count == 5 {
                    unpacked.extend(group.to_be_bytes());
                    (group, count) = (0, 0);
                }
            }
            _ => {}
        }
    }
    if count > 1 {
        let padded = (count..5).fold(group, |group, _| group.wrapping_mul(85).wrapping_add(84));
        unpacked.extend(&padded.to_be_bytes()[..count - 1]);
    }
    unpacked
}

fn run_length(data: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let mut at = 0;
    while let Some(length) = data.get(at).copied().filter(|length| *length != 128) {
        if unpacked.len() > MAX_UNPACKED {
            break;
        }
        if length < 128 {
            let end = data.len().min(at + 2 + usize::from(length));
            unpacked.extend(&data[at + 1..end]);
            at = end;
        } else if let Some(byte) = data.get(at + 1) {
            unpacked.resize(unpacked.len() + 257 - usize::from(length), *byte);
            at += 2;
        } else {
            break;
        }
    }
    unpacked
}

/// LZW with codes of 9 to 12 bits that grow one code early, as PDF has it by default.
fn lzw(data: &[u8]) -> Vec<u8> {
    // For each code from 258 on where its sequence lies in the output; it is one longer than the one before.
    let mut sequences: Vec<(usize, usize)> = Vec::new();
    let mut unpacked: Vec<u8> = Vec::new();
    let mut previous: Option<(usize, usize)> = None;
    let (mut bits, mut available, mut width) = (0u32, 0u32, 9u32);
    for byte in data {
        bits = bits << 8 | u32::from(*byte);
        available += 8;
        if available < width {
            continue;
        }
        available -= width;
        let code = (bits >> available) as usize & ((1 << width) - 1);
        bits &= (1 << available) - 1;
        if code == 257 || unpacked.len() > MAX_UNPACKED {
            break;
        }
        if code == 256 {
            sequences.clear();
            (previous, width) = (None, 9);
            continue;
        }
        let start = unpacked.len();
        if code < 256 {
            unpacked.push(code as u8);
        } else {
            // The code that is just being defined is the previous sequence and its first byte.
            let known = sequences.get(code - 258).copied().or(previous.map(|(start, length)| (start, length + 1)));
            let Some((from, length)) = known else { break };
            for place in from..from + length {
                unpacked.push(unpacked[place]);
            }
        }
        if let Some((from, length)) = previous
            && sequences.len() < 4096 - 258
        {
            sequences.push((from, length + 1));
        }
        previous = Some((start, unpacked.len() - start));
        width = match sequences.len() + 258 + 1 {
            0..=511 => 9,
            512..=1023 => 10,
            1024..=2047 => 11,
            _ => 12,
        };
    }
    unpacked
}
