"""What is run, as data. `{warpsan}` and its like are filled in by `Session.command`."""

from dataclasses import dataclass, field
from typing import Dict, List, Optional

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
    # Benches have their small size, and are compared with native code of the same size.
    is_small: bool = False
    # The benches that it is for; none stands for all.
    only: Optional[List[str]] = None


NATIVE = Configuration("native", [])

# CURD's sets are for kernels that have barriers alone, and hb's entries for those whose blocks never meet: these are both, and the others have entries alone.
BARRIERS_ALONE = ["gather", "matmul", "nbody", "reduction", "scan", "spmv", "stencil", "transpose", "vector_add"]
BLOCKS_NEVER_MEET = BARRIERS_ALONE + ["global_histogram", "histogram"]
# The columns of the table of benches: `none` is instrumentation that looks its metadata up and does nothing with it; `metadata` reads and
# writes it, too. `barracuda` is on the host, and hears of every operation. They are in the order in which they are measured, the cheap ones first: if time runs out, the last ones
# are missing.
SLOW = ["--repeat", "1"]
# For what hears of every operation on the host, one launch has to stand for all of a repetition.
ONE_LAUNCH = SLOW + ["--launches", "1"]
# racecheck takes seconds for a launch of a millisecond. At these sizes kernels do a sixty-fourth of their work.
SMALL_SIZES = {
    "bfs": 1 << 16, "cub_radix_sort": 1 << 22, "cub_scan": 1 << 22, "gather": 1 << 20, "global_histogram": 1 << 20, "histogram": 1 << 23,
    "last_block": 1 << 23, "matmul": 1024, "nbody": 1 << 14,
    "reduction": 1 << 23, "scan": 1 << 22, "spmv": 1 << 16, "stencil": 2048, "transpose": 2048, "vector_add": 1 << 22,
}
CURD = GPU_ENGINE + ["--detector", "curd"]
BENCH = [
    Configuration("none", GPU_ENGINE + ["--detector", "none", "--"]),
    Configuration("metadata", GPU_ENGINE + ["--detector", "none", "--gpu-only-traffic", "--"]),
    Configuration("iguard", GPU_ENGINE + ["--detector", "iguard", "--"]),
    Configuration("hb", GPU_ENGINE + ["--detector", "hb", "--"], only=BLOCKS_NEVER_MEET),
    Configuration("curd", CURD + ["--"], only=BARRIERS_ALONE),
    Configuration("no backoff", GPU_ENGINE + ["--detector", "iguard", "--iguard-backoff", "off", "--"], SLOW),
    Configuration("no coalescing", GPU_ENGINE + ["--detector", "iguard", "--iguard-coalescing", "off", "--"], SLOW),
    Configuration("memcheck", ["{sanitizer}", "--tool", "memcheck", "--print-limit", "1"], SLOW),
    Configuration("small curd", CURD + ["--"], SLOW, is_small=True, only=BARRIERS_ALONE),
    Configuration("eager curd", CURD + ["--curd-inter-block", "eager", "--"], SLOW, is_small=True, only=BARRIERS_ALONE),
    Configuration("barracuda", GPU_ENGINE + ["--detector", "barracuda", "--"], ONE_LAUNCH, is_small=True, only=BARRIERS_ALONE),
    Configuration("racecheck", ["{sanitizer}", "--tool", "racecheck", "--print-limit", "1"], SLOW, is_small=True),
]

# The same tool on the programs of the bug suite. What it says goes to `{log}`, since the output of kernels goes elsewhere.
RACECHECK_BUGS = Configuration("racecheck", ["{sanitizer}", "--tool", "racecheck", "--print-limit", "1", "--log-file", "{log}"], seconds=40)

# The seconds of one run of a bench. After a time-out the other programs of the same column have less, and after some the column is
# given up, so that a tool that hangs everywhere costs no more than a few of them.
BENCH_SECONDS = 40
BENCH_SECONDS_AFTER_TIME_OUT = 10
MOST_TIME_OUTS = 3
# Kernels are compiled before anything is measured, all at the same time, with as little to compute as there can be.
WARM_UP_ARGUMENTS = ONE_LAUNCH
WARM_UP_SECONDS = 90
# So many at a time, since each has the memory of a whole bench and its metadata.
WARM_UP_JOBS = 6

# Kernels of a bench take at least so long natively; those that do not are marked.
SHORTEST_BENCH_MS = 5.0

# The largest geometric mean that is good enough.
LARGEST_MEAN = {"hb": 4.5, "iguard": 12.0, "curd": 5.0}
# Pairs of columns of the same size: how much faster the first one is than the second is said below the table.
FASTER_THAN = [("small curd", "barracuda"), ("small curd", "racecheck"), ("small curd", "eager curd")]

# Under these, programs have to print and end as without them. `{report}` is where the report in JSON goes. The limit is for a cache
# without any kernel, and for machines whose cores are busy.
REPORT = ["--format", "json", "--output", "{report}"]
RESULTS = [Configuration(detector, GPU_ENGINE + ["--detector", detector] + REPORT + ["--"], seconds=150) for detector in ("iguard", "hb")]
# Where something differs, so many native runs decide whether it does so by itself.
NATIVE_RUNS = 4

# The races of a run, and those that the same detector finds in what the run recorded in the folder `{traces}`.
AGREE_LIVE = Configuration(
    "live", GPU_ENGINE + ["--detector", "iguard", "--record-trace", "{traces}", "--format", "json", "--output", "{report}", "--"], seconds=240
)
AGREE_AGAIN = Configuration("again", GPU_ENGINE + ["--detector", "iguard", "--format", "json", "--output", "{report}", "--"])
AGREE_REPLAY = Configuration("replay", ["{warpsan}", "replay", "--detector", "iguard", "--format", "json", "--output", "{report}"], seconds=90)
# The groups of programs that are compared, in this order.
AGREE_GROUPS = ["examples", "programs", "corpus", "rdc", "values", "results"]
# A program that is clean has to stay clean in so many runs.
CLEAN_RUNS = 5

# A file with kernels on one engine and on the other. A launch that does not end on the GPU is given up by warpsan itself.
CHECK = ["--format", "json", "--output", "{report}"]
CHECK_CPU = Configuration("cpu", ["{warpsan}", "check", "--engine", "cpu", "--jobs", "2", "--seed", "{seed}"] + CHECK, seconds=40)
CHECK_CPU_MORE = Configuration("cpu-more", ["{warpsan}", "check", "--engine", "cpu", "--jobs", "2", "--explore", "40"] + CHECK, seconds=60)
CHECK_GPU = Configuration("gpu", ["{warpsan}", "check", "--engine", "gpu", "--timeout", "10"] + CHECK, seconds=60)
CHECK_SEEDS = [1, 2, 3]
# A file that misses races on the GPU, or has none, is run so often there.
CHECK_TRIES = 5
# Folders of files, each with the detector that checks them.
CHECKED_FOLDERS = [("hb/matrix", "hb"), ("hb/idioms", "hb"), ("bugs", "hb"), ("iguard", "iguard"), ("iguard", "hb")]

# Programs that are checked on both engines, likewise.
RUN_CPU = Configuration("cpu", ["{warpsan}", "run", "--engine", "cpu", "--detector", "hb", "--seed", "{seed}"] + CHECK + ["--"], seconds=60)
RUN_CPU_MORE = Configuration("cpu-more", RUN_CPU.prefix, seconds=60)
RUN_GPU = Configuration("gpu", GPU_ENGINE + ["--detector", "hb", "--timeout", "30"] + CHECK + ["--"], seconds=60)
# On a GPU kernels are checked against kernels alone, and launches whose kernels have entries not against each other.
KINDS_BETWEEN_LAUNCHES = {"inter-kernel", "data-race", "use-after-free", "out-of-bounds"}

# Working sets: the program, the detector, GiB, and what each has to do.
MEMORY = [
    ("big_memory", "iguard", 20, "runs"),
    ("big_memory", "iguard", 60, "finishes, with a warning"),
    ("whole_lines", "hb", 60, "is checked in full"),
]
MEMORY_CONFIGURATIONS = {
    detector: Configuration(detector, GPU_ENGINE + ["--detector", detector] + REPORT + ["--"], seconds=240) for detector in ("iguard", "hb")
}

# Programs whose start is measured, with a cache that has their code and with an empty one.
STARTUP = ["startup/one_kernel", "results/runtime_many_kernels", "results/cub_sort_keys"]
STARTUP_CONFIGURATIONS = [Configuration(detector, GPU_ENGINE + ["--detector", detector, "--"], seconds=120) for detector in ("iguard", "hb")]
STARTUP_RUNS = 11
LARGEST_STARTUP_RATIO = 1.2

# Small programs whose blocks never meet, each of which is run so often: whatever waits on the device has to be met at some time.
OFTEN = [
    "programs/kernel_group_copy_not_waited", "programs/kernel_library_pipeline", "programs/kernel_missing_barrier",
    "programs/launch_dynamic_shared", "programs/launch_shapes", "programs/launch_templates_and_lambdas", "programs/real_convolution",
    "programs/real_gemm_cp_async", "programs/real_jacobi_two_streams", "programs/real_reduction", "programs/real_string_search",
    "values/barriers", "values/fourier", "values/matrix_products", "values/radix_and_merge_sorts", "values/recursion", "values/scans",
    "values/sorting_networks", "values/stencils", "values/transposes",
]
OFTEN_RUNS = 100
OFTEN_CONFIGURATION = Configuration("hb", GPU_ENGINE + ["--detector", "hb"] + REPORT + ["--"], seconds=60)
# The variable that says where warpsan keeps what it has compiled.
CACHE_VARIABLE = "WARPSAN_CACHE_DIR"
