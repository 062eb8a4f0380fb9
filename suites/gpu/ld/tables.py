#!/usr/bin/env python3
"""LD on a GPU: the programs of suites/ld, natively and under `warpsan run --engine gpu --detector ld`.

    python3 suites/gpu/ld/tables.py --warpsan target/release/warpsan --programs suites/ld --work ld.work [--out ld.md]

It needs nvcc, Python and a GPU. For each program: the verdict without a race and with each race, the time of a launch beside
native time, memory for copies, and the share of accesses that were left out. Then safe execution (20 runs, one output each),
and the figures 8 (parts of a launch) and 9 (sweeps over data and threads, by fusion.cu).
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path


def run(words, seconds, environment=None):
    """The exit code and all output of a command; 124 for one that took too long."""
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=seconds, env={**os.environ, **(environment or {})}
        )
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired as ended:
        return 124, str(ended.stdout or "")


def build(arguments):
    """Programs that nvcc makes, by their names."""
    made = {}
    arguments.work.mkdir(parents=True, exist_ok=True)
    for source in sorted(arguments.programs.glob("*.cu")):
        program = arguments.work / source.stem
        words = [arguments.nvcc, "-arch=sm_90", "-lineinfo", "-O3", "-o", str(program), str(source)]
        code, text = run(words, 600)
        if code:
            print(f"{source.name} does not compile:\n{text}")
        else:
            made[source.stem] = program
    return made


def milliseconds(text):
    found = re.search(r"ms per launch ([0-9.eE+-]+)", text)
    return float(found.group(1)) if found else None


def under_ld(arguments, program, *flags, more=()):
    words = [str(arguments.warpsan), "run", "--engine", "gpu", "--detector", "ld", *more, "--", str(program), *flags]
    return run(words, arguments.seconds)


def races_of(source):
    """How many races a program can be asked for."""
    found = re.search(r"read_options\([^,]+,[^,]+, *(\d+)\)", source.read_text())
    return int(found.group(1)) if found else 0


def statistic(text, what):
    values = [int(value.replace(",", "")) for value in re.findall(rf"{re.escape(what)}\D*?(\d[\d,]*)", text)]
    return max(values, default=0), sum(values)


def verdicts(arguments, programs, out):
    out.append("## Verdicts\n\n| program | race | exit code | races named |\n|---|---|---|---|")
    for name, program in programs.items():
        for race in range(races_of(arguments.programs / f"{name}.cu") + 1):
            code, text = under_ld(arguments, program, "--race", str(race), "--size", arguments.size)
            (arguments.work / f"{name}.{race}.txt").write_text(text)
            kinds = re.findall(r"LD, a ((?:read|write)-write race of \w+)", text)
            places = re.findall(r"(?:-->|:::) \S*?(\w+\.cu:\d+)", text)
            missed = [line.strip() for line in text.splitlines() if "not checked" in line or "its warps are not" in line]
            missed = [line for line in missed if "on a GPU" not in line and "LD, a" not in line]
            said = "; ".join(dict.fromkeys(kinds + places + [line[:160] for line in missed])) or "none"
            out.append(f"| {name} | {race} | {code} | {said} |")


def times(arguments, programs, out):
    out.append(
        "\n## Time and memory\n\n| program | native ms | ld ms | ratio | copies | MiB of targets | MiB in all | left out |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    ratios = []
    for name, program in programs.items():
        flags = ["--size", "paper", "--launches", str(arguments.launches), "--time"]
        native = milliseconds(run([str(program), *flags], arguments.seconds)[1])
        checked = milliseconds(under_ld(arguments, program, *flags)[1])
        _, text = under_ld(arguments, program, "--size", "paper", more=["--stats"])
        (arguments.work / f"{name}.stats.txt").write_text(text)
        copies = statistic(text, ": private copies")[0]
        targets = statistic(text, ": bytes of what is copied")[0] / 2**20
        total = statistic(text, ": bytes of all copies")[0] / 2**20
        left, accesses = statistic(text, "left out as read-only or affine")[1], statistic(text, ": accesses of global memory")[1]
        share = f"{100 * left / accesses:.0f} %" if accesses else "-"
        if native and checked:
            ratios.append(checked / native)
            ratio = f"{ratios[-1]:.2f}"
        else:
            ratio = "-"
        out.append(f"| {name} | {native} | {checked} | {ratio} | {copies} | {targets:.2f} | {total:.2f} | {share} |")
    if ratios:
        out.append(f"\nOf {len(ratios)}: mean {statistics.mean(ratios):.2f}, geometric mean {statistics.geometric_mean(ratios):.2f}; the bar is 10.")


def safe(arguments, programs, out):
    out.append("\n## Safe execution\n\n| program | race | mode | outputs of 20 runs |\n|---|---|---|---|")
    for name, program in programs.items():
        for race in range(races_of(arguments.programs / f"{name}.cu") + 1):
            outputs = set()
            for _ in range(20):
                words = [str(arguments.warpsan), "run", "--engine", "gpu", "--safe", "deterministic", "--", str(program)]
                code, text = run([*words, "--race", str(race), "--checksum"], arguments.seconds)
                outputs.add((code, tuple(line for line in text.splitlines() if line.startswith(name))))
            out.append(f"| {name} | {race} | deterministic | {len(outputs)} |")


def figures(arguments, programs, out):
    parts = ["the first state", "the first pass", "the union", "the second pass", "the comparison", "the regions", "the merge", "the log"]
    out.append("\n## Figure 8: microseconds of a launch by parts\n")
    out.append("| program | " + " | ".join(parts) + " |\n|---|" + "---|" * len(parts))
    for name, program in programs.items():
        launches = 20
        _, text = under_ld(arguments, program, "--size", "paper", "--launches", str(launches), more=["--stats", "--ld-times=on"])
        (arguments.work / f"{name}.parts.txt").write_text(text)
        cells = []
        for part in parts:
            total = statistic(text, f": nanoseconds of {part}")[1]
            cells.append(f"{total / 1000 / launches:.1f}" if total else "-")
        out.append(f"| {name} | " + " | ".join(cells) + " |")
    out.append("\n## Figure 9: sweeps over data and threads, fused and apart\n")
    fusion = arguments.work / "fusion"
    code, text = run([arguments.nvcc, "-arch=sm_90", "-O3", "-o", str(fusion), str(Path(__file__).parent / "fusion.cu")], 600)
    out.append(text if code else run([str(fusion)], arguments.seconds)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warpsan", type=Path, required=True)
    parser.add_argument("--programs", type=Path, default=Path("suites/ld"))
    parser.add_argument("--work", type=Path, default=Path("ld.work"))
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--size", default="small", help="of the programs whose verdicts are asked for")
    parser.add_argument("--launches", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=120, help="for each run")
    parser.add_argument("--only", default="", help="programs whose names match")
    parser.add_argument("--sections", default="verdicts,times,safe,figures")
    arguments = parser.parse_args()
    programs = {name: place for name, place in build(arguments).items() if re.search(arguments.only, name)}
    out = []
    for section in arguments.sections.split(","):
        {"verdicts": verdicts, "times": times, "safe": safe, "figures": figures}[section](arguments, programs, out)
        text = "\n".join(out) + "\n"
        if arguments.out:
            arguments.out.write_text(text)
    print("\n".join(out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
