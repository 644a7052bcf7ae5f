//! Streams of random numbers, all from one seed.

use rand::RngExt;
use rand_distr::Exp1;
use rand_pcg::Pcg64Mcg;

/// What a stream is for. Each use has its own, so that policies under the same seed meet the same access times, the same
/// arrivals and, for renewal processes, the same changes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    AccessTimes = 1,
    Changes,
    Turnover,
    Signals,
    Policy,
    Deliveries,
    Indexing,
    Obsolescence,
}

/// The generator of one stream.
pub(crate) fn stream(seed: u64, stream: Stream) -> Pcg64Mcg {
    keyed(seed, stream as u64, 0)
}

/// The generator of one key, such as (seed, page, number of the change).
#[must_use]
pub fn keyed(seed: u64, first: u64, second: u64) -> Pcg64Mcg {
    let high = mix(mix(seed).wrapping_add(first));
    let low = mix(high ^ second.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    Pcg64Mcg::new((u128::from(high) << 64) | u128::from(low))
}

/// Exponential with the given rate; infinite if the rate is zero.
pub fn exponential(rng: &mut Pcg64Mcg, rate: f64) -> f64 {
    if rate <= 0.0 {
        return f64::INFINITY;
    }
    rng.sample::<f64, _>(Exp1) / rate
}

/// The finaliser of SplitMix64: every bit of the input moves every bit of the output.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
