//! Access-time laws as people type them: `exp(200ms)`, `gamma(2,1s)`, `file:times.csv`.

use std::path::PathBuf;
use std::str::FromStr;

use freshness::AccessTime;

use crate::units::{Span, TextError};

const LAWS: &str = "give one of exp(MEAN), const(TIME), gamma(SHAPE,MEAN), erlang(STAGES,MEAN), lognormal(MEDIAN,SIGMA), \
    hyper(PROBABILITY:MEAN,...) or file:TIMES.csv, with times such as 200ms or 1.5s";

/// The law of the time one access takes, or the file that has a sample of it.
#[derive(Clone, Debug, PartialEq)]
pub enum LawText {
    /// A law given by its parameters; times are in days.
    Law(AccessTime),
    /// A file of measured times in seconds.
    Sample(PathBuf),
}

impl FromStr for LawText {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let text = text.trim();
        if let Some(path) = text.strip_prefix("file:") {
            if path.is_empty() {
                return Err(TextError::new("`file:` names no file", LAWS));
            }
            return Ok(Self::Sample(PathBuf::from(path)));
        }
        let (name, arguments) = call(text)?;
        law(name, &arguments).map(Self::Law)
    }
}

/// Splits `name(a, b, ...)`.
fn call(text: &str) -> Result<(&str, Vec<&str>), TextError> {
    let error = || TextError::new(format!("`{text}` is not an access-time law"), LAWS);
    let (name, rest) = text.split_once('(').ok_or_else(error)?;
    let arguments = rest.strip_suffix(')').ok_or_else(error)?;
    Ok((name.trim(), arguments.split(',').map(str::trim).collect()))
}

fn law(name: &str, arguments: &[&str]) -> Result<AccessTime, TextError> {
    let made = match (name, arguments) {
        ("exp" | "exponential", [mean]) => AccessTime::exponential(time(mean)?),
        ("const" | "constant", [mean]) => AccessTime::constant(time(mean)?),
        ("gamma", [shape, mean]) => AccessTime::gamma(number(shape)?, time(mean)?),
        ("erlang", [stages, mean]) => AccessTime::gamma(whole_number(stages)?, time(mean)?),
        ("lognormal", [median, sigma]) => AccessTime::lognormal(time(median)?, number(sigma)?),
        ("hyper", branches) => {
            let branches: Vec<(f64, f64)> = branches.iter().map(|text| branch(text)).collect::<Result<_, _>>()?;
            let (probabilities, means): (Vec<f64>, Vec<f64>) = branches.into_iter().unzip();
            AccessTime::hyper_exponential(&probabilities, &means)
        }
        ("exp" | "exponential" | "const" | "constant" | "gamma" | "erlang" | "lognormal", _) => {
            return Err(TextError::new(format!("`{name}` does not take {} parameters", arguments.len()), LAWS));
        }
        _ => return Err(TextError::new(format!("`{name}` is not an access-time law"), LAWS)),
    };
    made.map_err(|error| TextError::new(error.to_string(), LAWS))
}

fn time(text: &str) -> Result<f64, TextError> {
    text.parse::<Span>().map(Span::days)
}

fn number(text: &str) -> Result<f64, TextError> {
    text.parse().map_err(|_| TextError::new(format!("`{text}` is not a number"), LAWS))
}

fn whole_number(text: &str) -> Result<f64, TextError> {
    text.parse::<u32>().map(f64::from).map_err(|_| TextError::new(format!("`{text}` is not a whole number"), LAWS))
}

/// `PROBABILITY:MEAN`
fn branch(text: &str) -> Result<(f64, f64), TextError> {
    let (probability, mean) = text
        .split_once(':')
        .ok_or_else(|| TextError::new(format!("`{text}` is not a probability and a mean such as 0.9:100ms"), LAWS))?;
    Ok((number(probability.trim())?, time(mean)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> AccessTime {
        match text.parse() {
            Ok(LawText::Law(law)) => law,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn every_law_has_the_mean_it_says() {
        let second = 1.0 / 86_400.0;
        let means = [
            ("exp(200ms)", 0.2),
            ("const( 0.5 s )", 0.5),
            ("gamma(2,1s)", 1.0),
            ("erlang(3,1s)", 1.0),
            ("hyper(0.9:100ms,0.1:2s)", 0.29),
            // The mean of a log-normal law is its median times exp(sigma^2/2).
            ("lognormal(200ms,1.2)", 0.2 * (0.72f64).exp()),
        ];
        for (text, seconds) in means {
            let mean = parsed(text).mean() / second;
            // A handful of roundings.
            assert!((mean / seconds - 1.0).abs() < 1e-14, "{text}: {mean}");
        }
    }

    #[test]
    fn a_file_is_named_and_not_opened() {
        assert_eq!("file:a b.csv".parse(), Ok(LawText::Sample(PathBuf::from("a b.csv"))));
    }

    #[test]
    fn wrong_laws_say_what_is_wrong() {
        let wrong = [
            ("exp", "`exp` is not an access-time law"),
            ("exp(1s", "`exp(1s` is not an access-time law"),
            ("exp(1s,2s)", "`exp` does not take 2 parameters"),
            ("exp(0s)", "`0s` is not a time from 1e-30 to 1e30 days"),
            ("weibull(1s)", "`weibull` is not an access-time law"),
            ("gamma(-1,1s)", "shape must be a number from 0.001 to 1e60, got -1"),
            ("gamma(nan,1s)", "shape must be a number from 0.001 to 1e60, got NaN"),
            ("erlang(1.5,1s)", "`1.5` is not a whole number"),
            ("hyper(0.9:1s,0.2:2s)", "start must be probabilities that sum to 1"),
            ("hyper(0.9)", "`0.9` is not a probability and a mean such as 0.9:100ms"),
            ("file:", "`file:` names no file"),
        ];
        for (text, start) in wrong {
            let message = text.parse::<LawText>().unwrap_err().to_string();
            assert!(message.starts_with(start), "{text}: {message}");
            assert!(message.contains("; give "), "{message}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".*") {
            let _ = text.parse::<LawText>();
        }

        #[test]
        fn no_near_miss_panics(
            text in "(exp|const|gamma|erlang|lognormal|hyper)\\(([0-9.:e-]{0,5}(ms|s|d)?,?){0,3}\\)?"
        ) {
            if let Ok(LawText::Law(law)) = text.parse() {
                prop_assert!(law.mean() > 0.0);
            }
        }
    }
}
