//! Streams of random numbers, all from one seed.

use rand_pcg::Pcg64Mcg;

/// What a stream is for: what is drawn for one use does not move what is drawn for another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    Rates = 1,
    Weights,
    Sizes,
    Replacements,
    Changes,
    Ages,
    Titles,
    Paragraphs,
    Links,
    Latency,
    Faults,
    Lies,
    Sites,
}

/// The generator of one key.
pub(crate) fn rng(seed: u64, stream: Stream, first: u64, second: u64) -> Pcg64Mcg {
    sim::keyed(seed ^ ((stream as u64) << 56), first, second)
}
