"""Results: programs print and end under instrumentation as they do without it, and have races where they say so.

Programs that have races by their own words are not compared: what these print may be one thing or another. Neither are those that
print one thing and then another without instrumentation, which is looked into wherever something differs.
"""

from collections import Counter

from .. import reports
from ..configurations import NATIVE, NATIVE_RUNS, RESULTS
from ..programs import slow_ones_first
from ..tables import Table

SECTION = "results"
UNCHANGED = "unchanged"
BY_CHANCE = "by chance"
RACY = "racy"


def run(session, builder, programs):
    """Each program natively, then under each configuration. Programs run beside each other."""
    names = [program.name for program in programs]
    todo = session.begin(SECTION, programs, lambda known: is_done(session, known))
    session.add_table(lambda: table(session, names))
    for program in todo:
        if program.is_racy:
            for configuration in RESULTS:
                session.keep(SECTION, program.name, configuration.name, RACY)
    compared = [program for program in todo if not program.is_racy]
    ordered = slow_ones_first(compared)
    for program, words in zip(ordered, session.build_and_run(builder, ordered, lambda program: check(session, builder, program))):
        if words:
            for configuration in RESULTS:
                session.keep(SECTION, program.name, configuration.name, words[:200])


def is_done(session, known):
    """Whether a program need not be run again."""
    columns = [configuration.name for configuration in RESULTS if session.takes_column(configuration.name)]
    return all(known.get(column) in (UNCHANGED, BY_CHANCE, RACY) for column in columns)


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
        if session.takes_column(configuration.name):
            words = compare(session, configuration, program, command, folder, expected)
            if words and is_by_chance(session, command, folder, expected):
                session.keep(SECTION, program.name, configuration.name, BY_CHANCE)
                continue
            session.keep(SECTION, program.name, configuration.name, words or UNCHANGED)
            if words:
                session.fail(f"{program.name} under {configuration.name}: {words}")


def is_by_chance(session, command, folder, expected):
    """Whether further runs without instrumentation differ from the first one."""
    for _ in range(NATIVE_RUNS - 1):
        again = session.run(NATIVE, command, folder=folder)
        if (again.code, again.stdout) != expected:
            return True
    return False


def compare(session, configuration, program, command, folder, expected):
    """What differs, or nothing."""
    report_file = session.scratch(f"{program.name}-{configuration.name}") / "report.json"
    ended = session.run(configuration, command, folder=folder, report=str(report_file))
    if ended.timed_out:
        return f"time-out after {configuration.seconds} s"
    code, stdout = expected
    try:
        report = reports.read(report_file)
        own = reports.own_code(report)
    except reports.NoReport as problem:
        return f"{problem}; it ended with {ended.code}: {ended.last_words()}"
    if own != code:
        return f"exit code {own}, not {code}: {ended.last_words()}"
    if ended.stdout != stdout:
        return f"output: {first_difference(stdout, ended.stdout)}"
    racy = sorted({kernel for _, kernel, _ in reports.races(report)})
    if program.racy_kernels is not None and racy != sorted(program.racy_kernels):
        return f"races in {', '.join(racy) or 'no kernel'}, not in {', '.join(program.racy_kernels)}"
    return ""


def first_difference(expected, found):
    """The first line that is another one."""
    old, new = expected.decode("utf-8", "replace").splitlines(), found.decode("utf-8", "replace").splitlines()
    for index, (before, after) in enumerate(zip(old, new)):
        if before != after:
            return f"line {index + 1} is «{after}», not «{before}»"
    return f"{len(new)} lines, not {len(old)}"


def table(session, names):
    """Counts by group and configuration, and each program that is not as it should be."""
    answers = [UNCHANGED, "changed", BY_CHANCE, RACY, "not run"]
    result = Table("Results under instrumentation", ["group", "under", "programs"] + answers)
    measured = session.measured.get(SECTION, {})
    for column in (configuration.name for configuration in RESULTS if session.takes_column(configuration.name)):
        totals = Counter()
        for group, count in Counter(name.split("/", 1)[0] for name in names).items():
            row = Counter(programs=count)
            for name in (name for name in names if name.startswith(group + "/")):
                answer = measured.get(name, {}).get(column, "not run")
                row[answer if answer in answers else "changed"] += 1
                if answer not in answers or answer == BY_CHANCE:
                    result.remarks.append(f"{name} under {column}: {answer}"[:300])
            totals += row
            result.rows.append([group, column] + [row[heading] for heading in result.header[2:]])
        result.rows.append(["all", column] + [totals[heading] for heading in result.header[2:]])
        compared = totals[UNCHANGED] + totals["changed"]
        result.remarks.append(f"{compared} programs were compared under {column}; {RACY} ones, whose output may differ by itself, are not")
    return result
