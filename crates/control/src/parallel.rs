//! The same work on many things, on all processors. Results do not depend on how many there are.

use std::num::NonZero;
use std::thread;

/// `work` on each of `things`, in order.
pub(crate) fn map<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    if things.len() < 2 || threads < 2 {
        return things.iter().map(work).collect();
    }
    let parts: Vec<&[T]> = things.chunks(things.len().div_ceil(threads)).collect();
    let on_part = |part: &[T]| -> Vec<R> { part.iter().map(&work).collect() };
    thread::scope(|scope| {
        let on_part = &on_part;
        let others: Vec<_> = parts[1..].iter().map(|part| scope.spawn(move || on_part(part))).collect();
        let mut results = on_part(parts[0]);
        for other in others {
            match other.join() {
                Ok(more) => results.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}
