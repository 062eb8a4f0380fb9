"""Benches: the time of kernels under each configuration, beside their own."""

import re

from ..configurations import BENCH, LARGEST_MEAN, NATIVE, SHORTEST_BENCH_MS
from ..tables import Table, geometric_mean, number

SECTION = "bench"
LINE = re.compile(rb"^name=(\S+) ms=(\S+) checksum=(\S+) (ok|WRONG)$", re.MULTILINE)


def run(session, builder, programs, extra=()):
    """One configuration after the other, so that the last columns are missing if time runs out, and not the last rows."""
    try:
        for configuration in [NATIVE] + BENCH:
            if session.takes_column(configuration.name):
                measure_all(session, builder, programs, configuration, extra)
    finally:
        session.tables.append(table(session, [program.short for program in programs]))


def measure_all(session, builder, programs, configuration, extra):
    """All programs under one configuration."""
    for program in programs:
        if session.is_over():
            return
        value = measure(session, builder, program, configuration, extra)
        session.keep(SECTION, program.short, configuration.name, value)
        if "ms" not in value and value["words"] != "time-out":
            session.fail(f"bench {program.short} under {configuration.name}: {value['words']}")
        session.log(f"bench {program.short:16} {configuration.name:14} {value.get('ms', value.get('words'))}")


def measure(session, builder, program, configuration, extra):
    """The milliseconds and the checksum, or words that say why there are none."""
    arguments = list(extra) + configuration.bench_arguments
    ended = session.run(configuration, builder.command(program), arguments, folder=builder.folder_of(program))
    if ended.timed_out:
        return {"words": "time-out"}
    found = LINE.search(ended.stdout)
    if found is None:
        return {"words": f"failed ({ended.code}): {ended.last_words()}"[:200]}
    if found.group(4) != b"ok":
        return {"words": "WRONG"}
    value = {"ms": float(found.group(2)), "checksum": found.group(3).decode(), "seconds": round(ended.seconds, 2)}
    native = session.measured.get(SECTION, {}).get(program.short, {}).get(NATIVE.name, {})
    if configuration is not NATIVE and native.get("checksum") not in (None, value["checksum"]):
        return {"words": "other checksum"}
    return value


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
            if native and "ms" in value:
                ratios[column][name] = value["ms"] / native
                row.append(number(ratios[column][name]))
            else:
                row.append(value.get("words", "").split(":")[0])
        result.rows.append(row)
    means = {column: geometric_mean(ratios[column].values()) for column in columns}
    result.rows.append(["geometric mean", ""] + [number(means[column]) for column in columns])
    for column in columns:
        if 0 < len(ratios[column]) < len(names):
            result.remarks.append(f"the mean of {column} is over {len(ratios[column])} of {len(names)} programs")
        limit = LARGEST_MEAN.get(column)
        if limit is not None and means[column] is not None:
            words = "at most" if means[column] <= limit else "MORE THAN"
            result.remarks.append(f"{column}: {number(means[column])} in the mean, {words} {number(limit)}")
    return result
