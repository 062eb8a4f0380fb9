"""Results: programs print and end under instrumentation as they do without it."""

from collections import Counter

from .. import reports
from ..configurations import NATIVE, RESULTS
from ..tables import Table

SECTION = "results"


def run(session, builder, programs):
    """Each program natively, then under each configuration. Programs run beside each other."""
    session.forget(SECTION)
    try:
        session.in_parallel(programs, lambda program: check(session, builder, program))
    finally:
        session.tables.append(table(session, [program.name for program in programs]))


def check(session, builder, program):
    """All runs of one program, one after the other, since they may use the same files."""
    command, folder = builder.command(program), builder.folder_of(program)
    native = session.run(NATIVE, command, folder=folder)
    expected = (native.code, native.stdout)
    recorded = (program.recorded_code, program.recorded_stdout)
    if native.timed_out:
        session.keep(SECTION, program.name, "native", "time-out")
        session.fail(f"{program.name}: time-out without instrumentation, too")
        return
    is_as_recorded = None in recorded or recorded == expected
    session.keep(SECTION, program.name, "native", "ok" if is_as_recorded else "not as recorded")
    if not is_as_recorded:
        session.log(f"{program.name}: without instrumentation it prints or ends otherwise than was recorded")
    for configuration in RESULTS:
        if session.takes_column(configuration.name) and not session.is_over():
            words = compare(session, configuration, program, command, folder, expected)
            session.keep(SECTION, program.name, configuration.name, words or "unchanged")
            if words:
                session.fail(f"{program.name} under {configuration.name}: {words}")


def compare(session, configuration, program, command, folder, expected):
    """What differs, or nothing."""
    report_file = session.scratch(f"{program.name}-{configuration.name}") / "report.json"
    ended = session.run(configuration, command, folder=folder, report=str(report_file))
    if ended.timed_out:
        return "time-out"
    code, stdout = expected
    try:
        own = reports.own_code(reports.read(report_file))
    except reports.NoReport as problem:
        return f"{problem}; it ended with {ended.code}: {ended.last_words()}"
    if own != code:
        return f"exit code {own}, not {code}: {ended.last_words()}"
    if ended.stdout != stdout:
        return f"output: {first_difference(stdout, ended.stdout)}"
    return ""


def first_difference(expected, found):
    """The first line that is another one."""
    old, new = expected.decode("utf-8", "replace").splitlines(), found.decode("utf-8", "replace").splitlines()
    for index, (before, after) in enumerate(zip(old, new)):
        if before != after:
            return f"line {index + 1} is «{after}», not «{before}»"
    return f"{len(new)} lines, not {len(old)}"


def table(session, names):
    """Counts by group."""
    columns = [configuration.name for configuration in RESULTS]
    result = Table("Results unchanged under instrumentation", ["group", "programs"] + columns + ["changed", "not run"])
    measured = session.measured.get(SECTION, {})
    groups = Counter(name.split("/", 1)[0] for name in names)
    totals = Counter()
    for group, count in groups.items():
        row = Counter(programs=count)
        for name in (name for name in names if name.startswith(group + "/")):
            for column in columns:
                answer = measured.get(name, {}).get(column)
                row["not run" if answer is None else column if answer == "unchanged" else "changed"] += 1
                if answer not in (None, "unchanged"):
                    result.remarks.append(f"{name} under {column}: {answer}"[:300])
        totals += row
        result.rows.append([group] + [row[column] for column in result.header[1:]])
    result.rows.append(["all"] + [totals[column] for column in result.header[1:]])
    return result
