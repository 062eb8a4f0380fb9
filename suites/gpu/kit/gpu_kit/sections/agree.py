"""Agreement: what the detector says on the device is what it says on the host about the same run, from its recorded events."""

from collections import Counter

from .. import reports
from ..configurations import AGREE_AGAIN, AGREE_GROUPS, AGREE_LIVE, AGREE_REPLAY, CLEAN_RUNS, NATIVE
from ..tables import Table

SECTION = "agree"
DONE = ("clean", "racy")
# So many of the differences of one program are told.
MOST_DIFFERENCES = 3


def run(session, builder, programs):
    """The groups in their order, and each program of theirs: when the time is over, it is the last groups that are missing."""
    wanted = [program for group in AGREE_GROUPS for program in programs if program.group == group]
    names = [program.name for program in wanted]
    todo = session.begin(SECTION, wanted, lambda known: known.get("answer") in DONE)
    session.add_table(lambda: table(session, names))
    for program, words in zip(todo, session.build_and_run(builder, todo, lambda program: check(session, builder, program))):
        if words:
            session.keep(SECTION, program.name, None, {"answer": "no answer", "words": words[:200]})


def check(session, builder, program):
    """A recorded run, the replays of its traces, and further runs if both called it clean."""
    command, folder = builder.command(program), builder.folder_of(program)
    scratch = session.scratch(program.name + "-agree")
    try:
        answer = compare(session, command, folder, scratch)
        if answer["answer"] in DONE and not program.is_racy:
            own = reports.own_code(reports.read(scratch / "live.json"))
            answer = unless_it_failed(session, answer, own, program.recorded_code or 0, command, folder)
        session.keep(SECTION, program.name, None, answer)
        if answer["answer"] not in DONE:
            session.fail(f"{program.name}: {answer['words']}")
            session.keep_evidence(scratch)
    finally:
        session.drop(scratch)


def unless_it_failed(session, answer, own, expected, command, folder):
    """A program that fails, and does not do so by itself, has not done what would have been checked."""
    if own == expected or own == session.run(NATIVE, command, folder=folder).code:
        return answer
    return {"answer": "no answer", "words": f"it ended with {own}, not {expected}"}


def compare(session, command, folder, scratch):
    """The answer for one program, with its words where something is not as it should be."""
    traces = scratch / "traces"
    traces.mkdir()
    live, live_gaps, problem = races_of_run(session, AGREE_LIVE, command, folder, scratch / "live.json", traces=str(traces))
    files = sorted(path for path in traces.rglob("*") if path.is_file())
    if not problem and not files and program_has_launches(scratch / "live.json"):
        problem = "nothing was recorded"
    replayed, gaps = set(), list(live_gaps)
    for index, trace in enumerate(files if not problem else []):
        report = scratch / f"replay{index}.json"
        found, replay_gaps, problem = races_of_run(session, AGREE_REPLAY, [str(trace)], folder, report)
        replayed |= found
        gaps += replay_gaps
        if problem:
            break
    if problem:
        return {"answer": "no answer", "words": problem}
    differences = [f"device only: {reports.describe(race)}" for race in sorted(live - replayed)]
    differences += [f"host only: {reports.describe(race)}" for race in sorted(replayed - live)]
    answer = "differ" if differences else "racy" if live else "clean"
    if answer == "clean":
        differences = not_clean_again(session, command, folder, scratch)
        answer = "not clean again" if differences else "clean"
    told = {"answer": answer, "races": len(live), "not covered": len(set(gaps))}
    if differences:
        shown = differences[:MOST_DIFFERENCES] + [f"and {len(differences) - MOST_DIFFERENCES} more"] * (len(differences) > MOST_DIFFERENCES)
        told["words"] = "; ".join(shown)
    return told


def races_of_run(session, configuration, command, folder, report, **places):
    """The races of a run, what it did not cover, and what went wrong."""
    ended = session.run(configuration, command, folder=folder, report=str(report), **places)
    if ended.timed_out:
        return set(), [], f"time-out of {configuration.name} after {configuration.seconds} s"
    try:
        read = reports.read(report)
    except reports.NoReport as problem:
        return set(), [], f"{configuration.name}: {problem}; it ended with {ended.code}: {ended.last_words()}"
    return reports.races(read), reports.not_covered(read), ""


def program_has_launches(report):
    """A program that launches nothing has nothing to record."""
    return reports.read(report)["summary"].get("launches", 0) > 0


def not_clean_again(session, command, folder, scratch):
    """Races of further runs, which there must not be. These record nothing, which is quick."""
    for number in range(2, CLEAN_RUNS + 1):
        found, _, problem = races_of_run(session, AGREE_AGAIN, command, folder, scratch / f"again{number}.json")
        if problem or found:
            return [f"run {number}: {problem}"] if problem else [f"run {number}: {reports.describe(race)}" for race in sorted(found)]
    return []


def table(session, names):
    """Counts by group, and each program that is not as it should be."""
    answers = ["clean", "racy", "differ", "not clean again", "no answer", "not run"]
    result = Table("Races on the device and on the host, from the same run", ["group", "programs"] + answers + ["not covered"])
    measured = session.measured.get(SECTION, {})
    totals = Counter()
    for group, count in Counter(name.split("/", 1)[0] for name in names).items():
        row = Counter(programs=count)
        for name in (name for name in names if name.startswith(group + "/")):
            known = measured.get(name, {})
            row[known.get("answer", "not run")] += 1
            row["not covered"] += known.get("not covered", 0) > 0
            if "words" in known:
                result.remarks.append(f"{name}: {known['words']}"[:400])
        totals += row
        result.rows.append([group] + [row[column] for column in result.header[1:]])
    result.rows.append(["all"] + [totals[column] for column in result.header[1:]])
    return result
