//! Several measurements side by side.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use oriole_bench::Result;

/// Does all jobs, so many at a time, each on a thread with a runtime of its own. The results are in the order of the jobs;
/// what went wrong with the others is said, and how many these are.
pub(crate) fn all<J: Sync, R: Send>(
    jobs: &[J],
    parallel: usize,
    work: impl AsyncFn(&J) -> Result<R> + Sync,
) -> (Vec<R>, usize) {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<R>)>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..parallel.clamp(1, jobs.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(number) else { return };
                    let result = alone(work(job));
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    let (good, bad): (Vec<_>, Vec<_>) = done.into_iter().map(|(_, result)| result).partition(Result::is_ok);
    for error in bad.iter().filter_map(|result| result.as_ref().err()) {
        println!("a measurement failed: {error}");
    }
    (good.into_iter().flatten().collect(), bad.len())
}

/// Fails if jobs have.
pub(crate) fn all_done(failed: usize) -> Result<()> {
    if failed == 0 { Ok(()) } else { Err(format!("{failed} measurements failed and are left out").into()) }
}

fn alone<R>(work: impl Future<Output = Result<R>>) -> Result<R> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(work);
    runtime.shutdown_background();
    result
}
