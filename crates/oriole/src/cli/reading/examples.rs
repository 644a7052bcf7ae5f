//! Longer texts of the help.

pub(crate) const SEARCH_ABOUT: &str = "\
Search what has been crawled, also while the engine is running.

All words must be there; if no page has all of them, pages with most of them are shown. \"Quotation marks\" keep words \
together, - leaves pages out, OR gives a choice. site:example.org, lang:de, intitle:word, inurl:word, before:2026-01-31 and \
after:2026-01 (when the page was published, or else when it was last seen to change) narrow the search. Put -- before a query that \
begins with -.

Each hit says when a visit last showed its copy to be current, when it last changed, and how probable it is that it has not \
changed since that visit: e^(-rate * time), where the rate is estimated from the visits to the page and, while they are few, \
from those to other pages of its host. A page that was visited seldom has an estimate to match. What \
sitemaps and feeds have said since, or not said, is not counted.";

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

pub(crate) const PAGE_ABOUT: &str = "\
All that is known of one page, and when it will be visited next.

The change rate is estimated from what the visits found, with an interval that holds it with 95 % probability. The next visit \
is due when a visit to this page is worth as much as to any other; it is what holds if nothing else changes.";

pub(crate) const PAGE: &str = "\
Examples:
  oriole page https://docs.example.org/
  oriole page docs.example.org/changes --visits 50
  oriole page https://docs.example.org/ --json | jq .next_visit";

pub(crate) const ADD_ABOUT: &str = "\
Take up pages, or visit them soon if they are known.

A running engine does so within seconds, otherwise it is done when the engine next runs. A page that is added is visited \
wherever it is; its links are followed as the scope of the crawl says.";

pub(crate) const ADD: &str = "\
Examples:
  oriole add https://docs.example.org/new https://docs.example.org/changed
  cat urls.txt | oriole add -";

pub(crate) const REMOVE_ABOUT: &str = "\
Take pages out of the search index and do not visit them again, until `oriole add` asks for them.

A running engine does so within seconds, otherwise it is done when the engine next runs. What the archive has of them stays \
there. If one of the pages is not known, nothing is removed and the exit code is 2.";

pub(crate) const REMOVE: &str = "\
Examples:
  oriole remove https://docs.example.org/private
  oriole pages --state gone --json | jq -r .url | oriole remove -";

pub(crate) const PAUSE_ABOUT: &str = "\
Ask nothing of sites until `oriole resume` goes on with them, whether the engine is running or not.

A site is the host of the address, with its scheme and port. What is under way is finished. Pages stay searchable.";

pub(crate) const PAUSE: &str = "\
Examples:
  oriole pause https://docs.example.org/
  oriole pause docs.example.org blog.example.org";

pub(crate) const RESUME: &str = "\
Examples:
  oriole resume https://docs.example.org/";

pub(crate) const EXPORT_ABOUT: &str = "\
Write pages or copies for other tools, also while the engine is running.

jsonl, csv and parquet have one row a page with everything that is known of it (see docs/formats.md). warc is one file with \
the last full copy of each page, each record compressed by itself; with --all it has every record of the visits that are \
remembered.";

pub(crate) const EXPORT: &str = "\
Examples:
  oriole export --format csv --out pages.csv
  oriole export --format jsonl --text --out - | jq -r .text
  oriole export --format parquet --out pages.parquet --state fetched
  oriole export --format warc --out site.warc.gz --host docs.example.org";

pub(crate) const IMPORT_ABOUT: &str = "\
Take in addresses and copies from files.

Lists of addresses (one a line) and sitemaps (XML) give pages to be visited; those that are known already are passed over. \
The answers in WARC files of any tool become pages with copies, as if they had been fetched at their time, except where a \
later visit is known; for this the engine must be stopped. Files may be compressed with gzip or zstd; what is in them tells \
what they are. If there is no data folder, it is made.";

pub(crate) const IMPORT: &str = "\
Examples:
  oriole import urls.txt
  oriole import sitemap.xml.gz more.xml --data my-data
  oriole import crawl-2026.warc.gz
      Makes pages that another tool has fetched searchable.";

pub(crate) const CHECK_ABOUT: &str = "\
Check that catalogue, archive and search index are sound and agree; with --repair put right what can be.

Everything is read: every record of the archive with its digests, and every page of the index. A torn end of the archive is \
cut off, CDXJ files that do not fit are made anew, pages that the index lacks are indexed again from the archive or, where \
there is no copy, fetched again. An index that cannot be read is moved away and made anew. The exit code is 0 if all is well \
or was put right, else 1.";

pub(crate) const CHECK: &str = "\
Examples:
  oriole check
  oriole check --repair
  oriole check --json | jq .findings";
