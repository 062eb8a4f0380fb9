"""Start-up: the time of whole short programs, with a cache that has their code already, and with an empty one."""

import shutil
import statistics

from ..configurations import CACHE_VARIABLE, LARGEST_STARTUP_RATIO, NATIVE, STARTUP, STARTUP_CONFIGURATIONS, STARTUP_RUNS
from ..tables import Table, number

SECTION = "startup"


def run(session, builder, programs):
    header = ["program", "detector", "native ms", "empty cache ms", "warm cache ms", "warm / native"]
    result = Table(f"Start-up (medians of {STARTUP_RUNS} runs)", header)
    session.add_table(lambda: result)
    programs = [program for program in programs if program.name in STARTUP]
    for configuration in STARTUP_CONFIGURATIONS:
        for program in programs if session.takes_column(configuration.name) else []:
            result.rows.append([program.name, configuration.name] + row(session, builder, program, configuration, result.remarks))


def row(session, builder, program, configuration, remarks):
    """What is behind the names in the table."""
    if session.is_over():
        return ["", "", "", "not run"]
    value = measure(session, builder, program, configuration)
    session.keep(SECTION, program.name, configuration.name, value)
    if "words" in value:
        session.fail(f"start-up of {program.name} under {configuration.name}: {value['words']}")
        return ["", "", "", value["words"]]
    ratio = value["warm"] / value["native"]
    if ratio > LARGEST_STARTUP_RATIO:
        remarks.append(f"{program.name} under {configuration.name}: MORE THAN {LARGEST_STARTUP_RATIO} times as long as native")
    return [number(1000 * value[key]) for key in ("native", "empty", "warm")] + [number(ratio)]


def measure(session, builder, program, configuration):
    """Seconds: both kinds of runs take turns, so that what else the machine does is the same for both."""
    command, folder = builder.command(program), builder.folder_of(program)
    cache = session.scratch(f"{program.name}-{configuration.name}-cache")
    environment = {CACHE_VARIABLE: str(cache)}
    times = {"native": [], "warm": []}
    native = session.run(NATIVE, command, folder=folder)
    empty = session.run(configuration, command, folder=folder, environment=environment)
    for _ in range(STARTUP_RUNS):
        for name, of_run in (("native", NATIVE), ("warm", configuration)):
            ended = session.run(of_run, command, folder=folder, environment=environment)
            if ended.timed_out or ended.stdout != native.stdout:
                return {"words": "time-out" if ended.timed_out else f"{name}: other output: {ended.last_words()}"[:200]}
            times[name].append(ended.seconds)
    shutil.rmtree(cache, ignore_errors=True)
    return {"native": statistics.median(times["native"]), "warm": statistics.median(times["warm"]), "empty": empty.seconds}
