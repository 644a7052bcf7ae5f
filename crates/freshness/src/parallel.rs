//! Passes over many pages on all cores, with the same result on any number of them.

use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Pages per piece of work: partial results are formed per piece and combined in order, so rounding does not depend on
/// the number of threads.
pub(crate) const PIECE: usize = 1 << 15;

fn threads(pieces: usize) -> usize {
    thread::available_parallelism().map_or(1, NonZero::get).min(pieces)
}

/// `f` of every piece of `0..len`, in order.
pub(crate) fn map_pieces<T: Send>(len: usize, f: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    map_ranges(len, PIECE, f)
}

/// `f` of every range of `size` in `0..len`, in order.
pub(crate) fn map_ranges<T: Send>(len: usize, size: usize, f: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let pieces = len.div_ceil(size);
    let range = |piece: usize| piece * size..((piece + 1) * size).min(len);
    let workers = threads(pieces);
    if workers <= 1 {
        return (0..pieces).map(|piece| f(range(piece))).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces {
                return done;
            }
            done.push((piece, f(range(piece))));
        }
    };
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles
            .into_iter()
            .flat_map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    results.sort_unstable_by_key(|(piece, _)| *piece);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Fills `out` piece by piece with `f(first position, piece of out)`.
pub(crate) fn fill_pieces<T: Send>(out: &mut [T], f: impl Fn(usize, &mut [T]) + Sync) {
    let workers = threads(out.len().div_ceil(PIECE));
    if workers <= 1 {
        for (piece, slice) in out.chunks_mut(PIECE).enumerate() {
            f(piece * PIECE, slice);
        }
        return;
    }
    let pieces = std::sync::Mutex::new(out.chunks_mut(PIECE).enumerate());
    let take = || pieces.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((piece, slice)) = take() {
                    f(piece * PIECE, slice);
                }
            });
        }
    });
}
