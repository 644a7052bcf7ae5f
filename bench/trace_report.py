#!/usr/bin/env python3
"""Replays recorded changes under several policies and writes a report.

    bench/trace_report.py ORIOLE TRACE.csv.gz > docs/benchmarks/NAME.md

The trace has the columns unix_time,page,event (docs/formats.md). Weights are equal, then log-normal (sigma 1.5, seed 1).
Besides each policy's own interval the report gives the paired difference to the index, batch by batch: the site grows over the
record, which makes every policy's cost drift in the same way.
"""
import csv, gzip, json, math, os, random, subprocess, sys, tempfile
from collections import OrderedDict

POLICIES = ["index", "uniform", "nutch", "stormcrawler", "heritrix", "news-crawl"]
T_19 = 2.093  # Student's t, 19 degrees of freedom, 95 %


def pages_of(trace):
    """Mean changes per day over each page's life, removals counted as changes: what `simulate` computes by itself."""
    opener = gzip.open if trace.endswith(".gz") else open
    events = OrderedDict()
    with opener(trace, "rt", newline="") as file:
        for row in csv.DictReader(file):
            events.setdefault(row["page"], []).append((float(row["unix_time"]), row["event"]))
    end = max(time for list_ in events.values() for time, _ in list_)
    rates = OrderedDict()
    for page, list_ in events.items():
        list_.sort()
        last = list_[-1][0] if list_[-1][1] == "removed" else end
        life = max(last - list_[0][0], 86400.0) / 86400.0
        rates[page] = sum(1 for _, event in list_ if event != "added") / life
    return rates


def simulate(oriole, trace, budget, pages=None, learn=False, policies=POLICIES):
    command = [oriole, "simulate"] + ([pages] if pages else [])
    command += ["--trace", trace, "--budget", budget, "--policy", ",".join(policies), "--seed", "1", "--json"]
    command += ["--learn"] if learn else []
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stderr)
    return json.loads(result.stdout)


def difference(theirs, ours):
    pairs = [a - b for a, b in zip(theirs["batch_costs"], ours["batch_costs"])]
    mean = sum(pairs) / len(pairs)
    variance = sum((p - mean) ** 2 for p in pairs) / (len(pairs) - 1)
    return mean, T_19 * math.sqrt(variance / len(pairs))


def section(oriole, trace, budget, pages, title):
    known = {p["policy"]: p for p in simulate(oriole, trace, budget, pages)["policies"]}
    learned = simulate(oriole, trace, budget, pages, learn=True, policies=["index"])["policies"][0]
    print(f"\n### {title}, {budget}\n")
    print("| policy | stale cost | 95 % | stale | more than the index (learned), paired |")
    print("|---|---|---|---|---|")
    rows = [("index, rates learned", learned), ("index, mean rates known", known["index"])]
    rows += [(name, known[name]) for name in POLICIES[1:]]
    for name, policy in rows:
        extra, half = difference(policy, learned)
        gap = "" if policy is learned else f"{extra:+.1f} +- {half:.1f}"
        print(f"| {name} | {policy['cost']:.1f} | +- {policy['half_width_95']:.1f} | {100 * policy['stale']:.1f} % | {gap} |")


def main():
    oriole, trace = sys.argv[1:3]
    rates = pages_of(trace)
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        weighted = os.path.join(folder, "weighted.csv")
        with open(weighted, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["page", "change_rate", "weight"])
            for page, rate in rates.items():
                writer.writerow([page, rate, math.exp(1.5 * random.gauss(0.0, 1.0))])
        print(f"{len(rates)} pages.")
        for pages, title in [(None, "Equal weights"), (weighted, "Log-normal weights")]:
            for budget in ["5/day", "20/day"]:
                section(oriole, trace, budget, pages, title)


main()
