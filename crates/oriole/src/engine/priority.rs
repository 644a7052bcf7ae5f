//! Work behind the scenes gives way to people who wait for an answer.

use std::thread;

/// How much the keeper, and whoever writes and merges the search index, give way: where both have more to do than the processors
/// can, a search gets about ten times as much of them.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Lets this thread, and those it starts, give way to others. Elsewhere than on Linux this would hold for the whole program, so
/// nothing is done.
pub(super) fn give_way() {
    // Where it is not allowed, all are equal.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(NICENESS);
}

/// Does something on a thread that gives way, and waits for it.
pub(super) fn giving_way<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let patiently = || {
        give_way();
        work()
    };
    thread::scope(|scope| scope.spawn(patiently).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
