//! Figures for Prometheus.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use store::{Counts, State};
use tokio::net::TcpListener;

use super::governor::{ControlStatus, Figures};
use super::status::{Status, StatusBoard};
use crate::server::serve_aside;

/// Opens the port, so that an error is seen before the crawl begins.
///
/// # Errors
/// If the address cannot be used.
pub(super) async fn listen(address: SocketAddr) -> Result<TcpListener> {
    let listener = TcpListener::bind(address).await;
    listener.with_context(|| format!("cannot serve metrics at {address}; choose another address with --metrics"))
}

/// Serves the status until the program ends, under our own names and these.
pub(super) async fn serve(listener: TcpListener, board: Arc<StatusBoard>, hosts: Vec<String>) {
    let page = move || async move { ([(CONTENT_TYPE, FORMAT)], exposition(&board.status())) };
    serve_aside(listener, Router::new().route("/metrics", get(page)), &hosts).await;
}

/// The media type of what is served.
pub(crate) const FORMAT: &str = "text/plain; version=0.0.4";

/// What the catalogue says where no engine runs, in the text format of Prometheus.
pub(crate) fn of_catalogue(counts: &Counts) -> String {
    let fetched = counts.state(State::Fetched) + counts.state(State::Duplicate);
    let figures = [
        ("pages_known", "Pages known.", counts.pages()),
        ("pages_fetched", "Pages of which there is a copy.", fetched),
        ("pages_indexed", "Pages in the search index.", counts.indexed),
        ("pages_failed", "Pages whose visits have failed so far.", counts.state(State::Failed)),
        ("hosts", "Hosts known.", counts.hosts),
    ];
    let mut text = String::new();
    for (name, help, value) in figures {
        _ = writeln!(text, "# HELP oriole_{name} {help}\n# TYPE oriole_{name} gauge\noriole_{name} {value}");
    }
    text
}

/// The status in the text format of Prometheus.
pub(crate) fn exposition(status: &Status) -> String {
    let whole = |value: u64| Some(value as f64);
    let gauges = [
        ("pages_known", "Pages known.", whole(status.pages_known)),
        ("pages_fetched", "Pages of which there is a copy.", whole(status.pages_fetched)),
        ("pages_indexed", "Pages in the search index.", whole(status.pages_indexed)),
        ("pages_failed", "Pages whose visits have failed so far.", whole(status.pages_failed)),
        ("pages_queued", "Pages waiting for their first visit.", whole(status.pages_queued)),
        ("pages_kept_fresh", "Pages visited again and again.", whole(status.pages_kept_fresh)),
        ("hosts", "Hosts known.", whole(status.hosts)),
        ("hosts_blocked", "Hosts left alone for now.", whole(status.hosts_blocked)),
        ("robots_active", "Robots at work at this moment.", whole(status.robots_active)),
        ("robots_mean", "Robots at work on average in the last seconds.", Some(status.robots_mean)),
        ("robots_wanted", "Robots wanted.", whole(status.robots_wanted)),
        ("robots_max", "Most robots.", whole(status.robots_max)),
        ("buffer_occupancy", "Documents waiting to be indexed or being indexed.", whole(status.buffer_occupancy)),
        ("buffer_capacity", "Places in the buffer.", whole(status.buffer_capacity)),
        ("budget_requests_per_day", "Requests allowed a day.", status.budget_per_day),
        ("stale_ratio", "Estimated part of the copies, by weight, that is out of date.", status.stale_estimate),
        ("stale_bound_ratio", "The least that part can be on average at this budget.", status.stale_bound),
        ("stale_uniform_ratio", "That part if all pages were visited equally often.", status.stale_uniform),
        (
            "stale_proportional_ratio",
            "That part if pages were visited as often as they change.",
            status.stale_proportional,
        ),
        ("index_level", "The index at which pages are visited.", status.index_level),
    ];
    let counters = [
        ("requests_total", "Requests made.", status.requests),
        ("visits_read_total", "Pages read.", status.visits_read),
        ("visits_changed_total", "Pages that had changed.", status.visits_changed),
        ("visits_unchanged_total", "Pages that were as before.", status.visits_unchanged),
        ("visits_failed_total", "Visits that failed.", status.visits_failed),
        ("received_bytes_total", "Bytes of bodies received.", status.bytes_received),
        ("documents_lost_total", "Documents that found no place in the buffer.", status.lost),
        ("documents_obsolete_total", "Documents that waited too long.", status.obsolete),
        ("batches_total", "Batches written.", status.batches),
    ];
    let mut text = String::new();
    for (name, help, value) in gauges {
        let Some(value) = value else { continue };
        _ = writeln!(text, "# HELP oriole_{name} {help}\n# TYPE oriole_{name} gauge\noriole_{name} {value}");
    }
    if let Some(control) = &status.control {
        put_control(&mut text, control);
    }
    for (name, help, value) in counters {
        _ = writeln!(text, "# HELP oriole_{name} {help}\n# TYPE oriole_{name} counter\noriole_{name} {value}");
    }
    text
}

/// What the model of robots and buffer says beside what was seen.
fn put_control(text: &mut String, control: &ControlStatus) {
    let both = |of: fn(&Figures) -> Option<f64>| {
        [("predicted", control.predicted.as_ref().and_then(of)), ("measured", of(&control.measured))]
    };
    let figures = [
        ("loss_ratio", "Part of the documents that find no place.", both(|f| f.p_loss)),
        ("obsolete_ratio", "Part of the documents that become obsolete.", both(|f| f.p_obsolete)),
        ("starvation_ratio", "Part of the time in which the indexer has nothing to do.", both(|f| f.p_starvation)),
        ("sojourn_seconds", "Mean time until a document is indexed.", both(|f| f.sojourn_served)),
        ("robots", "Mean number of robots.", both(|f| f.active_robots)),
        ("arrivals_per_second", "Documents brought per second.", both(|f| f.arrivals_per_second)),
        ("cost", "The cost that is minimised.", both(|f| f.cost)),
    ];
    for (name, help, values) in figures {
        _ = writeln!(text, "# HELP oriole_control_{name} {help}\n# TYPE oriole_control_{name} gauge");
        for (kind, value) in values {
            if let Some(value) = value {
                _ = writeln!(text, "oriole_control_{name}{{kind=\"{kind}\"}} {value}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::exposition;
    use crate::engine::status::Status;

    #[test]
    fn every_figure_has_a_type_and_a_number() {
        let status = Status { stale_estimate: Some(0.25), requests: 7, ..Status::default() };
        let text = exposition(&status);
        assert!(text.contains("\noriole_stale_ratio 0.25\n") && text.contains("\noriole_requests_total 7\n"), "{text}");
        assert!(!text.contains("stale_bound_ratio"), "what is not known is left out");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (name, value) = line.split_once(' ').expect("a name and a value");
            assert!(text.contains(&format!("# TYPE {name} ")), "{name}");
            value.parse::<f64>().expect("a number");
        }
    }
}
