//! Longer texts of the help.

pub(super) const ORIOLE: &str = "\
Examples:
  oriole plan pages.csv --budget 5/s
  oriole plan pages.csv --target-stale 5%
  oriole schedule pages.csv --budget 5/s -n 1000
  oriole simulate pages.csv --budget 5/s --policy index,uniform --for 30d

Exit codes: 0 all is well, 1 a job failed, 2 wrong usage or bad input, 130 interrupted.";

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

pub(super) const COMPLETIONS: &str = "\
Examples:
  oriole completions bash > ~/.local/share/bash-completion/completions/oriole
  oriole completions zsh > ~/.zfunc/_oriole
  oriole completions fish > ~/.config/fish/completions/oriole.fish";

pub(super) const MAN: &str = "\
Examples:
  oriole man | man -l -
  oriole man --out ~/.local/share/man/man1";
