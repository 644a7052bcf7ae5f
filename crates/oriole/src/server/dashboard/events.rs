//! The status again and again, as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::server::params::NoParams;
use crate::server::{Asked, Desk, Problem};

/// Listeners at a time.
const MOST_LISTENERS: usize = 200;

/// Time between two events.
const RHYTHM: Duration = Duration::from_secs(2);

/// Who does not hear anything for so long hears that the connection is there.
const QUIET: Duration = Duration::from_secs(15);

/// Places for listeners.
#[derive(Clone)]
pub(super) struct Listeners(Arc<Semaphore>);

impl Default for Listeners {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MOST_LISTENERS)))
    }
}

/// A listener.
struct Listener {
    desk: Desk,
    clock: Interval,
    _place: OwnedSemaphorePermit,
}

/// Tells how things are every two seconds, until the engine ends or nobody listens any more.
pub(super) async fn listen(
    State(desk): State<Desk>,
    Extension(Listeners(places)): Extension<Listeners>,
    Asked(NoParams {}): Asked<NoParams>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let Ok(place) = places.try_acquire_owned() else { return Err(Problem::busy()) };
    let mut clock = interval(RHYTHM);
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let events = stream::unfold(Listener { desk, clock, _place: place }, |mut listener| async move {
        listener.clock.tick().await;
        if listener.desk.engine().is_some_and(|engine| engine.fleet.is_closed()) {
            return None;
        }
        let figures = super::figures(&listener.desk).await.ok()?;
        let event = Event::default().event("status").json_data(figures.said()).ok()?;
        Some((Ok(event), listener))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(QUIET)))
}
