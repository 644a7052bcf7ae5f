#!/usr/bin/env python3
"""The robot-control solver beside a sparse direct solve (SciPy's SuperLU) of the same generator.

    cargo build --release
    pip install scipy
    python3 bench/control_peer.py [path of the oriole program]

For each system: a model file is written, `oriole control solve --json` is timed as a process (reading, solving, all measures,
printing), and the generator is built state by state from the same file with Kronecker products and solved with
`scipy.sparse.linalg.splu`. Only factorisation and solution are timed for SciPy, not the building. Both give the law of the
number of pages in the system, which must agree.
"""

import functools
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import tomllib

import numpy as np
import scipy
import scipy.sparse as sparse
from scipy.sparse.linalg import splu

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAPER = (ROOT / "examples/control/paper.toml").read_text()
PAPER_LAW = "start = [0.3, 0.7]\nrates = [[-0.6, 0.4], [0.1, -0.3]]"
LAWS = {
    "paper (exponential)": "start = [1.0]\nrates = [[-0.2]]",
    "hyper-exponential": "start = [0.9, 0.1]\nrates = [[-1.0, 0.0], [0.0, -0.024390243902439025]]",
    "Erlang-2": "start = [1.0, 0.0]\nrates = [[-0.4, 0.4], [0.0, -0.4]]",
}
POLICY = ([3, 1], [2])
REPEATS = 3


def model_text(law, buffer):
    """The paper's example with another buffer and obsolescence law."""
    assert PAPER_LAW in PAPER and "buffer = 5 " in PAPER
    return PAPER.replace("buffer = 5 ", f"buffer = {buffer} ").replace(PAPER_LAW, LAWS[law])


def kron(*factors):
    return functools.reduce(lambda a, b: sparse.kron(a, b, format="csr"), factors)


def eye(n):
    return sparse.identity(n, format="csr")


def generator(model):
    """Q over (phases of waiting pages oldest first, arrival phase, service phase), levels 0..K, and the level of each state."""
    buffer = model["buffer"]
    beta, s = np.array([model["service"]["start"]]), np.array(model["service"]["rates"])
    gamma, g = np.array([model["obsolescence"]["start"]]), np.array(model["obsolescence"]["rates"])
    s0, g0 = -s.sum(axis=1, keepdims=True), -g.sum(axis=1, keepdims=True)
    arrivals = {a["robots"]: [np.array(d) for d in a["d"]] for a in model["arrivals"]}
    w, m, r = len(arrivals[1][0]), len(s), len(g)
    sizes = [w] + [r**waiting * w * m for waiting in range(buffer)]
    blocks = [[None] * (buffer + 1) for _ in sizes]

    def add(i, j, block):
        blocks[i][j] = block if blocks[i][j] is None else blocks[i][j] + block

    for i in range(buffer + 1):
        d = arrivals[POLICY[0][0] if i <= POLICY[1][0] else POLICY[0][1]]
        waiting = max(i - 1, 0)
        for k, rates in enumerate(d):
            admitted = min(k, buffer - i)
            if i == 0 and k > 0:
                fresh = kron(*([gamma] * (admitted - 1))) if admitted > 1 else eye(1)
                add(0, admitted, kron(fresh, rates, beta))
            elif i == 0:
                add(0, 0, sparse.csr_matrix(rates))
            else:
                fresh = kron(*([gamma] * admitted)) if admitted else eye(1)
                add(i, i + admitted, kron(eye(r**waiting), fresh, rates, eye(m)))
        if i >= 1:
            add(i, i, kron(eye(r**waiting), eye(w), s))
            add(i, i - 1, kron(eye(w), s0) if i == 1 else kron(np.ones((r, 1)), eye(r ** (waiting - 1)), eye(w), s0 @ beta))
        for j in range(waiting if r > 1 else min(waiting, 1)):
            older, younger, alike = eye(r**j), eye(r ** (waiting - 1 - j)), waiting if r == 1 else 1
            add(i, i, kron(older, alike * g, younger, eye(w), eye(m)))
            add(i, i - 1, kron(older, alike * g0, younger, eye(w), eye(m)))
    levels = np.repeat(np.arange(buffer + 1), sizes)
    return sparse.bmat(blocks, format="csc"), levels


def scipy_levels(q, levels):
    """The law of the number of pages: the first probability set to one, the others solved for."""
    a = q.T.tocsc()
    start = time.perf_counter()
    rest = splu(a[1:, 1:].tocsc()).solve(-a[1:, 0].toarray().ravel())
    p = np.concatenate([[1.0], rest])
    p /= p.sum()
    seconds = time.perf_counter() - start
    return np.bincount(levels, weights=p), seconds


def oriole_levels(program, path):
    command = [program, "control", "solve", path, "--json"]
    command += ["--modes", ",".join(map(str, POLICY[0])), "--thresholds", ",".join(map(str, POLICY[1]))]
    best, answer = float("inf"), None
    for _ in range(REPEATS):
        start = time.perf_counter()
        answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        best = min(best, time.perf_counter() - start)
    return answer, best


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/oriole")
    print(f"SciPy {scipy.__version__}; oriole: the best of {REPEATS} runs of the whole process; modes 3,1 threshold 2")
    print("| obsolescence | K | states | SciPy, s | oriole, s | ratio | method | largest difference of a level |")
    print("|---|---|---|---|---|---|---|---|")
    cases = [("paper (exponential)", k) for k in (5, 100, 1000)]
    cases += [(law, k) for k in (5, 8, 10, 11) for law in ("hyper-exponential", "Erlang-2")]
    with tempfile.TemporaryDirectory() as folder:
        for law, buffer in cases:
            text = model_text(law, buffer)
            path = pathlib.Path(folder, "model.toml")
            path.write_text(text)
            answer, ours = oriole_levels(program, str(path))
            q, levels = generator(tomllib.loads(text))
            theirs, seconds = scipy_levels(q, levels)
            difference = np.abs(theirs - np.array(answer["levels"])).max()
            row = [law, buffer, len(levels), f"{seconds:.4f}", f"{ours:.4f}", f"{seconds / ours:.1f}"]
            print("|", " | ".join(map(str, row + [answer["method"], f"{difference:.1e}"])), "|", flush=True)


if __name__ == "__main__":
    main()
