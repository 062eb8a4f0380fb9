"""What is run, as data. `{warpsan}` and its like are filled in by `Session.command`."""

from dataclasses import dataclass, field
from typing import Dict, List

GPU_ENGINE = ["{warpsan}", "run", "--engine", "gpu"]


@dataclass(frozen=True)
class Configuration:
    """A way to run a program: what stands before it on the command line, and behind."""

    name: str
    prefix: List[str]
    # Further arguments of benches; slow tools get fewer repetitions.
    bench_arguments: List[str] = field(default_factory=list)
    environment: Dict[str, str] = field(default_factory=dict)
    seconds: int = 60


NATIVE = Configuration("native", [])

# `none` is instrumentation that looks its metadata up and does nothing with it; `metadata` reads and writes it, too.
# The columns of the table of benches, in the order in which they are measured: if time runs out, the last ones are missing.
BENCH = [
    Configuration("iguard", GPU_ENGINE + ["--detector", "iguard", "--"]),
    Configuration("none", GPU_ENGINE + ["--detector", "none", "--"]),
    Configuration("metadata", GPU_ENGINE + ["--detector", "none", "--gpu-only-traffic", "--"]),
    Configuration("no coalescing", GPU_ENGINE + ["--detector", "iguard", "--iguard-coalescing", "off", "--"]),
    Configuration("no backoff", GPU_ENGINE + ["--detector", "iguard", "--iguard-backoff", "off", "--"]),
    Configuration("racecheck", ["compute-sanitizer", "--tool", "racecheck", "--print-limit", "1"], ["--repeat", "1"], seconds=45),
    Configuration("memcheck", ["compute-sanitizer", "--tool", "memcheck", "--print-limit", "1"], ["--repeat", "1"], seconds=45),
]

# Kernels of a bench take at least so long natively; those that do not are marked.
SHORTEST_BENCH_MS = 5.0

# The largest geometric mean that is good enough.
LARGEST_MEAN = {"iguard": 12.0}

# Under these, programs have to print and end as without them. `{report}` is where the report in JSON goes.
RESULTS = [
    Configuration("iguard", GPU_ENGINE + ["--detector", "iguard", "--format", "json", "--output", "{report}", "--"]),
]

# The races of a run, and those that the same detector finds in what the run recorded in the folder `{traces}`.
AGREE_LIVE = Configuration(
    "live", GPU_ENGINE + ["--detector", "iguard", "--record-trace", "{traces}", "--format", "json", "--output", "{report}", "--"], seconds=120
)
AGREE_AGAIN = Configuration("again", GPU_ENGINE + ["--detector", "iguard", "--format", "json", "--output", "{report}", "--"])
AGREE_REPLAY = Configuration("replay", ["{warpsan}", "replay", "--detector", "iguard", "--format", "json", "--output", "{report}"], seconds=120)
# A program that is clean has to stay clean in so many runs.
CLEAN_RUNS = 5

# Working sets in GiB, and what each has to do.
MEMORY = [(20, "runs"), (60, "finishes, with a warning")]
MEMORY_CONFIGURATION = Configuration("iguard", GPU_ENGINE + ["--detector", "iguard", "--"], seconds=240)

# Programs whose start is measured, with a cache that has their code and with an empty one.
STARTUP = ["startup/one_kernel", "results/runtime_many_kernels", "results/cub_sort_keys"]
STARTUP_CONFIGURATION = Configuration("iguard", GPU_ENGINE + ["--detector", "iguard", "--"])
STARTUP_RUNS = 11
LARGEST_STARTUP_RATIO = 1.2
# The variable that says where warpsan keeps what it has compiled.
CACHE_VARIABLE = "WARPSAN_CACHE_DIR"
