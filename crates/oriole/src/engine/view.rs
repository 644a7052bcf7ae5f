//! What people see while the engine runs: a view on a terminal, log lines elsewhere.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};

use super::status::{Status, StatusBoard};
use crate::output::number::short;
use crate::units::SECONDS_PER_DAY;

/// Time between two looks.
const TICK: Duration = Duration::from_millis(250);

/// Time between two summaries in the log.
const SUMMARY: Duration = Duration::from_secs(10);

/// Log lines that may wait to be read.
const WAITING_LINES: usize = 1_000;

/// How long the last of them are waited for.
const LAST_LINES: Duration = Duration::from_millis(500);

/// Hosts shown.
const HOSTS: usize = 6;

/// Shows what is going on.
#[derive(Clone)]
pub(crate) enum View {
    /// On a terminal.
    Live(ProgressBar),
    /// As lines in the log.
    Lines,
}

impl View {
    /// On a terminal if standard error is one, unless log lines are wanted.
    pub(super) fn choose(lines: bool) -> Self {
        if lines || !io::stderr().is_terminal() {
            return Self::Lines;
        }
        let bar = ProgressBar::new_spinner();
        let style = ProgressStyle::with_template("{msg}");
        Self::Live(style.map(|style| bar.clone().with_style(style)).unwrap_or(bar))
    }

    /// Shows the status again and again, on a thread of its own: a terminal that takes nothing holds up nothing else.
    pub(super) fn watch(self, board: Arc<StatusBoard>) {
        thread::spawn(move || {
            let pause = if matches!(self, Self::Live(_)) { TICK } else { SUMMARY };
            loop {
                thread::sleep(pause);
                self.show(&board.status());
            }
        });
    }

    fn show(&self, status: &Status) {
        match self {
            Self::Live(_) => self.draw(picture(status, terminal_width())),
            Self::Lines => summary(status),
        }
    }

    /// Puts a text in the place of what is seen; nothing, where there is no terminal.
    pub(crate) fn draw(&self, text: String) {
        if let Self::Live(bar) = self
            && !bar.is_finished()
        {
            bar.set_message(text);
            bar.tick();
        }
    }

    fn print(&self, line: &[u8]) {
        // If nobody can be told, nobody is.
        _ = match self {
            Self::Live(bar) => bar.suspend(|| io::stderr().write_all(line)),
            Self::Lines => io::stderr().write_all(line),
        };
    }

    /// Takes the view away, unless the terminal does not take anything any more.
    pub(crate) fn end(self) {
        let Self::Live(bar) = self else { return };
        let (done, end) = channel();
        thread::spawn(move || {
            bar.finish_and_clear();
            _ = done.send(());
        });
        _ = end.recv_timeout(LAST_LINES);
    }

    /// Whether it was begun on a terminal that has gone since.
    pub(super) fn is_orphaned(&self) -> bool {
        matches!(self, Self::Live(_)) && console::Term::stderr().size_checked().is_none()
    }
}

/// Log lines on their way to standard error, above the view. They are written by a thread of their own, so that whoever does
/// not read them holds up nothing but them.
#[derive(Clone)]
pub(crate) struct Lines(SyncSender<Vec<u8>>);

impl Lines {
    pub(super) fn new(view: View) -> Self {
        let (sender, lines) = sync_channel::<Vec<u8>>(WAITING_LINES);
        thread::spawn(move || lines.iter().for_each(|line| view.print(&line)));
        Self(sender)
    }

    /// Waits until everything is written, but not for long.
    pub(crate) fn end(self) {
        let began = Instant::now();
        // An empty line says nothing, but is taken only when there is room.
        for _ in 0..WAITING_LINES {
            while self.0.try_send(Vec::new()).is_err() {
                if began.elapsed() > LAST_LINES {
                    return;
                }
                thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A line for which there is no room is lost; the crawl is not held up.
        _ = self.0.try_send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) fn terminal_width() -> usize {
    let (_, columns) = console::Term::stderr().size();
    usize::from(columns).clamp(40, 160)
}

fn summary(status: &Status) {
    tracing::info!(
        known = status.pages_known,
        fetched = status.pages_fetched,
        indexed = status.pages_indexed,
        queued = status.pages_queued,
        requests = status.requests,
        per_second = (status.requests_per_second * 10.0).round() / 10.0,
        changed = status.visits_changed,
        failed = status.visits_failed,
        stale = status.stale_estimate.map(|stale| (stale * 1e4).round() / 1e4),
        robots = (status.robots_mean * 100.0).round() / 100.0,
        buffer = status.buffer_occupancy,
        "crawling"
    );
}

/// The status for people, a few lines.
fn picture(status: &Status, width: usize) -> String {
    let mut text = String::new();
    let percent = |part: Option<f64>| part.map_or("-".to_owned(), |part| format!("{:.1} %", 100.0 * part));
    let budget = status.budget_per_day.map_or(String::new(), |day| format!(" of {}/s", short(day / SECONDS_PER_DAY)));
    let count = HumanCount;
    let lines = [
        format!(
            "pages    {} known, {} fetched, {} indexed",
            count(status.pages_known),
            count(status.pages_fetched),
            count(status.pages_indexed)
        ),
        format!("         {} queued, {} failed", count(status.pages_queued), count(status.pages_failed)),
        format!(
            "visits   {} requests, {:.1}/s{budget}, {} received",
            count(status.requests),
            status.requests_per_second,
            HumanBytes(status.bytes_received)
        ),
        format!(
            "         {} read, {} changed, {} as before, {} failed",
            count(status.visits_read),
            count(status.visits_changed),
            count(status.visits_unchanged),
            count(status.visits_failed)
        ),
        format!(
            "stale    {} of {} pages now; {} at best with this budget without hints, {} uniform, {} proportional",
            percent(status.stale_estimate),
            count(status.pages_kept_fresh),
            percent(status.stale_bound),
            percent(status.stale_uniform),
            percent(status.stale_proportional)
        ),
        format!("robots   {:.2} of {} at work on average", status.robots_mean, status.robots_max),
        format!(
            "buffer   [{}] {} of {}, {} lost, {} obsolete",
            gauge(status.buffer_occupancy, status.buffer_capacity, 20),
            status.buffer_occupancy,
            status.buffer_capacity,
            status.lost,
            status.obsolete
        ),
        format!("hosts    {} known, {} left alone for now", count(status.hosts), status.hosts_blocked),
    ];
    for line in lines {
        _ = writeln!(text, "{}", cut(&line, width));
    }
    for host in status.busiest_hosts.iter().take(HOSTS) {
        let blocked = host.blocked_for.map_or(String::new(), |wait| format!(", left alone for {wait:.0} s"));
        let line = format!(
            "  {}: {} pages, {} queued, {} under way, every {} s{blocked}",
            host.host,
            host.pages,
            host.queued,
            host.requests,
            short(host.delay)
        );
        _ = writeln!(text, "{}", cut(&line, width));
    }
    text.pop();
    text
}

pub(crate) fn gauge(part: u64, whole: u64, width: u64) -> String {
    let filled = (part * width).div_ceil(whole.max(1)).min(width);
    (0..width).map(|place| if place < filled { '=' } else { ' ' }).collect()
}

/// A line that fits, without what a terminal would act upon.
pub(crate) fn cut(line: &str, width: usize) -> String {
    line.chars().filter(|letter| !letter.is_control()).take(width.saturating_sub(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::{cut, gauge, picture};
    use crate::engine::status::Status;

    #[test]
    fn lines_fit_and_are_harmless() {
        assert_eq!(cut("a\u{1b}[31mb", 80), "a[31mb");
        assert_eq!(cut("abcdef", 4), "abc");
        assert!(picture(&Status::default(), 40).lines().all(|line| line.chars().count() < 40));
    }

    #[test]
    fn a_gauge_is_empty_only_if_nothing_is_there() {
        assert_eq!(
            (gauge(0, 64, 4), gauge(1, 64, 4), gauge(64, 64, 4), gauge(0, 0, 4)),
            ("    ".into(), "=   ".into(), "====".into(), "    ".into())
        );
    }
}
