"""Memory: working sets so large that their metadata does not fit, or only just, and must not stop them."""

from .. import reports
from ..configurations import MEMORY, MEMORY_CONFIGURATIONS, NATIVE
from ..tables import Table, number

SECTION = "memory"
IN_FULL = "in full"

# What a report says about memory that has no metadata, or metadata in a slow place.
WORDS_OF_WARNING = ["warning", "not checked", "metadata"]


def run(session, builder, programs):
    result = Table("Large working sets", ["working set", "detector", "native s", "checked s", "result", "warnings"])
    session.add_table(lambda: result)
    by_name = {program.short: program for program in programs}
    for name, detector, gib, due in MEMORY:
        if name not in by_name or not session.takes_column(detector):
            continue
        label = f"{name}, {gib} GiB ({due})"
        if session.is_over():
            result.rows.append([label, detector, "", "", "not run", ""])
            continue
        value = measure(session, builder, by_name[name], detector, gib, due)
        session.keep(SECTION, f"{name} {gib} GiB", detector, value)
        if value["result"] != "unchanged":
            session.fail(f"{label}: {value['result']}")
        result.rows.append([label, detector, number(value["native"]), number(value["seconds"]), value["result"], len(value["warnings"])])
        result.remarks += [f"{label}: {line.strip()}"[:300] for line in value["warnings"][:2]]


def measure(session, builder, program, detector, gib, due):
    """Seconds natively and checked, and whether what is due came."""
    command, folder = builder.command(program) + [str(gib)], builder.folder_of(program)
    report = session.scratch(f"{program.name}-{gib}") / "report.json"
    native = session.run(NATIVE, command, folder=folder)
    checked = session.run(MEMORY_CONFIGURATIONS[detector], command, folder=folder, report=str(report))
    warnings = [line for line in checked.stderr.decode("utf-8", "replace").splitlines() if any(word in line.lower() for word in WORDS_OF_WARNING)]
    words = judge(native, checked)
    if words == "unchanged":
        try:
            words = judge_report(reports.read(report), program, due, warnings)
        except reports.NoReport as problem:
            words = str(problem)
    return {"native": native.seconds, "seconds": checked.seconds, "result": words, "warnings": warnings[:5]}


def judge(native, checked):
    """Whether it printed what it prints without us."""
    if native.code != 0:
        return f"natively, too: {native.last_words()}"
    if checked.timed_out:
        return "time-out"
    if checked.stdout != native.stdout:
        return f"exit code {checked.code}: {checked.last_words()}"
    return "unchanged"


def judge_report(report, program, due, warnings):
    """Whether the report has what is due, and the races that the program says it has."""
    if "warning" in due and not warnings:
        return "no warning"
    gaps = reports.not_covered(report) if IN_FULL in due else []
    if gaps:
        return f"not in full: {gaps[0]}"
    racy = sorted({kernel for _, kernel, _ in reports.races(report)})
    if program.racy_kernels is not None and racy != sorted(program.racy_kernels):
        return f"races in {', '.join(racy) or 'no kernel'}, not in {', '.join(program.racy_kernels)}"
    return "unchanged"
