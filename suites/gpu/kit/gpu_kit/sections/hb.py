"""Verdicts: what `check` finds in the suites' files on the GPU is what it finds on the CPU engine; and what `run` finds in `suites/programs`.

Which files can be compared is decided by what happens, by these rules:
- A file whose launches do not end on the CPU engine, or of which that covers only a part, has nothing to compare with: `no verdict`.
- What the GPU engine stops, cannot launch, or gives up after a time is `stopped`, with its reason.
- What it says it did not check is `not covered`, with its reason.
- Races that the CPU engine finds with every seed have to be found. Those of some seeds may be found. Nothing else may.
- Whether lanes that nothing synchronises came to an instruction together (warp-sync) or apart (divergence) is up to the machine: the
  two are one kind here.
- Of programs, races between launches and with the host are left out, which only the CPU engine looks for.
- The GPU has one schedule a run, and threads that another schedule would let race may not do so in it. A file that misses races is
  run again a few times; those of all runs count. So is a file that has none, which has to stay clean.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import List

from .. import reports
from ..configurations import (
    CHECK_CPU, CHECK_CPU_MORE, CHECK_GPU, CHECK_SEEDS, CHECK_TRIES, CHECKED_FOLDERS, KINDS_BETWEEN_LAUNCHES, RUN_CPU, RUN_CPU_MORE, RUN_GPU,
)
from ..programs import Program, head, of_programs
from ..tables import Table

SECTION = "hb"
DONE = ("clean", "racy", "no verdict")
ANSWERS = ["clean", "racy", "different", "not covered", "stopped", "no verdict", "not run"]
LANES = "warp-sync or divergence"
# So many of the differences of one file are told.
MOST_DIFFERENCES = 3


@dataclass(frozen=True)
class Ways:
    """How one thing is checked on both engines."""

    command: List[str]
    arguments: List[str]
    folder: Path
    cpu: object
    cpu_more: object
    gpu: object
    left_out: set = field(default_factory=set)


def run(session, builder):
    """All files and programs, several at a time."""
    files = [program for program in checked_files(session.root) if session.takes(program.name)]
    whole = [program for program in of_programs(session.root) if session.takes(f"hb of {program.name}")]
    names = [program.name for program in files] + [program.name for program in whole]
    todo = session.begin(SECTION, files + whole, lambda known: known.get("answer") in DONE)
    session.add_table(lambda: table(session, names))

    def check_file(program, scratch):
        flags = program.flags
        return compare(session, Ways([str(program.sources[0])], flags, scratch, CHECK_CPU, CHECK_CPU_MORE, CHECK_GPU), scratch)

    def check_program(program):
        ways = Ways(builder.command(program), [], builder.folder_of(program), RUN_CPU, RUN_CPU_MORE, RUN_GPU, KINDS_BETWEEN_LAUNCHES)
        check(session, program, lambda _, scratch: compare(session, ways, scratch))

    session.in_parallel([program for program in todo if program in files], lambda program: check(session, program, check_file))
    session.build_and_run(builder, [program for program in todo if program in whole], check_program)


def checked_files(root):
    """The files with kernels, named by their folder and their detector."""
    for folder, detector in CHECKED_FOLDERS:
        for source in sorted((root / "suites" / folder).glob("*.cu")):
            flags = head(source.read_text(encoding="utf-8"), "//@").get("flags", "").split()
            yield Program(f"{folder} {detector}/{source.stem}", [source], ["--detector", detector] + flags)


class NoAnswer(Exception):
    """There is nothing to compare: the answer for the table, and why."""


def check(session, program, answer_of):
    """One file or program on both engines."""
    scratch = session.scratch(program.name.replace(" ", "-"))
    try:
        answer = answer_of(program, scratch)
        session.keep(SECTION, program.name, None, answer)
        if answer["answer"] == "different":
            session.fail(f"{program.name}: {answer['words']}")
            session.keep_evidence(scratch)
    finally:
        session.drop(scratch)


def compare(session, ways, scratch):
    """The answer for one of them, with its words."""
    try:
        always, sometimes = races_on_cpu(session, ways, scratch)
        found, tries = races_on_gpu(session, ways, scratch, always, sometimes)
        if found - sometimes:
            sometimes |= races_of(session, ways, ways.cpu_more, scratch, "no verdict", seed=str(len(CHECK_SEEDS) + 1))
    except NoAnswer as reason:
        answer, words = reason.args
        return {"answer": answer, "words": words}
    differences = [f"GPU only: {reports.describe(race)}" for race in sorted(found - sometimes)]
    differences += [f"CPU only, in {tries} runs: {reports.describe(race)}" for race in sorted(always - found)]
    told = {"answer": "different" if differences else "racy" if found else "clean", "races": len(found), "tries": tries}
    if differences:
        told["words"] = "; ".join(differences[:MOST_DIFFERENCES])
    return told


def races_on_cpu(session, ways, scratch):
    """The races of all seeds, and those of some."""
    of_seeds = [races_of(session, ways, ways.cpu, scratch, "no verdict", seed=str(seed)) for seed in CHECK_SEEDS]
    return set.intersection(*of_seeds), set.union(*of_seeds)


def races_on_gpu(session, ways, scratch, always, sometimes):
    """The races of one run, or of more as long as some are missing, or none is to be there, and how many runs there were."""
    found = set()
    for number in range(1, CHECK_TRIES + 1):
        found |= races_of(session, ways, ways.gpu, scratch, "stopped")
        if sometimes and always <= found:
            break
    return found, number


def races_of(session, ways, configuration, scratch, otherwise, **places):
    """The races of a run that covers everything. Without one, what the answer is otherwise."""
    report = scratch / f"{configuration.name}{places.get('seed', '')}.json"
    ended = session.run(configuration, ways.command, ways.arguments, folder=ways.folder, report=str(report), **places)
    if ended.timed_out:
        raise NoAnswer(otherwise, f"time-out on the {configuration.name} after {configuration.seconds} s")
    try:
        read = reports.read(report)
    except reports.NoReport:
        raise NoAnswer(otherwise, f"{configuration.name}: it ended with {ended.code}: {ended.last_words()}"[:300]) from None
    gaps = reports.not_covered(read)
    if gaps:
        is_stopped = configuration is not ways.gpu or any(re.search(r"stopped|given up|end of the process", gap) for gap in gaps)
        raise NoAnswer(otherwise if is_stopped else "not covered", gaps[0][:200])
    found = {(LANES if kind in LANES.split(" or ") else kind, kernel, lines) for kind, kernel, lines in reports.races(read)}
    return {race for race in found if race[0] not in ways.left_out}


def table(session, names):
    """Counts by folder, each file that differs, and the reasons of those without an answer."""
    result = Table("Verdicts on the GPU and on the CPU engine", ["group", "files"] + ANSWERS + ["several tries"])
    measured = session.measured.get(SECTION, {})
    totals, reasons = Counter(), {}
    for group, count in Counter(name.rsplit("/", 1)[0] for name in names).items():
        row = Counter(files=count)
        for name in (name for name in names if name.rsplit("/", 1)[0] == group):
            known = measured.get(name, {})
            answer = known.get("answer", "not run")
            row[answer] += 1
            row["several tries"] += known.get("races", 0) > 0 and known["tries"] > 1
            if answer == "different":
                result.remarks.append(f"{name}: {known['words']}"[:400])
            elif "words" in known:
                reasons.setdefault((answer, shortened(known["words"])), []).append(name.rsplit("/", 1)[1])
        totals += row
        result.rows.append([group] + [row[column] for column in result.header[1:]])
    result.rows.append(["all"] + [totals[column] for column in result.header[1:]])
    for (answer, words), files in sorted(reasons.items(), key=lambda entry: (entry[0][0], -len(entry[1]))):
        shown = ", ".join(files[:6]) + (" …" if len(files) > 6 else "")
        result.remarks.append(f"{answer}, {len(files)} files: {words}: {shown}"[:400])
    return result


def shortened(words):
    """Reasons without the names in them, so that like ones are counted together."""
    return re.sub(r"`[^`]*`|\S*/\S+", "…", words)[:140]
