//! `oriole pause` and `oriole resume`: sites of which nothing is asked for a while.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::Result;
use store::Wish;

use super::reading::{self, post};
use crate::cli::UrlsArgs;
use crate::failure::{Mistake, quoted};

/// Runs the command.
///
/// # Errors
/// A [`Mistake`] if an address is none or a site is not known; then nothing is changed. Otherwise if the data folder cannot be
/// written.
pub fn run(arguments: &UrlsArgs, wish: Wish) -> Result<()> {
    let folder = reading::open(&arguments.engine)?;
    let known = post::sites(&folder.catalogue)?;
    let typed: Vec<String> =
        arguments.urls.iter().map(|text| with_scheme(text, &known)).collect::<Result<_, Mistake>>()?;
    let urls = post::addresses(&typed, &known)?;
    if let Some(unknown) = urls.iter().find(|url| !known.contains(url.origin())) {
        let problem = format!("the site {} is not known, so nothing was changed", quoted(unknown.origin()));
        return Err(Mistake::usage(problem).into());
    }
    post::all(&folder, wish, &urls)?;
    let sites = if urls.len() == 1 { "1 site".to_owned() } else { format!("{} sites", urls.len()) };
    let what = if wish == Wish::Pause { "to be paused" } else { "to be gone on with" };
    Ok(writeln!(anstream::stdout().lock(), "{sites} {what} {}", post::when(&folder))?)
}

/// A site that was named by host and port alone, as `oriole search` prints it, with the scheme under which it is known.
fn with_scheme(text: &str, known: &BTreeSet<String>) -> Result<String, Mistake> {
    if text.contains("://") {
        return Ok(text.to_owned());
    }
    let named = text.trim().split('/').next().unwrap_or_default().to_lowercase();
    let is_meant = |site: &&String| site.split_once("://").is_some_and(|(_, name)| name == named);
    match known.iter().filter(is_meant).collect::<Vec<_>>()[..] {
        [] => Ok(text.to_owned()),
        [site] => Ok(site.clone()),
        [one, other, ..] => {
            let problem = format!("there are {one} and {other}; say which of them, so nothing was changed");
            Err(Mistake::usage(problem))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_known_without_its_scheme() {
        let sites = ["http://127.0.0.1:8811", "http://a.example", "https://a.example", "https://b.example"];
        let known = sites.map(str::to_owned).into();
        let meant = |text: &str| with_scheme(text, &known).map_err(|mistake| mistake.to_string());
        assert_eq!(meant("127.0.0.1:8811"), Ok("http://127.0.0.1:8811".to_owned()));
        assert_eq!(meant("B.example/page"), Ok("https://b.example".to_owned()));
        assert_eq!(meant("http://b.example"), Ok("http://b.example".to_owned()), "what is said is said");
        assert_eq!(meant("c.example"), Ok("c.example".to_owned()));
        assert!(meant("a.example").unwrap_err().contains("http://a.example and https://a.example"));
    }
}
