//! Longer texts of the help.

pub(crate) const SEARCH_ABOUT: &str = "\
Search what has been crawled, also while the engine is running.

All words must be there; if no page has all of them, pages with most of them are shown. \"Quotation marks\" keep words \
together, - leaves pages out, OR gives a choice. site:example.org, lang:de, intitle:word, inurl:word, before:2026-01-31 and \
after:2026-01 narrow the search.

Each hit says when a visit last showed its copy to be current, when it last changed, and how probable it is that it has not \
changed since that visit: e^(-rate * time), where the rate is estimated from the visits to the page and, while they are few, \
from those to other pages of its host. A page that was visited seldom has an estimate to match.";

pub(crate) const SEARCH: &str = "\
Examples:
  oriole search 'error handling'
  oriole search 'tokio -async site:docs.rs after:2026-01-01' --limit 20
  oriole search '\"exact phrase\" OR other' --per-host 2 --explain
  oriole search 'error handling' --json | jq '.hits[] | {url, probability_current}'";

pub(crate) const STATUS_ABOUT: &str = "\
How the engine is doing.

A running engine says about once a second how many robots are active, how full the buffer is, what was lost, and how stale its \
copy is: the estimated share of pages, by weight, that have changed since their last visit, beside the least that this budget \
allows. Without a running engine only what the data folder holds is known.";

pub(crate) const STATUS: &str = "\
Examples:
  oriole status
  oriole status --watch
  oriole status --json | jq .stale_estimate";

pub(crate) const PAGES_ABOUT: &str = "\
List pages and what is known of them, in the order of discovery unless --sort says otherwise.

The states: known (not visited yet), fetched, gone, excluded, redirect, duplicate (another page says the same and is shown), \
skipped (of a kind that is not indexed), failed.";

pub(crate) const PAGES: &str = "\
Examples:
  oriole pages --host docs.example.org --sort changed --reverse --limit 20
      What changed last?
  oriole pages --state fetched --stale 7d
      What has not been checked for a week?
  oriole pages --state failed --json | jq -r .url
  oriole pages --csv > pages.csv";

pub(crate) const CHECK_ABOUT: &str = "\
Check that everything in the data folder agrees: that the catalogue is sound, that every copy it counts on is in the archive \
and has the right digest, and that the search index has the pages it should have. It reads everything.

It can be done beside a running engine, except for the comparison with the search index. --repair needs the engine stopped: \
indices are made anew, pages whose copy is lost are fetched again at the next run, and nothing else is thrown away.

The exit code is 0 if all is sound or was put right, 1 if not.";

pub(crate) const CHECK: &str = "\
Examples:
  oriole check
  oriole check --repair
  oriole check --json --data /var/lib/oriole";
