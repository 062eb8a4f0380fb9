"""Start-up: the time of whole short programs, with a cache that has their code already, and with an empty one."""

import shutil
import statistics

from ..configurations import CACHE_VARIABLE, LARGEST_STARTUP_RATIO, NATIVE, STARTUP, STARTUP_CONFIGURATION, STARTUP_RUNS
from ..tables import Table, number

SECTION = "startup"


def run(session, builder, programs):
    header = ["program", "native ms", "empty cache ms", "warm cache ms", "warm / native"]
    result = Table(f"Start-up under {STARTUP_CONFIGURATION.name} (medians of {STARTUP_RUNS} runs)", header)
    session.add_table(lambda: result)
    for program in (program for program in programs if program.name in STARTUP):
        if session.is_over():
            result.rows.append([program.name, "", "", "", "not run"])
            continue
        value = measure(session, builder, program)
        session.keep(SECTION, program.name, STARTUP_CONFIGURATION.name, value)
        if "words" in value:
            session.fail(f"start-up of {program.name}: {value['words']}")
            result.rows.append([program.name, "", "", "", value["words"]])
            continue
        ratio = value["warm"] / value["native"]
        result.rows.append([program.name] + [number(1000 * value[key]) for key in ("native", "empty", "warm")] + [number(ratio)])
        if ratio > LARGEST_STARTUP_RATIO:
            result.remarks.append(f"{program.name}: MORE THAN {LARGEST_STARTUP_RATIO} times as long as native")


def measure(session, builder, program):
    """Seconds: both kinds of runs take turns, so that what else the machine does is the same for both."""
    command, folder = builder.command(program), builder.folder_of(program)
    cache = session.scratch(program.name + "-cache")
    environment = {CACHE_VARIABLE: str(cache)}
    times = {"native": [], "warm": []}
    native = session.run(NATIVE, command, folder=folder)
    empty = session.run(STARTUP_CONFIGURATION, command, folder=folder, environment=environment)
    for _ in range(STARTUP_RUNS):
        for name, configuration in (("native", NATIVE), ("warm", STARTUP_CONFIGURATION)):
            ended = session.run(configuration, command, folder=folder, environment=environment)
            if ended.timed_out or ended.stdout != native.stdout:
                return {"words": "time-out" if ended.timed_out else f"{name}: other output: {ended.last_words()}"[:200]}
            times[name].append(ended.seconds)
    shutil.rmtree(cache, ignore_errors=True)
    return {"native": statistics.median(times["native"]), "warm": statistics.median(times["warm"]), "empty": empty.seconds}
