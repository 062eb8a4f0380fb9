"""Benches: the time of kernels under each configuration, beside their own."""

import re

from ..configurations import (
    BENCH, BENCH_SECONDS, BENCH_SECONDS_AFTER_TIME_OUT, FASTER_THAN, LARGEST_MEAN, MOST_TIME_OUTS, NATIVE, SHORTEST_BENCH_MS, SMALL_SIZES,
    WARM_UP_ARGUMENTS, WARM_UP_JOBS, WARM_UP_SECONDS,
)
from ..programs import slow_ones_first
from ..session import OutOfTime
from ..tables import Table, geometric_mean, number

SECTION = "bench"
LINE = re.compile(rb"^name=(\S+) ms=(\S+) launches=(\d+) checksum=(\S+) (ok|WRONG)$", re.MULTILINE)


def run(session, builder, programs, extra=()):
    """One configuration after the other, so that the last columns are missing if time runs out, and not the last rows."""
    names = [program.short for program in programs]
    session.add_table(lambda: table(session, names))
    columns = [configuration for configuration in BENCH if session.takes_column(configuration.name)]
    try:
        warm_up(session, builder, programs, columns, extra)
        if session.takes_column(NATIVE.name):
            measure_all(session, builder, programs, NATIVE, extra)
        for configuration in columns:
            measure_all(session, builder, quick_ones_first(session, programs), configuration, extra)
    except OutOfTime:
        session.log("bench: the time is over")


def warm_up(session, builder, programs, columns, extra):
    """Has every kernel compiled before anything is measured, unless the run would be the one that is measured. How these runs end is of no
    importance: they are not waited for long."""
    pairs = [(program, configuration) for program in slow_ones_first(programs) for configuration in columns
             if "{warpsan}" in configuration.prefix and configuration.bench_arguments != WARM_UP_ARGUMENTS and is_for(configuration, program)]

    def compile_kernels(pair):
        program, configuration = pair
        arguments = list(extra) + size_of(configuration, program) + WARM_UP_ARGUMENTS
        session.run(configuration, builder.command(program), arguments, folder=builder.folder_of(program), seconds=WARM_UP_SECONDS)

    session.in_parallel(pairs, compile_kernels, jobs=WARM_UP_JOBS)


def quick_ones_first(session, programs):
    """The programs by the time that they take natively: the longer one is, the more likely it reaches a limit."""
    known = session.measured.get(SECTION, {})
    return sorted(programs, key=lambda program: known.get(program.short, {}).get(NATIVE.name, {}).get("seconds", 0.0))


def measure_all(session, builder, programs, configuration, extra):
    """All programs under one configuration."""
    time_outs = 0
    for program in programs:
        seconds = BENCH_SECONDS if time_outs == 0 else BENCH_SECONDS_AFTER_TIME_OUT
        if not is_for(configuration, program):
            session.keep(SECTION, program.short, configuration.name, {"words": "not for it"})
            continue
        if time_outs >= MOST_TIME_OUTS:
            value = {"words": "not run"}
        else:
            value = measure(session, builder, program, configuration, extra, seconds)
        session.keep(SECTION, program.short, configuration.name, value)
        is_time_out = value.get("is_time_out", False)
        time_outs += is_time_out
        if "ms" not in value and not is_time_out and value["words"] != "not run":
            session.fail(f"bench {program.short} under {configuration.name}: {value['words']}")
        session.log(f"bench {program.short:16} {configuration.name:14} {value.get('ms', value.get('words'))}")


def size_of(configuration, program):
    """The arguments for the small size, where a configuration has it."""
    small = SMALL_SIZES.get(program.short) if configuration.is_small else None
    return [] if small is None else ["--size", str(small)]


def is_for(configuration, program):
    """Whether a configuration says something about a program."""
    return configuration.only is None or program.short in configuration.only


def measure(session, builder, program, configuration, extra, seconds):
    """The milliseconds and the checksum, or words that say why there are none."""
    native = session.measured.get(SECTION, {}).get(program.short, {}).get(NATIVE.name, {})
    size = size_of(configuration, program)
    if size:
        extra = list(extra) + size
        native = one_run(session, builder, program, NATIVE, extra, seconds)
        if "ms" not in native:
            return native
    value = one_run(session, builder, program, configuration, extra, seconds)
    if "ms" not in value or configuration is NATIVE:
        return value
    if native.get("checksum") not in (None, value["checksum"]):
        return {"words": "other checksum"}
    if "ms" not in native:
        return value
    return {**value, "native ms": native["ms"] * value["launches"] / native["launches"]}


def one_run(session, builder, program, configuration, extra, seconds):
    """What one run of a bench says."""
    arguments = list(extra) + configuration.bench_arguments
    ended = session.run(configuration, builder.command(program), arguments, folder=builder.folder_of(program), seconds=seconds)
    if ended.timed_out:
        return {"words": f"> {seconds} s", "is_time_out": True}
    found = LINE.search(ended.stdout)
    if found is None:
        return {"words": f"failed ({ended.code}): {ended.last_words()}"[:200]}
    if found.group(5) != b"ok":
        return {"words": "WRONG"}
    ms, launches, checksum = float(found.group(2)), int(found.group(3)), found.group(4).decode()
    return {"ms": ms, "launches": launches, "checksum": checksum, "seconds": round(ended.seconds, 2)}


def table(session, names):
    """Native milliseconds, how many times as long everything else takes, and geometric means over what has a number."""
    columns = [configuration.name for configuration in BENCH]
    result = Table("Warm kernel time against native", ["program", "native ms"] + columns)
    measured = session.measured.get(SECTION, {})
    ratios = {column: {} for column in columns}
    for name in names:
        known = measured.get(name, {})
        native = known.get(NATIVE.name, {}).get("ms")
        mark = "" if native is None or native >= SHORTEST_BENCH_MS else " (short)"
        row = [name + mark, known.get(NATIVE.name, {}).get("words", "") if native is None else number(native)]
        for column in columns:
            value = known.get(column, {})
            beside = value.get("native ms", native)
            if beside and "ms" in value:
                ratios[column][name] = value["ms"] / beside
                row.append(number(ratios[column][name]))
            else:
                row.append(value.get("words", "").split(":")[0])
        result.rows.append(row)
    means = {column: geometric_mean(ratios[column].values()) for column in columns}
    result.rows.append(["geometric mean", ""] + [number(means[column]) for column in columns])
    natives = sum("ms" in measured.get(name, {}).get(NATIVE.name, {}) for name in names)
    result.rows.append(["programs with a value", natives] + [len(ratios[column]) for column in columns])
    small = ", ".join(configuration.name for configuration in BENCH if configuration.is_small)
    result.remarks.append(f"{small}: at a sixty-fourth of the work, beside native code of that size")
    for column in columns:
        limit = LARGEST_MEAN.get(column)
        if limit is not None and means[column] is not None:
            words = "at most" if means[column] <= limit else "MORE THAN"
            result.remarks.append(f"{column}: {number(means[column])} in the mean, {words} {number(limit)}")
    for column, slower in FASTER_THAN:
        both = ratios[column].keys() & ratios[slower].keys()
        if both:
            times = geometric_mean(ratios[slower][name] / ratios[column][name] for name in both)
            result.remarks.append(f"{column}: {number(times)} times as fast as {slower}, in the mean of {len(both)} programs")
    return result
