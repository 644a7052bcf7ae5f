//! Longer texts of the help.

pub(super) const ORIOLE: &str = "\
Examples:
  oriole demo
  oriole run https://docs.example.org/
  oriole plan pages.csv --budget 5/s
  oriole plan pages.csv --target-stale 5%
  oriole schedule pages.csv --budget 5/s -n 1000
  oriole simulate pages.csv --budget 5/s --policy index,uniform --for 30d
  oriole control optimise model.toml
  oriole reproduce

Exit codes: 0 all is well, 1 a job failed, 2 wrong usage or bad input, 130 interrupted.";

pub(super) const RUN_ABOUT: &str = "\
Crawl sites, make them searchable, and keep visiting them.

Starts at the addresses given, follows links within their hosts, and makes every page searchable within seconds. Then it \
goes on: always to the page whose visit is worth most, within the budget. Everything is kept in one data folder. Stop it \
with Ctrl-C, start it again without addresses: it goes on where it was. While it runs, `oriole search`, `status`, `pages`, \
`page`, `add` and `remove` work on the same folder.

Sites are treated with care: robots.txt is obeyed, one request at a time goes to a host, a second apart, and a host that \
is in trouble is left alone for longer and longer. SIGHUP reads the configuration again.";

pub(super) const RUN: &str = "\
Examples:
  oriole run https://docs.example.org/
  oriole run https://docs.example.org/ --once
  oriole run --budget 10000/day --for 1h
  oriole run --config oriole.toml --metrics 127.0.0.1:9100 --log json";

pub(super) const SERVE_ABOUT: &str = "\
Serve what has been crawled: pages to search and look at, and the same for programs.

`oriole run` serves the same pages while it crawls; this command serves a data folder beside it or without it. Pages are \
served at 127.0.0.1:8080 or, if that port is taken, at the next free one, for this machine only. To serve others, give an \
address and a token: who does not know it sees nothing, or only the search if server.public_search says so. Ctrl-C ends it.";

pub(super) const SERVE: &str = "\
Examples:
  oriole serve
  oriole serve --data crawl --listen 127.0.0.1:9000
  ORIOLE_TOKEN=$(openssl rand -hex 24) oriole serve --listen 0.0.0.0:8080";

pub(super) const INIT_ABOUT: &str = "\
Write a configuration with every key explained.

The file has every key with its unit, its default and the reason for it. Keys that are left out have their defaults. \
Variables of the environment go before the file (ORIOLE_BUDGET for budget, ORIOLE_REQUESTS_DELAY for requests.delay), \
and flags before both.";

pub(super) const INIT: &str = "\
Examples:
  oriole init https://docs.example.org/
      Writes oriole.toml, which `oriole run` finds in the current folder.
  oriole init docs.example.org blog.example.org --out sites.toml
  oriole init --out - | less
      Only to read what can be configured.";

pub(super) const PLAN_ABOUT: &str = "\
How fresh can copies be with a budget, what budget is needed, and how often to visit each page.

PAGES has the columns page and change_rate (changes per day), and may have weight (what it costs that the copy is out \
of date; 1 if absent or empty) and host, in any order; others are ignored. JSON Lines and Parquet have keys and columns \
of the same names. Standard input is CSV, or JSON Lines if it begins with {.

There are three ways to say how much can be done: --budget, --access-time with --robots, or --target-stale, which asks \
for the least budget that is fresh enough.

The cost of a policy is the sum over pages of weight times the fraction of time that the copy is out of date. No policy \
costs less than the lower bound. Costs come from formulas, or, where there is none (index, stride), from a long \
sequence; with more than 20,000 pages that sequence is of a random sample of them.";

pub(super) const PLAN: &str = "\
Examples:
  oriole plan pages.csv --budget 5/s
      How fresh can I be with five accesses a second?
  oriole plan pages.csv --access-time 'lognormal(200ms,1.2)' --robots 20 --out plan.csv --plot plan.svg
      The same with twenty robots, with visits per day for each page in plan.csv and a picture in plan.svg.
  oriole plan pages.parquet --target-stale 5% --access-time 'exp(200ms)'
      What budget keeps copies fresh 95% of the time, and how many robots is that?
  oriole plan pages.csv --budget 50/s --host-limit 1/s
      With at most one access a second to each host.
  zcat pages.csv.gz | oriole plan - --budget 10000/day --weights proportional --json | jq .costs
      In the units of Coffman, Liu and Weber: weight = change rate.";

pub(super) const SCHEDULE_ABOUT: &str = "\
In what order to visit pages: one page name a line, as an endless sequence cut off after -n accesses.

Frequencies are the optimal ones for the budget, except for random (the best frequencies for random accesses), \
round-robin (all equal) and index (which needs none).";

pub(super) const SCHEDULE: &str = "\
Examples:
  oriole schedule pages.csv --budget 5/s -n 1000
  oriole schedule pages.csv --budget 5/s --policy golden -n 13
  oriole schedule pages.csv --access-time 'exp(1d)' --policy random --seed 7 --json | head";

pub(super) const SIMULATE_ABOUT: &str = "\
Measure policies on a simulated web, or on recorded changes of a real one.

Pages change as Poisson processes of the given rates, or with --trace when they really did. Each policy has the same \
budget and sees the same changes. The result is the cost measured, with a 95% confidence interval, beside the lower \
bound that holds for Poisson changes of the given (or mean) rates.

A trace is CSV with the columns unix_time (seconds), page and event: added, changed or removed. Policies that know \
change rates then know the mean over the whole trace, in which a removal counts as a change. With a trace PAGES is \
optional; if given, it says which pages to take, what rates to believe and what they are worth.";

pub(super) const SIMULATE: &str = "\
Examples:
  oriole simulate pages.csv --budget 5/s --policy index,uniform,nutch --for 30d --seed 1
  oriole simulate pages.csv --budget 5/s --policy index --learn
  oriole simulate --trace changes.csv.gz --budget 20/day --policy index,uniform,nutch,stormcrawler";

pub(super) const CONTROL_ABOUT: &str = "\
How many robots to keep active before an indexer that can fall behind.

Robots deliver pages, singly or in batches, to one indexer with room for K pages, the one being indexed included. Pages that \
find no place are lost, pages that wait too long become obsolete, and an indexer without pages starves. With i pages in the \
system a policy keeps a number of robots active, the fewer the more pages there are. MODEL.toml describes the system; see \
examples/control and docs/formats.md. Any unit of time will do, as long as it is the same throughout.";

pub(super) const CONTROL: &str = "\
Examples:
  oriole control solve model.toml --modes 3,1 --thresholds 2
  oriole control optimise model.toml --plot thresholds.svg
  oriole control optimise model.toml --limit p_loss=0.01
  oriole control sojourn model.toml --modes 3,1 --thresholds 2 --plot sojourn.svg
  oriole control simulate model.toml --modes 3,1 --thresholds 2";

pub(super) const SOLVE: &str = "\
Examples:
  oriole control solve model.toml --modes 3,1 --thresholds 2
      Three robots while there are at most two pages in the system, else one.
  oriole control solve model.toml --robots 3,3,3,1,1,1 --json | jq .cost
      The same, robots listed for 0, 1, ..., 5 pages.
  oriole control solve model.toml --modes 2
      Always two robots.";

pub(super) const OPTIMISE: &str = "\
Examples:
  oriole control optimise model.toml
      The best thresholds of all, and for each combination of numbers of robots.
  oriole control optimise model.toml --modes 4,1 --plot thresholds.svg
      With four robots or one, and cost against threshold as a picture.
  oriole control optimise model.toml --limit p_loss=15% --limit active_robots=2
      The least cost within limits, and what the limits cost.
  oriole control optimise model.toml --minimise p_starvation --limit active_robots=1.8
      The least of another measure.
  oriole control optimise model.toml --pareto active_robots,p_starvation --plot curve.svg
      Every policy that is best in one measure for what it has of the other.
  oriole control optimise model.toml --sees size-class
      Also the best policy that sees the size class of the page being indexed.";

pub(super) const SOJOURN: &str = "\
Examples:
  oriole control sojourn model.toml --modes 3,1 --thresholds 2
  oriole control sojourn model.toml --modes 3,1 --thresholds 2 --quantiles 50%,99.9% --at 1,2,5 --plot sojourn.svg";

pub(super) const SIMULATE_QUEUE: &str = "\
Examples:
  oriole control simulate model.toml --modes 3,1 --thresholds 2
  oriole control simulate model.toml --modes 3,1 --thresholds 2 --for 1e6 --seed 7 --json
  oriole control simulate model.toml --controller hysteresis,on=3,off=1,low=1,high=4
      Something else decides: fixed, on-off, hysteresis, proportional, aimd, pid, codel or belief.";

pub(super) const FIT_ABOUT: &str = "\
Fit a model for `oriole control` to delivery times and page sizes.

Gaps far shorter than most are batches, gaps far longer are stops of the crawler and left out. The gaps between batches and \
their sizes give an arrival process, by moments and correlations or by likelihood; the sizes of pages give the service law. \
All ways are tried, and the one with the least BIC (m ln n - 2 ln L: m parameters, n values, likelihood L) is kept. Where the \
number of active robots is known, each number that was seen often enough has its own process; else r robots deliver r times as \
fast as one. The report says what was wanted, what the fit has, and what could not be had.

Buffer, obsolescence and costs are not in the data. Costs that are not given are those of the measured crawler of the paper: \
change them to what things cost you.";

pub(super) const FIT: &str = "\
Examples:
  oriole fit --deliveries times.csv --sizes sizes.csv --out model.toml
  oriole fit --deliveries times.csv --sizes bytes.csv --speed 6000 --phases 3 --buffer 50 --obsolete-after 2000 --out model.toml
  oriole fit --deliveries times.csv --activity robots.csv --sizes sizes.csv --cost loss=5,obsolete=10 --out model.toml
  oriole control optimise model.toml";

pub(super) const LIVINGWEB_ABOUT: &str = "\
Play a web that changes, on loopback, and measure how fresh a crawler's copy of it is.

Pages with readable text, links, sitemaps, feeds, ETag and Last-Modified are served on one port a host, and change at known \
rates. The server knows which version of every page it gave last, so it measures for which part of the time the crawler's \
copy is out of date: the truth, not an estimate. Beside it stands the least that is possible at the same number of fetches, and \
what visiting all pages equally often or as often as they change would give. Everything comes from the seed.

On a port of its own there are GET /living/truth (JSON), /living/pages (one object a line) and /living/oriole.toml (a \
configuration for oriole run), POST /living/reset (begins a new window of measurement) and POST /living/hold for crawlers \
behind caches: lines of {\"url\": ..., \"version\": ...}. See docs/formats.md.";

pub(super) const LIVINGWEB: &str = "\
Examples:
  oriole livingweb --pages 1000 --hosts 4 --mean-interval 60s
      Ctrl-C ends it with a summary.
  oriole livingweb --port 8800 --weights rate --rates 'pareto(1.5)' --for 10m --json > truth.json &
  curl -s localhost:8804/living/oriole.toml > oriole.toml && oriole run --budget 20/s --for 9m
      The engine is told seeds and weights, and measured for ten minutes.
  oriole livingweb --changes 'bursty(3)' --lastmod random --faults error=1%,reset=1% --slow-hosts 1 --replace 0.2@2min
      A web that makes it hard.
  oriole livingweb --replay changes.csv.gz --speed 3600
      Recorded changes of a real site, an hour in a second.";

pub(super) const REPRODUCE_ABOUT: &str = "\
Recompute the tables and figures of the papers: printed and computed values side by side.

The papers are those of Avrachenkov, Dudin, Klimenok, Nain and Semenova (how many robots) and of Coffman, Liu and Weber (when \
to come back). Where a paper is wrong, the correction is given with its reason. The exit code is 1 if a value differs without \
explanation.";

pub(super) const REPRODUCE: &str = "\
Examples:
  oriole reproduce
  oriole reproduce --table 1,5 --figure 1..3
  oriole reproduce --out report
      Writes report/index.html with all figures.";

pub(super) const COMPLETIONS: &str = "\
Examples:
  oriole completions bash > ~/.local/share/bash-completion/completions/oriole
  oriole completions zsh > ~/.zfunc/_oriole
  oriole completions fish > ~/.config/fish/completions/oriole.fish";

pub(super) const MAN: &str = "\
Examples:
  oriole man | man -l -
  oriole man --out ~/.local/share/man/man1";
