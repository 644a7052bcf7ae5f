use std::io::{self, Read};

use thiserror::Error;

/// Most compressions one upon another: a server that uses more is up to no good.
const MOST_LAYERS: usize = 3;

/// Why a body cannot be decompressed.
#[derive(Debug, Error)]
pub enum DecodeError {
    /// It would be too long.
    #[error("the body is longer than {0} bytes once decompressed")]
    TooLong(usize),
    /// A compression that was not asked for.
    #[error("the body is compressed with {0:?}, which was not asked for")]
    Unknown(String),
    /// It is not what its headers say.
    #[error("the body cannot be decompressed: {0}")]
    Broken(#[from] io::Error),
}

/// Undoes the compressions that `Content-Encoding` lists, the last first; at most `most` bytes come out.
///
/// # Errors
/// If the bytes are not what the header says, more would come out, or a compression is unknown.
pub fn decode(encodings: &str, body: &[u8], most: usize) -> Result<Vec<u8>, DecodeError> {
    let layers: Vec<&str> = encodings.split(',').map(str::trim).filter(|layer| !layer.is_empty()).collect();
    if layers.len() > MOST_LAYERS {
        return Err(DecodeError::Unknown(encodings.to_owned()));
    }
    let mut bytes = body.to_vec();
    for layer in layers.into_iter().rev() {
        if !bytes.is_empty() {
            bytes = undo(layer, bytes, most)?;
        }
    }
    if bytes.len() > most { Err(DecodeError::TooLong(most)) } else { Ok(bytes) }
}

fn undo(layer: &str, bytes: Vec<u8>, most: usize) -> Result<Vec<u8>, DecodeError> {
    let from = bytes.as_slice();
    match layer.to_ascii_lowercase().as_str() {
        "identity" => Ok(bytes),
        "gzip" | "x-gzip" => read(flate2::read::MultiGzDecoder::new(from), most),
        // Meant to have a zlib header; many servers leave it out.
        "deflate" => match read(flate2::read::ZlibDecoder::new(from), most) {
            Err(DecodeError::Broken(_)) => read(flate2::read::DeflateDecoder::new(from), most),
            done => done,
        },
        "br" => read(brotli_decompressor::Decompressor::new(from, 1 << 16), most),
        "zstd" => read(zstd::stream::read::Decoder::with_buffer(from)?, most),
        _ => Err(DecodeError::Unknown(layer.to_owned())),
    }
}

fn read(decoder: impl Read, most: usize) -> Result<Vec<u8>, DecodeError> {
    let mut bytes = Vec::new();
    decoder.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most { Err(DecodeError::TooLong(most)) } else { Ok(bytes) }
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
            assert_eq!(decode(encoding, &body, 10_000).unwrap(), text, "{encoding}");
        }
        // "the golden robin" in a raw brotli block.
        let mut brotli = vec![0x8b, 0x07, 0x80];
        brotli.extend_from_slice(b"the golden robin\x03");
        assert_eq!(decode("br", &brotli, 10_000).unwrap(), b"the golden robin");
    }

    #[test]
    fn bombs_are_stopped_at_the_limit() {
        let bomb = gzip(&vec![0; 50_000_000]);
        assert!(bomb.len() < 500_000);
        assert!(matches!(decode("gzip", &bomb, 1_000_000), Err(DecodeError::TooLong(1_000_000))));
        let nested = gzip(&bomb);
        assert!(matches!(decode("gzip, gzip", &nested, 1_000_000), Err(DecodeError::TooLong(_))));
        assert!(matches!(decode("gzip,gzip,gzip,gzip", &nested, 1_000_000), Err(DecodeError::Unknown(_))));
    }

    #[test]
    fn what_is_not_compressed_as_it_says_is_an_error() {
        for encoding in ["gzip", "deflate", "br", "zstd"] {
            assert!(matches!(decode(encoding, b"<html>plain</html>", 1000), Err(DecodeError::Broken(_))), "{encoding}");
        }
        assert!(matches!(decode("compress", b"x", 1000), Err(DecodeError::Unknown(_))));
        let cut = gzip(&b"the golden robin ".repeat(100));
        assert!(decode("gzip", &cut[..cut.len() - 9], 100_000).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_give_an_answer_within_the_limit(bytes: Vec<u8>, encoding in "(gzip|deflate|br|zstd|, )*") {
            if let Ok(decoded) = decode(&encoding, &bytes, 500) {
                prop_assert!(decoded.len() <= 500);
            }
        }
    }
}
