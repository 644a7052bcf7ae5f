//! Passes over many pages on all cores, with the same result on any number of them.

use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Pages per piece of work: partial results are formed per piece and combined in order, so rounding does not depend on
/// the number of threads.
pub(crate) const PIECE: usize = 1 << 15;

fn threads(pieces: usize) -> usize {
    // Asking for the number of cores costs more than a pass over a few pages.
    if pieces <= 1 { 1 } else { thread::available_parallelism().map_or(1, NonZero::get).min(pieces) }
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
    let mut nothing = vec![(); out.len()];
    fill_pairs(out, &mut nothing, |first, piece, _| f(first, piece));
}

/// Fills two slices of the same length piece by piece; returns what `f` returned for each piece, in order.
pub(crate) fn fill_pairs<A: Send, B: Send, T: Send>(
    left: &mut [A],
    right: &mut [B],
    f: impl Fn(usize, &mut [A], &mut [B]) -> T + Sync,
) -> Vec<T> {
    let pieces: Vec<Mutex<(&mut [A], &mut [B])>> =
        left.chunks_mut(PIECE).zip(right.chunks_mut(PIECE)).map(Mutex::new).collect();
    map_ranges(pieces.len(), 1, |range| {
        // Each piece is taken once, so the lock is never waited for.
        let mut piece = pieces[range.start].lock().unwrap_or_else(PoisonError::into_inner);
        let (left, right) = &mut *piece;
        f(range.start * PIECE, left, right)
    })
}
