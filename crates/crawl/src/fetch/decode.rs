use std::borrow::Cow;
use std::io::{self, Read};

use thiserror::Error;

/// Most compressions one upon another: a server that uses more is up to no good.
const MOST_LAYERS: usize = 3;

/// Why a body cannot be decompressed.
#[derive(Debug, Error)]
pub enum DecodeError {
    /// A compression that was not asked for.
    #[error("the body is compressed with {0:?}, which was not asked for")]
    Unknown(String),
    /// It is not what its headers say.
    #[error("the body cannot be decompressed: {0}")]
    Broken(#[from] io::Error),
}

/// Undoes the compressions that `Content-Encoding` lists, the last first. At most `most` bytes come out: of more, the start.
/// The end of a body that `is_cut` may be missing.
///
/// # Errors
/// If the bytes are not what the header says, or a compression is unknown.
pub fn decode<'a>(
    encodings: &str,
    body: &'a [u8],
    mut is_cut: bool,
    most: usize,
) -> Result<Cow<'a, [u8]>, DecodeError> {
    let layers: Vec<&str> = encodings.split(',').map(str::trim).filter(|layer| !layer.is_empty()).collect();
    if layers.len() > MOST_LAYERS {
        return Err(DecodeError::Unknown(encodings.to_owned()));
    }
    let mut bytes = Cow::Borrowed(body);
    for layer in layers.into_iter().rev() {
        if !bytes.is_empty() && !layer.eq_ignore_ascii_case("identity") {
            bytes = Cow::Owned(undo(layer, &bytes, is_cut, most)?);
            is_cut |= bytes.len() >= most;
        }
    }
    match &mut bytes {
        Cow::Borrowed(bytes) => *bytes = &bytes[..bytes.len().min(most)],
        Cow::Owned(bytes) => bytes.truncate(most),
    }
    Ok(bytes)
}

fn undo(layer: &str, from: &[u8], is_cut: bool, most: usize) -> Result<Vec<u8>, DecodeError> {
    match layer.to_ascii_lowercase().as_str() {
        "gzip" | "x-gzip" => read(flate2::read::MultiGzDecoder::new(from), is_cut, most),
        // Meant to have a zlib header; many servers leave it out.
        "deflate" => match read(flate2::read::ZlibDecoder::new(from), is_cut, most) {
            Err(DecodeError::Broken(_)) => read(flate2::read::DeflateDecoder::new(from), is_cut, most),
            done => done,
        },
        "br" => read(brotli_decompressor::Decompressor::new(from, 1 << 16), is_cut, most),
        "zstd" => read(zstd::stream::read::Decoder::with_buffer(from)?, is_cut, most),
        _ => Err(DecodeError::Unknown(layer.to_owned())),
    }
}

fn read(decoder: impl Read, is_cut: bool, most: usize) -> Result<Vec<u8>, DecodeError> {
    let mut bytes = Vec::new();
    match decoder.take(most as u64).read_to_end(&mut bytes) {
        Err(error) if !is_cut || bytes.is_empty() => Err(error.into()),
        _ => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_was_compressed_comes_back() {
        let text = b"the golden robin ".repeat(100);
        let zstd = zstd::stream::encode_all(&text[..], 3).unwrap();
        for (encoding, body) in [
            ("", text.clone()),
            ("identity", text.clone()),
            ("gzip", gzip(&text)),
            ("X-GZIP", gzip(&text)),
            ("deflate", zlib(&text)),
            ("deflate", zlib(&text)[2..].to_vec()),
            ("zstd", zstd),
            ("gzip, gzip", gzip(&gzip(&text))),
        ] {
            assert_eq!(decode(encoding, &body, false, 10_000).unwrap(), text, "{encoding}");
        }
        // "the golden robin" in a raw brotli block.
        let mut brotli = vec![0x8b, 0x07, 0x80];
        brotli.extend_from_slice(b"the golden robin\x03");
        assert_eq!(*decode("br", &brotli, false, 10_000).unwrap(), *b"the golden robin");
    }

    fn noise(length: usize) -> Vec<u8> {
        let states =
            std::iter::successors(Some(7u32), |state| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)));
        states.map(|state| (state >> 24) as u8).take(length).collect()
    }

    #[test]
    fn the_start_of_a_body_that_was_cut_is_read() {
        let text = noise(100_000);
        let zstd = zstd::stream::encode_all(&text[..], 3).unwrap();
        for (encoding, body) in [("gzip", gzip(&text)), ("deflate", zlib(&text)), ("zstd", zstd)] {
            let start = decode(encoding, &body[..90_000], true, 1_000_000).unwrap();
            assert!(!start.is_empty() && text.starts_with(&start), "{encoding}");
            assert!(decode(encoding, &body[..90_000], false, 1_000_000).is_err(), "{encoding}");
        }
    }

    #[test]
    fn bombs_are_stopped_at_the_limit() {
        let bomb = gzip(&vec![0; 50_000_000]);
        assert!(bomb.len() < 500_000);
        assert_eq!(decode("gzip", &bomb, false, 1_000_000).unwrap(), vec![0; 1_000_000]);
        let nested = gzip(&bomb);
        assert_eq!(decode("gzip, gzip", &nested, false, 1_000_000).unwrap().len(), 1_000_000);
        // Here the inner layer itself is longer than the limit.
        assert!(decode("gzip, gzip", &gzip(&gzip(&noise(10_000))), false, 1_000).unwrap().len() <= 1_000);
        assert!(matches!(decode("gzip,gzip,gzip,gzip", &nested, false, 1_000_000), Err(DecodeError::Unknown(_))));
    }

    #[test]
    fn what_is_not_compressed_as_it_says_is_an_error() {
        for encoding in ["gzip", "deflate", "br", "zstd"] {
            assert!(
                matches!(decode(encoding, b"<html>plain</html>", false, 1000), Err(DecodeError::Broken(_))),
                "{encoding}"
            );
        }
        assert!(matches!(decode("compress", b"x", false, 1000), Err(DecodeError::Unknown(_))));
        let cut = gzip(&b"the golden robin ".repeat(100));
        assert!(decode("gzip", &cut[..cut.len() - 9], false, 100_000).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_give_an_answer_within_the_limit(bytes: Vec<u8>, encoding in "(gzip|deflate|br|zstd|, )*", cut: bool) {
            if let Ok(decoded) = decode(&encoding, &bytes, cut, 500) {
                prop_assert!(decoded.len() <= 500);
            }
        }
    }
}
