//! What Coffman, Liu and Weber say in numbers: when robots should come back.

use anyhow::Result;
use freshness::allocation::{closed_form, optimum, randomised_optimum};
use freshness::cost::{
    GOLDEN_BEST, GOLDEN_WORST, cyclic_cost, even_spacing_cost, golden_ratio_limit_cost, randomised_cost, sequence_cost,
};
use freshness::index::IndexSequence;
use freshness::sequence::{GoldenRatio, PowersOfTwo, Randomised};
use freshness::{AccessTime, Instance, Pages};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::check::{Check, Part};

/// The sequence printed in section 5.
const SEQUENCE: [u32; 13] = [4, 2, 4, 1, 3, 4, 2, 4, 1, 3, 4, 2, 3];

pub(super) fn statements() -> Result<Part> {
    let mut checks = theorems()?;
    checks.extend(golden_ratio()?);
    checks.push(closed_form_agrees()?);
    checks.extend(cho_and_garcia_molina()?);
    checks.push(index()?);
    Ok(Part::new("freshness", "Coffman, Liu and Weber: when robots should come back", checks))
}

/// What sections 3 and 4 say of all sequences, tried on examples.
fn theorems() -> Result<Vec<Check>> {
    let rates = [0.4, 0.2, 0.1];
    let with = |law: AccessTime| Ok::<_, anyhow::Error>(Instance::new(&Pages::new(&rates, &rates)?, &law));
    let (even, uneven) = ([0, 1, 0, 2], [0, 0, 1, 2]);
    let (constant, varied) = (with(AccessTime::constant(1.0)?)?, with(AccessTime::exponential(1.0)?)?);
    let cost = cyclic_cost(&varied, &even);
    let halves = [0.5, 0.25, 0.25];
    let regular = sequence_cost(&varied, PowersOfTwo::new(&halves)?, 4_000, 4_000);
    let drawn = sequence_cost(&varied, Randomised::new(&halves, Pcg64Mcg::seed_from_u64(1))?, 1_000, 1_000_000);
    let holds = |what: &str, holds: bool| Check::words(what, "holds", if holds { "holds" } else { "fails" });
    let near = |a: f64, b: f64, share: f64| (a / b - 1.0).abs() < share;
    Ok(vec![
        holds("Theorem 3.1: less varied access times cost less", cyclic_cost(&constant, &even) < cost),
        holds("Theorem 3.2: evenly spaced accesses cost less", cost < cyclic_cost(&varied, &uneven)),
        holds("Theorem 3.3: no sequence with these frequencies costs less", {
            let bound = even_spacing_cost(&varied, &halves);
            [cost, drawn].iter().all(|cost| *cost > bound * (1.0 - 1e-9))
        }),
        holds(
            "Theorem 3.3: reached with frequencies 1/2, 1/4, 1/4",
            near(regular, even_spacing_cost(&varied, &halves), 1e-9),
        ),
        // A million draws: the cost is known to about a thousandth.
        holds(
            "Lemmas 3.1 and 4.1: pages drawn at random, to 0.5 %",
            near(drawn, randomised_cost(&varied, &halves), 5e-3),
        ),
        holds(
            "Theorem 4.1, (11): least cost of drawing at random",
            near(randomised_optimum(&varied).cost, bound_11(&rates), 1e-9),
        ),
    ])
}

/// (11) for exponential access times of mean 1, for which `1/h - 1 = mu`.
fn bound_11(rates: &[f64]) -> f64 {
    let mu: f64 = rates.iter().sum();
    mu - mu / (1.0 + mu)
}

fn golden_ratio() -> Result<Vec<Check>> {
    let sequence = GoldenRatio::new(&[2.0 / 13.0, 3.0 / 13.0, 3.0 / 13.0, 5.0 / 13.0], 7)?;
    let mut cycle: Vec<u32> = sequence.take(13).map(|page| page.0 + 1).collect();
    // A cycle may begin anywhere.
    if let Some(shift) = (0..13).find(|shift| cycle[*shift..].iter().chain(&cycle[..*shift]).eq(&SEQUENCE)) {
        cycle.rotate_left(shift);
    }
    let text = |cycle: &[u32]| cycle.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let guarantee =
        "2 phi^2/5 is the best case, every frequency a power of 1/phi; the worst is phi^5/10 as rates go to 0";
    let theorem = "(18) of Theorem 5.1 holds where every frequency is a power of 1/phi, as for 1,364 pages nearly; multiplied by phi again and \
         again 1,786 stays as far from a power, so no limit mends it";
    let lucas = "1,364 pages, next to a power of phi: about the printed guarantee";
    let far = "1,786 pages, far from a power of phi: above the printed guarantee of 1.05";
    Ok(vec![
        Check::words("golden-ratio sequence for 2, 3, 3, 5 of 13", &text(&SEQUENCE), text(&cycle)),
        Check::number("2 phi^2/5 of Corollary 5.1", "1.05", GOLDEN_BEST),
        Check::number("cost of the golden ratio over the bound, at most", "1.05", GOLDEN_WORST).because(guarantee),
        Check::number(
            "1,786 equal pages: cost over the bound, at most by (18)",
            &format!("{:.4}", bound_18(0.01)),
            equal_pages(1_786)?,
        )
        .because(theorem),
        Check::beyond("golden ratio over the bound, 1,364 equal pages", equal_pages(1_364)?, lucas),
        Check::beyond("golden ratio over the bound, 1,786 equal pages", equal_pages(1_786)?, far),
    ])
}

/// (18) over (17), `H(q)` in the proof of Corollary 5.1, for pages that change `q` times during an access together.
fn bound_18(q: f64) -> f64 {
    let root = 5f64.sqrt();
    let phi = f64::midpoint(1.0, root);
    let cost = q - 1.0 + (1.0 - 1.0 / phi) * (-phi / root * q).exp() + (-phi * phi / root * q).exp() / phi;
    cost / (q + (-q).exp_m1())
}

/// Cost of the golden ratio over the bound for equal pages that change 0.01 times during an access together.
fn equal_pages(n: u32) -> Result<f64> {
    let rates = vec![0.01 / f64::from(n); n as usize];
    let frequencies = vec![1.0 / f64::from(n); n as usize];
    let instance = Instance::new(&Pages::new(&rates, &rates)?, &AccessTime::constant(1.0)?);
    Ok(golden_ratio_limit_cost(&instance, &frequencies) / even_spacing_cost(&instance, &frequencies))
}

/// Rates over two decades.
fn rates(n: u32) -> Vec<f64> {
    (0..n).map(|page| 0.1 / f64::from(n) * 10f64.powf(f64::from(page * 37 % n) / f64::from(n) * 2.0 - 1.0)).collect()
}

/// Theorem 3.4 against the general solution.
fn closed_form_agrees() -> Result<Check> {
    let rates = rates(100);
    let (pages, law) = (Pages::new(&rates, &rates)?, AccessTime::exponential(1.0)?);
    let formula = closed_form(&pages, &law)?.cost;
    let general = optimum(&Instance::new(&pages, &law)).cost;
    let agree = "(10) and the general solution for any weights, which the paper does not have, relative difference";
    Ok(Check::beyond("Theorem 3.4 against the general solution", (general / formula - 1.0).abs(), agree))
}

/// Pages that change 1 to 5 times a day, five accesses a day: the visits that Cho and Garcia-Molina print.
fn cho_and_garcia_molina() -> Result<Vec<Check>> {
    let rates = [1.0, 2.0, 3.0, 4.0, 5.0];
    let instance = Instance::new(&Pages::new(&rates, &[1.0; 5])?, &AccessTime::constant(0.2)?);
    let visits = optimum(&instance).frequencies.into_iter().map(|f| 5.0 * f);
    let printed = ["1.15", "1.36", "1.35", "1.14", "0.00"];
    let name = |rate: u32| format!("Cho and Garcia-Molina: visits a day to the page that changes {rate} times");
    Ok((1..)
        .zip(printed)
        .zip(visits)
        .map(|((rate, printed), visits)| Check::number(name(rate), printed, visits))
        .collect())
}

/// The order by the index against the bound.
fn index() -> Result<Check> {
    let rates = rates(100);
    let instance = Instance::new(&Pages::new(&rates, &rates)?, &AccessTime::constant(1.0)?);
    let cost = sequence_cost(&instance, IndexSequence::new(&instance), 20_000, 100_000);
    let reached = "always the page with the largest index: the sequence that does reach the bound";
    Ok(Check::beyond("index over the bound, 100 pages", cost / optimum(&instance).cost, reached))
}
