"""What compute-sanitizer's racecheck makes of the bug suite, whose first lines say which programs are racy by the thesis' rules.

A file with kernels is compiled to PTX and launched natively, by the process that `check --engine gpu` launches with; racecheck watches
that. A racy program is found if racecheck reports any hazard, a clean one is right if it reports none. Which lines it names is not
compared. The thesis had 19 of its 66 programs right with the racecheck of its time, which also hung on some.
"""

import re
import shutil
from collections import Counter

from ..configurations import RACECHECK_BUGS
from ..programs import Program, head
from ..tables import Table

SECTION = "racecheck"
FOLDER = "suites/bugs"
VERDICT = re.compile(r"^//\s*(RACY|CLEAN)\b")
HAZARDS = re.compile(r"RACECHECK SUMMARY: (\d+) hazards? displayed")
RIGHT = {"RACY": "found", "CLEAN": "clean"}
WRONG = {"RACY": "missed", "CLEAN": "false"}
ANSWERS = ["found", "clean", "missed", "false", "no answer", "not run"]


def run(session, builder):
    """All programs of the suite, several at a time."""
    programs = [program for program in of_suite(session.root) if session.takes(program.name)]
    names = [program.name for program in programs]
    todo = session.begin(SECTION, programs, lambda known: known.get("answer") in RIGHT.values())
    session.add_table(lambda: table(session, names))
    session.in_parallel(todo, lambda program: check(session, builder, program))


def of_suite(root):
    """The files with kernels, named by their folder."""
    for source in sorted((root / FOLDER).glob("*.cu")):
        yield Program(f"bugs/{source.stem}", [source])


def flags_of(source):
    """What the compiler is told besides."""
    return head(source.read_text(encoding="utf-8"), "//@").get("flags", "").split()


def check(session, builder, program):
    """One program: compiled, launched, and judged by its first line."""
    source = program.sources[0]
    scratch = session.scratch(program.name + "-racecheck")
    try:
        session.keep(SECTION, program.name, None, judged(session, builder, source, scratch))
    finally:
        session.drop(scratch)


def judged(session, builder, source, scratch):
    """The answer for one program, with its words."""
    verdict = VERDICT.match(source.read_text(encoding="utf-8"))
    if verdict is None:
        return {"answer": "no answer", "words": "its first line has no verdict"}
    words = builder.to_ptx(source, flags_of(source), scratch / "kernels.ptx")
    if words is not None:
        return {"answer": "no answer", "words": words[:200]}
    shutil.copyfile(source, scratch / "launches")
    log = scratch / "racecheck.log"
    launching = [str(session.warpsan), "launch-on-gpu", str(scratch)]
    ended = session.run(RACECHECK_BUGS, launching, folder=scratch, log=str(log))
    if ended.timed_out:
        return {"answer": "no answer", "words": f"it had not ended after {RACECHECK_BUGS.seconds} s"}
    hazards = HAZARDS.search(log.read_text(encoding="utf-8", errors="replace")) if log.exists() else None
    if hazards is None:
        return {"answer": "no answer", "words": f"no summary; it ended with {ended.code}: {ended.last_words()}"[:200]}
    is_right = (int(hazards[1]) > 0) == (verdict[1] == "RACY")
    return {"answer": (RIGHT if is_right else WRONG)[verdict[1]], "hazards": int(hazards[1])}


def table(session, names):
    """Counts by what programs are about, which is the first word of their names."""
    result = Table("racecheck on the bug suite", ["programs about", "programs"] + ANSWERS)
    measured = session.measured.get(SECTION, {})
    totals, reasons = Counter(), Counter()
    about = {name: name.split("/", 1)[1].split("_", 1)[0] for name in names}
    for topic, count in Counter(about.values()).items():
        row = Counter(programs=count)
        for name in (name for name in names if about[name] == topic):
            known = measured.get(name, {})
            row[known.get("answer", "not run")] += 1
            reasons[known.get("words")] += 1
        totals += row
        result.rows.append([topic] + [row[column] for column in result.header[1:]])
    result.rows.append(["all"] + [totals[column] for column in result.header[1:]])
    right = sum(totals[answer] for answer in RIGHT.values())
    result.remarks.append(f"right on {right} of {totals['programs']}; the thesis: on 19 of 66")
    result.remarks += [f"no answer, {count} programs: {words}" for words, count in reasons.items() if words]
    return result
