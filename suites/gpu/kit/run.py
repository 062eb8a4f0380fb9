"""Builds, tests and measures warpsan on a machine with a GPU, Python and nvcc, and without Rust.

    run.py build      compiles all programs, several at a time; what has not changed is left as it is
    run.py results    programs print and end under instrumentation as they do without it
    run.py agree      the races that the device reports are those of the host's detector over the same run
    run.py hb         the races of files with kernels, and those of programs within launches, are those of the CPU engine
    run.py racecheck  what compute-sanitizer's racecheck makes of the bug suite
    run.py bench      warm kernel time under each configuration against native
    run.py memory     working sets whose metadata does not fit
    run.py startup    time to start with and without a warm cache
    run.py often      small programs a hundred times each, none of which may hang
    run.py all        all of them

Each section builds what it needs. The tables of the sections that ran come last, those of the benches at the very end; they
are in gpu.md, and as data in measured.json, of the folder that --out or $OUT names.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

# The folder of the sources stays as it is.
sys.dont_write_bytecode = True

from gpu_kit import building, programs  # noqa: E402
from gpu_kit.sections import agree, bench, hb, memory, often, racecheck, results, startup  # noqa: E402
from gpu_kit.session import OutOfTime, Session  # noqa: E402

# In this order: what tells most comes first, in case time runs out.
SECTIONS = ["build", "results", "agree", "hb", "memory", "startup", "often", "racecheck", "bench"]
ROOT = Path(__file__).resolve().parents[3]


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="+", choices=SECTIONS + ["all"], metavar="SECTION")
    parser.add_argument("--root", default=ROOT, help="the folder with suites and bin")
    parser.add_argument("--work", help="where programs are built and caches kept (default: beside the root, with the ending .work)")
    parser.add_argument("--out", default=os.environ.get("OUT"), help="where gpu.md and measured.json go (default: $OUT, or the work folder)")
    parser.add_argument("--jobs", type=int, default=min(8, os.cpu_count() or 1), help="programs that are run at a time, except benches")
    parser.add_argument("--seconds", type=float, help="start nothing more after this time, and print what there is")
    parser.add_argument("--programs", metavar="REGEX", help="only programs whose name (as in results/cub_scans) has this in it")
    parser.add_argument("--configurations", metavar="A,B", help="only these configurations; native has to be measured at some time, too")
    parser.add_argument("--merge", metavar="FILE", help="the measured.json of an earlier call, to go on with")
    parser.add_argument("--skip-done", metavar="FILE", help="the same, and results, agree and hb pass over programs that are as they should be there")
    parser.add_argument("--warpsan", help="the warpsan to test (default: bin/warpsan)")
    parser.add_argument("--nvcc", help="the compiler (default: $NVCC, or nvcc of the PATH)")
    parser.add_argument("--bench-arguments", default="", help="further arguments of all benches, as in '--repeat 3'")
    return parser.parse_args(words)


def run(session, builder, sections, bench_arguments):
    """All sections that were asked for."""
    compared = [program for program in programs.all_programs(session.root) if session.takes(program.name)]
    others = {group: [program for program in programs.of_gpu(session.root, group) if session.takes(program.name)]
              for group in ("bench", "memory", "startup")}
    # What these sections run, they build themselves, each program just before it is run.
    needed = list(compared) if "build" in sections else []
    for group, wanted in others.items():
        if {"build", group} & set(sections):
            needed += wanted
    if "startup" in sections:
        needed += [program for program in compared if program.name in startup.STARTUP and program not in needed]
    if "often" in sections:
        needed += [program for program in compared if program.name in often.OFTEN and program not in needed]
    built = building.build_all(session, builder, needed)
    of_group = {group: [program for program in built if program.group == group] for group in others}
    steps = {
        "results": lambda: results.run(session, builder, compared),
        "agree": lambda: agree.run(session, builder, compared),
        "hb": lambda: hb.run(session, builder),
        "memory": lambda: memory.run(session, builder, of_group["memory"]),
        "startup": lambda: startup.run(session, builder, built),
        "often": lambda: often.run(session, builder, built),
        "racecheck": lambda: racecheck.run(session, builder),
        "bench": lambda: bench.run(session, builder, of_group["bench"], bench_arguments),
    }
    for section in SECTIONS:
        if section in sections and section in steps:
            session.log(f"== {section}")
            try:
                steps[section]()
            except OutOfTime:
                session.log(f"{section}: the time is over")
            session.write()


def stop(number, _frame):
    raise SystemExit(128 + number)


def main(words):
    chosen = arguments(words)
    sections = SECTIONS if "all" in chosen.sections else chosen.sections
    root = Path(chosen.root).resolve()
    work = Path(chosen.work).resolve() if chosen.work else root.with_name(root.name + ".work")
    columns = chosen.configurations.split(",") if chosen.configurations else []
    session = Session(root, work, Path(chosen.out).resolve() if chosen.out else work, chosen.jobs, chosen.seconds, chosen.programs, columns,
                      chosen.warpsan and Path(chosen.warpsan).resolve())
    session.skips_done = chosen.skip_done is not None
    for earlier in (chosen.merge, chosen.skip_done):
        if earlier:
            session.merge(earlier)
    signal.signal(signal.SIGTERM, stop)
    try:
        run(session, building.Builder(work, chosen.nvcc), sections, chosen.bench_arguments.split())
    finally:
        session.write()
        for table in session.tables():
            print("\n" + table.text(), end="", flush=True)
    return 1 if session.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
