//! What takes long is said beforehand, and what takes too long is not begun.

use std::io::IsTerminal;

use control::Effort;

use crate::failure::Mistake;
use crate::output::note;
use crate::progress::{Progress, while_doing};

/// Multiplications in a second, on two processors.
const PER_SECOND: f64 = 5e9;

/// Seconds from which it is said how long something takes.
const LONG: f64 = 10.0;

/// Seconds beyond which nothing is begun: two hours.
const TOO_LONG: f64 = 7200.0;

/// Memory beyond which nothing is begun: 8 GiB.
const MOST_BYTES: f64 = (8u64 << 30) as f64;

/// Does what takes about so much, unless that is too much: then the message says what would make it less. Runs behind a spinner
/// on a terminal; elsewhere a note says how long it takes, unless it ends at once.
pub(super) fn while_waiting<T>(
    what: &str,
    effort: Effort,
    remedy: &str,
    work: impl FnOnce() -> T,
) -> Result<T, Mistake> {
    let seconds = effort.multiplications / PER_SECOND;
    if let Some(problem) = too_much(effort) {
        return Err(Mistake::usage(format_args!("{what} {problem}; {remedy}")));
    }
    if seconds < LONG {
        return Ok(while_doing(what, work));
    }
    let _progress = Progress::announced(format!("{what} takes up to about {}", duration(seconds)));
    Ok(work())
}

/// What is too much about it, if anything is.
fn too_much(effort: Effort) -> Option<String> {
    let (seconds, gigabytes) = (effort.multiplications / PER_SECOND, effort.bytes / 1e9);
    if effort.bytes > MOST_BYTES {
        return Some(format!("would take {gigabytes:.0} GB of memory, more than {:.1}", MOST_BYTES / 1e9));
    }
    (seconds > TOO_LONG).then(|| format!("would take about {}, more than {}", duration(seconds), duration(TOO_LONG)))
}

/// In words, of one digit or two.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{:.0} s", (s / 10.0).ceil() * 10.0),
        s if s < 5_400.0 => format!("{:.0} min", (s / 60.0).ceil()),
        s if s < 1.7e5 => format!("{:.0} h", (s / 3600.0).round()),
        s if s < 8.6e6 => format!("{:.0} days", (s / 86_400.0).round()),
        s => format!("{:.1e} days", s / 86_400.0),
    }
}

/// The time that a simulation takes, said where no bar shows it.
pub(super) fn tell_events(events: f64) {
    /// Events in a second.
    const EVENTS: f64 = 3e6;
    if events / EVENTS >= LONG && !std::io::stderr().is_terminal() {
        note(format_args!("simulating takes up to about {}", duration(events / EVENTS)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_not_begun() {
        let take = |multiplications: f64, bytes: f64| {
            while_waiting("solving", Effort { multiplications, bytes }, "lower the buffer", || 1)
                .map_err(|mistake| mistake.to_string())
        };
        assert_eq!(take(1e3, 1e3), Ok(1));
        assert_eq!(take(1e14, 1e3), Err("solving would take about 6 h, more than 2 h; lower the buffer".to_string()));
        assert_eq!(
            take(1e3, 1e11),
            Err("solving would take 100 GB of memory, more than 8.6; lower the buffer".to_string())
        );
        assert!(take(f64::INFINITY, 1.0).is_err() && take(1e300, f64::INFINITY).is_err());
    }

    #[test]
    fn durations_are_in_words() {
        let all = [12.0, 89.0, 91.0, 7200.0, 2e5, 1e12].map(duration);
        assert_eq!(all, ["20 s", "90 s", "2 min", "2 h", "2 days", "1.2e7 days"]);
    }
}
