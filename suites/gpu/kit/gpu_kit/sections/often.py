"""Often: small programs that run many times each, so that what waits on the device for something that does not come is met."""

from ..configurations import NATIVE, OFTEN, OFTEN_CONFIGURATION, OFTEN_RUNS
from ..tables import Table

SECTION = "often"


def run(session, builder, programs):
    """Runs of all programs side by side: what they share, the GPU and its scheduler, is to be as busy as it can be."""
    chosen = [program for program in programs if program.name in OFTEN]
    session.add_table(lambda: table(session, [program.name for program in chosen]))
    runs = [(program, number) for number in range(OFTEN_RUNS) for program in chosen]
    codes = {program.name: session.run(NATIVE, builder.command(program), folder=builder.folder_of(program)).stdout for program in chosen}
    ended = session.in_parallel(runs, lambda run: one(session, builder, run, codes[run[0].name]))
    for program in chosen:
        words = [words for (other, _), words in zip(runs, ended) if other is program and words is not None]
        wrong = [each for each in words if each]
        session.keep(SECTION, program.name, OFTEN_CONFIGURATION.name, {"runs": len(words), "wrong": wrong})
        for each in wrong[:1]:
            session.fail(f"{program.name}, {len(wrong)} of {len(words)} runs: {each}")


def one(session, builder, run, expected):
    """What is wrong with one run, or nothing."""
    program, number = run
    scratch = session.scratch(f"often-{program.name}-{number}")
    report = scratch / "report.json"
    ended = session.run(OFTEN_CONFIGURATION, builder.command(program), folder=builder.folder_of(program), report=str(report))
    written = report.exists()
    session.drop(scratch)
    if ended.timed_out:
        return f"time-out after {OFTEN_CONFIGURATION.seconds} s"
    if not written:
        return f"no report; it ended with {ended.code}: {ended.last_words()}"[:200]
    return "" if ended.stdout == expected or program.is_racy else "other output"


def table(session, names):
    """The runs of each program, and what was wrong."""
    result = Table(f"Programs that run {OFTEN_RUNS} times under {OFTEN_CONFIGURATION.name}", ["program", "runs", "wrong"])
    measured = session.measured.get(SECTION, {})
    for name in names:
        known = measured.get(name, {}).get(OFTEN_CONFIGURATION.name, {"runs": 0, "wrong": []})
        result.rows.append([name, known["runs"], len(known["wrong"])])
        result.remarks += [f"{name}: {words}" for words in known["wrong"][:1]]
    return result
