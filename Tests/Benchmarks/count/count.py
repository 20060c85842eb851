#!/usr/bin/env python3
"""Instructions per effect, counted by callgrind: neighbours on the machine do not change them.

    count.py BENCH SHIM FIGURES [--keep] [NAME...]

Each benchmark runs twice, with two numbers of effects; the difference of the instructions by the difference of the numbers is what one
effect costs, without what a start costs. Each figure stands beside the one that FIGURES keeps; --keep writes the new ones there. NAME
(such as oneway) limits the run to some benchmarks. Ends with 1 when a figure is more than 5 % above the kept one.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Name, arguments of relux-bench, environment, the two numbers.
BENCHMARKS = [
    ("floor.oneway", ["floor-oneway"], {}, 10_000, 40_000),
    ("oneway.fixed", ["oneway-fixed"], {}, 6_400, 25_600),
    ("oneway.fixed.codable", ["oneway-fixed"], {"RELUX_BENCH_CODING": "codable"}, 6_400, 25_600),
    ("floor.durable", ["floor-durable"], {}, 12_000, 24_000),
    ("local.durable", ["local-durable"], {}, 12_000, 24_000),
]
TOLERANCE = 1.05
SECOND_PROCESSES = ("sink", "fixed-sink", "floor-sink", "keeper")


def instructions(bench, shim, arguments, environment, count):
    """By role, what the processes of one run have executed."""
    place = tempfile.mkdtemp(prefix="relux-count-")
    try:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--fair-sched=no", "--trace-children=yes", f"--callgrind-out-file={place}/out.%p",
             bench, *arguments, str(count)],
            env={**os.environ, **environment, "LD_PRELOAD": shim, "RELUX_COUNT_PROGRAM": bench},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=900)
        if run.returncode != 0:
            sys.exit(f"count: {' '.join(arguments)} {count} ended with {run.returncode}:\n{run.stdout[-2000:]}")
        roles = {}
        for file in glob.glob(f"{place}/out.*"):
            with open(file, encoding="utf-8", errors="replace") as lines:
                text = lines.read()
            command = re.search(r"^cmd: (.*)$", text, re.M).group(1).split()[1:]
            total = re.findall(r"^(?:summary|totals): (\d+)", text, re.M)
            if not total:
                sys.exit(f"count: {file} has no total; did a process end before callgrind wrote?")
            role = "receiver" if command and command[0] in SECOND_PROCESSES else "sender"
            roles[role] = roles.get(role, 0) + int(total[-1])
        return roles
    finally:
        shutil.rmtree(place, ignore_errors=True)


def read(file):
    """Kept figures by name."""
    try:
        with open(file, encoding="utf-8") as lines:
            rows = [line.split("\t") for line in lines.read().splitlines() if line and not line.startswith("#")]
    except FileNotFoundError:
        return {}
    return {row[0]: int(row[1]) for row in rows}


def keep(file, figures):
    with open(file, "w", encoding="utf-8") as out:
        out.write("# Instructions per effect (callgrind, release): name, figure. Written by Tests/Benchmarks/run --count --keep.\n")
        for label, figure in figures.items():
            out.write(f"{label}\t{figure}\n")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--keep"]
    if len(arguments) < 3:
        sys.exit(__doc__)
    bench, shim, file = arguments[:3]
    known = [name for name, *_ in BENCHMARKS]
    for name in arguments[3:]:
        if name not in known:
            sys.exit(f"count: no benchmark is called {name}; there are {', '.join(known)}")
    if not shutil.which("valgrind"):
        sys.exit("count: valgrind is missing; install it with: apt-get install valgrind")
    kept, figures = read(file), {}
    print(f"{'instructions per effect':<28}{'now':>10}{'kept':>10}{'change':>9}")
    for name, command, environment, few, many in BENCHMARKS:
        if arguments[3:] and name not in arguments[3:]:
            continue
        low = instructions(bench, shim, command, environment, few)
        high = instructions(bench, shim, command, environment, many)
        for role in sorted(high, reverse=True):
            label = f"{name} {role}" if len(high) > 1 else name
            figure = round((high[role] - low[role]) / (many - few))
            figures[label] = figure
            last = kept.get(label)
            change = f"{(figure / last - 1) * 100:+8.1f}%" if last else ""
            print(f"{label:<28}{figure:>10,}{last if last else '':>10}{change:>9}", flush=True)
        # A later benchmark that fails takes none of these away.
        if "--keep" in sys.argv:
            keep(file, {**kept, **figures})
    if "--keep" in sys.argv:
        return 0
    worse = [label for label, figure in figures.items() if label in kept and figure > kept[label] * TOLERANCE]
    if worse:
        print(f"count: more than {round((TOLERANCE - 1) * 100)} % above the kept figure: {', '.join(worse)}", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
