//! What else ADKNS say in numbers, and what they leave open.

use anyhow::Result;
use control::fit::moments::hyper_exponential;
use control::model::examples::{measured_crawler, paper, paper_arrivals, paper_obsolescence, paper_service};
use control::{Bmap, Sees, best_observed, markov_bound, solve};

use super::check::{Check, Part};
use super::tables::ROUNDED;

const ROWS: &str = "a misprint: the rows of D_0 + D_1 + ... must sum to 0, and the printed rates follow only so";

/// The first example.
pub(super) fn example() -> Result<Part> {
    let mut checks = vec![
        entry("D_0 with 3 robots, last entry", "3.48", &paper_arrivals()[2].1, 0, (1, 1)),
        entry("D_1 with 2 robots, first entry", "-0.01", &paper_arrivals()[1].1, 1, (0, 0)),
        entry("D_2 with 2 robots, first entry", "-0.02", &paper_arrivals()[1].1, 2, (0, 0)),
    ];
    let printed = [
        (["1.28", "2.41", "3.125", "4.64"], "pages per unit of time", Bmap::rate as fn(&Bmap) -> f64),
        (["0.853", "1.208", "2.5", "1.43"], "batches per unit of time", Bmap::batch_rate),
        (["-0.218", "-0.111", "0.02", "0.035"], "correlation of successive gaps", |bmap| bmap.correlation(1)),
    ];
    for (values, what, of) in printed {
        for (value, (robots, bmap)) in values.into_iter().zip(paper_arrivals()) {
            checks.push(Check::number(format!("{what}, r = {robots}"), value, of(&bmap)));
        }
    }
    checks.push(Check::number("mean service time", "0.657", paper_service().mean()));
    checks.push(Check::number("mean time until obsolescence", "5", paper_obsolescence().mean()));
    let model = paper(5);
    for (value, robots) in ["149.91", "110.0", "89.405", "130.312"].into_iter().zip(1..) {
        checks.push(Check::number(format!("C_{robots}"), value, solve(&model, &model.fixed(robots)).cost));
    }
    checks.extend(sizes());
    Ok(Part::new("example", "The first example in numbers", checks))
}

fn entry(what: &str, printed: &str, bmap: &Bmap, k: usize, place: (usize, usize)) -> Check {
    Check::number(what, printed, bmap.matrices()[k][place]).because(ROWS)
}

fn sizes() -> Vec<Check> {
    let phases = paper_obsolescence().reduced().order() as f64;
    let disguised = "both phases end at rate 0.2: the law is exponential, so K may be thousands";
    // W (1 + M (R^K - 1)/(R - 1)) with W = M = R = 2 and K = 10.
    let states = 2.0 * (1.0 + 2.0 * (2f64.powi(10) - 1.0));
    let formula = "W (1 + M (R^K - 1)/(R - 1)); the exponent K - 1 is printed, but a full buffer has K - 1 waiting pages and the sum runs to it";
    let c4 = solve(&paper(50), &paper(50).fixed(4)).cost;
    let growing = "results for K > 30 are said to be approximately those for K = 30; C_4 still grows, 124.84 at K = 50";
    vec![
        Check::beyond("phases of the obsolescence law that matter", phases, disguised),
        Check::number("states at K = 10", "2046", states).because(formula),
        Check::number("C_4 at K = 50, said to be that at K = 30", "123.6", c4).because(growing),
    ]
}

/// The measured crawler.
pub(super) fn crawler() -> Result<Part> {
    let model = measured_crawler();
    let one = &model.arrivals()[0].1;
    let mean_batch = one.rate() / one.batch_rate();
    let shares = "the printed shares of batch sizes sum to 0.9999999964; here they are scaled to sum to 1";
    let mut checks = vec![Check::number("mean batch", "3.263389905223716", mean_batch).because_within(1e-7, shares)];
    for (value, (robots, bmap)) in ["0.0153", "0.0307", "0.046", "0.061"].into_iter().zip(model.arrivals()) {
        checks.push(
            Check::number(format!("pages per unit of time, r = {robots}"), value, bmap.rate())
                .because_within(0.003, ROUNDED),
        );
    }
    let fitted = "of the data; the published matrices, rounded to two digits, have this";
    checks
        .push(Check::number("mean gap between batches", "212.03", one.interval_moment(1)).because_within(0.02, fitted));
    checks.push(Check::number("variance of gaps", "51352.38", one.variance()).because_within(0.05, fitted));
    let tenfold = "printed ten times too large: no process of two phases with that variance has more than 0.0623, and the published matrices have this";
    for (value, lag) in ["0.622", "0.574", "0.555", "0.537", "0.523", "0.507"].into_iter().zip(1..) {
        checks.push(Check::number(format!("correlation at lag {lag}"), value, one.correlation(lag)).because(tenfold));
    }
    checks.extend(service(&model)?);
    Ok(Part::new("crawler", "The measured crawler in numbers", checks))
}

/// The service law from the three printed moments of the sizes.
fn service(model: &control::Model) -> Result<Vec<Check>> {
    let moments = [49_207.035_6, 2.0527e11, 2.5773e18];
    let law = hyper_exponential(&moments)?.scaled(8.2 / moments[0]);
    let rounded = "0.2388 follows from the printed moments and the mean 8.2; 0.2409 makes up for the rounding of the other two numbers";
    let variation = "86.03 belongs to the rounded law; the printed moments of the sizes have 83.78";
    Ok(vec![
        Check::number("mean service time", "8.2", model.service().mean()),
        Check::number("squared variation of the service law", "86.03", model.service().squared_variation()),
        Check::number("squared variation of the sizes", "86.03", law.squared_variation()).because(variation),
        Check::number("probability of a large page, from the moments", "0.0057", law.start()[0]),
        Check::number("rate of large pages, from the moments", "0.0014", -law.rates()[(0, 0)]),
        Check::number("rate of small pages, from the moments", "0.2409", -law.rates()[(1, 1)]).because(rounded),
    ])
}

/// The best policy of any kind, which the paper leaves open.
pub(super) fn beyond() -> Result<Part> {
    let (example, crawler) = (paper(5), measured_crawler());
    let all = "no policy of any kind costs less, whatever it sees and remembers";
    let pages = "the best policy that sees only the number of pages: the best thresholds are the best of all of these";
    let class = "the best policy that also sees the size class of the page being indexed, which a crawler can";
    let checks = vec![
        Check::beyond(
            "first example: any policy on the number of pages",
            best_observed(&example, Sees::Pages)?.cost,
            pages,
        ),
        Check::beyond("first example: lower bound over all policies", markov_bound(&example)?.lower, all),
        Check::beyond(
            "measured crawler: pages and size class",
            best_observed(&crawler, Sees::PagesAndService)?.cost,
            class,
        ),
        Check::beyond("measured crawler: lower bound over all policies", markov_bound(&crawler)?.lower, all),
    ];
    Ok(Part::new(
        "beyond",
        "Beyond thresholds: \"we believe that it is optimal or sub-optimal in wider classes as well\"",
        checks,
    ))
}
