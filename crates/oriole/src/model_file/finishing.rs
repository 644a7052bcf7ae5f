//! Robots that finish what they have begun, in a model file: `[fetch]` in place of the arrivals (law C-29).

use control::finishing::{FinishingError, MOST_ROBOTS};
use control::{Costs, Finishing, PhaseType};

use super::{Repairs, laws};
use crate::failure::Mistake;
use crate::strict_toml::Section;

/// What the other tables of the file say.
pub(super) struct Rest {
    pub(super) buffer: usize,
    pub(super) service: PhaseType,
    pub(super) obsolescence: Option<PhaseType>,
    pub(super) costs: Costs,
}

/// The system of a file with `[fetch]`.
pub(super) fn read(
    root: &Section<'_>,
    fetch: &Section<'_>,
    rest: Rest,
    repairs: &mut Repairs,
) -> Result<Finishing, Mistake> {
    fetch.allow(&["start", "rates", "robots", "brings", "at_work", "reserve"])?;
    let law = laws::law_in(fetch, repairs)?;
    let robots = fetch.whole("robots", 1, MOST_ROBOTS as usize, "say how many robots there are at most")?;
    let Rest { buffer, service, obsolescence, costs } = rest;
    let obsolescence = obsolescence.map(|law| rate(root, &law)).transpose()?;
    let at =
        |key: &'static str| move |error: FinishingError| fetch.mistake_at(key, format_args!("fetch.{key}: {error}"));
    let mut system = Finishing::new(buffer, service, obsolescence, law, robots as u32, costs)
        .map_err(|error| root.mistake(error))?
        .reserving(fetch.flag("reserve")?.unwrap_or(false));
    if let Some(share) = fetch.at_least_zero("brings")? {
        system = system.bringing(share).map_err(at("brings"))?;
    }
    if fetch.has("at_work") {
        let at_work = fetch.numbers("at_work", "say how many of 1, 2, ... robots are at work")?;
        system = system.with_work(&at_work).map_err(at("at_work"))?;
    }
    Ok(system)
}

/// The rate of an exponential law, however many phases it is written with.
fn rate(root: &Section<'_>, law: &PhaseType) -> Result<f64, Mistake> {
    let reduced = law.reduced();
    match reduced.order() {
        1 => Ok(1.0 / reduced.mean()),
        _ => Err(root.mistake_at(
            "obsolescence",
            "with [fetch] obsolescence must be exponential; give one phase with the same mean",
        )),
    }
}
