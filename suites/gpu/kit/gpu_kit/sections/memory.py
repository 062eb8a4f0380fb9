"""Memory: working sets so large that their metadata does not fit, and must not stop them."""

from ..configurations import MEMORY, MEMORY_CONFIGURATION, NATIVE
from ..tables import Table, number

SECTION = "memory"


# What a report says about memory that has no metadata, or metadata in a slow place.
WORDS_OF_WARNING = ["warning", "not checked", "metadata"]


def run(session, builder, programs):
    result = Table("Large working sets", ["working set", "native s", f"{MEMORY_CONFIGURATION.name} s", "result", "warnings"])
    session.add_table(lambda: result)
    program = next((program for program in programs if program.short == "big_memory"), None)
    for gib, due in MEMORY if program else []:
        if session.is_over():
            result.rows.append([f"{gib} GiB", "", "", "not run", ""])
            continue
        command, folder = builder.command(program) + [str(gib)], builder.folder_of(program)
        native = session.run(NATIVE, command, folder=folder)
        checked = session.run(MEMORY_CONFIGURATION, command, folder=folder)
        warnings = [line for line in checked.stderr.decode("utf-8", "replace").splitlines() if any(word in line.lower() for word in WORDS_OF_WARNING)]
        words = judge(native, checked)
        if words == "unchanged" and "warning" in due and not warnings:
            words = "no warning"
        value = {"native": native.seconds, "seconds": checked.seconds, "result": words, "warnings": warnings[:5]}
        session.keep(SECTION, f"{gib} GiB", MEMORY_CONFIGURATION.name, value)
        if words != "unchanged":
            session.fail(f"{gib} GiB, which {due}: {words}")
        result.rows.append([f"{gib} GiB ({due})", number(native.seconds), number(checked.seconds), words, len(warnings)])
        result.remarks += [f"{gib} GiB: {line.strip()}"[:300] for line in warnings[:2]]


def judge(native, checked):
    """Whether it printed what it prints without us."""
    if native.code != 0:
        return f"natively, too: {native.last_words()}"
    if checked.timed_out:
        return "time-out"
    if checked.stdout != native.stdout:
        return f"exit code {checked.code}: {checked.last_words()}"
    return "unchanged"
