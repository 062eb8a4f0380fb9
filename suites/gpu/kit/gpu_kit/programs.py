"""The programs of the suites: where they are, how they are built, and what they printed on the machine they were recorded on."""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import List, Optional

# Directions are among the first lines of a program.
HEAD_LINES = 40
ARCHITECTURE = "90"
MODES = {"rdc": ["-rdc=true"], "G": ["-G"]}


@dataclass
class Program:
    """A program with everything that is needed to build it. Its name begins with its group."""

    name: str
    sources: List[Path] = field(default_factory=list)
    flags: List[str] = field(default_factory=list)
    architecture: str = "sm_90"
    # `both` machine code and PTX, or only one of them.
    images: str = "both"
    plugins: List[Path] = field(default_factory=list)
    is_library: bool = False
    # What it is run with; `{built}` is the file that was built, `{folder}` its folder.
    command: List[str] = field(default_factory=lambda: ["{built}"])
    # How it is built where nvcc is not asked directly.
    build_command: Optional[List[str]] = None
    recorded_stdout: Optional[bytes] = None
    recorded_code: Optional[int] = None
    # Whether the program has races, by its own words; what it prints may then be one thing or another.
    is_racy: bool = False
    # The kernels that have races, where the program says so.
    racy_kernels: Optional[List[str]] = None

    @property
    def group(self):
        return self.name.split("/", 1)[0]

    @property
    def short(self):
        return self.name.split("/", 1)[1]


def head(text, mark):
    """The directions `MARK KEY: VALUE` of a program, by key."""
    found = {}
    for line in text.splitlines()[:HEAD_LINES]:
        match = re.match(re.escape(mark) + r"\s*([a-z-]+):\s*(.*)$", line)
        if match:
            found.setdefault(match.group(1), match.group(2).strip())
    return found


def of_programs(root):
    """suites/programs, with what an H200 printed."""
    folder = root / "suites/programs"
    for source in sorted(folder.glob("*.cu")):
        keys = head(source.read_text(encoding="utf-8"), "//")
        stdout = folder / "recorded" / (source.stem + ".stdout")
        code = folder / "recorded" / (source.stem + ".exit")
        yield Program(
            "programs/" + source.stem,
            [source] + [folder / name for name in keys.get("sources", "").split()],
            keys.get("flags", "").split() + [f"-I{folder}"],
            keys.get("arch", "sm_90"),
            plugins=[folder / name for name in keys.get("plugin", "").split()],
            recorded_stdout=stdout.read_bytes() if stdout.exists() else None,
            recorded_code=int(code.read_text()) if code.exists() else None,
            is_racy=keys.get("verdict", "").startswith("race"),
        )


def of_values(root):
    """suites/values, with what an H200 printed."""
    folder = root / "suites/values"
    recorded, name = {}, None
    for line in (folder / "H200.txt").read_text(encoding="utf-8").splitlines() if (folder / "H200.txt").exists() else []:
        if line.startswith("== "):
            name = line[3:].strip()
            recorded[name] = ""
        elif name is not None:
            recorded[name] += line + "\n"
    for source in sorted(folder.glob("*.cu")):
        keys = head(source.read_text(encoding="utf-8"), "//@")
        stdout = recorded.get(source.stem)
        yield Program(
            "values/" + source.stem, [source], keys.get("flags", "").split(),
            recorded_stdout=None if stdout is None else stdout.encode(), recorded_code=0,
        )


def of_corpus(root):
    """suites/ptx: those that compile for this architecture."""
    for source in sorted((root / "suites/ptx").glob("*.cu")):
        keys = head(source.read_text(encoding="utf-8"), "//@")
        architectures = keys.get("architectures", ARCHITECTURE).split()
        fitting = [name for name in (ARCHITECTURE, ARCHITECTURE + "a") if name in architectures]
        # Most compile in every mode; a few in one that has to be asked for.
        mode = [] if "O3" in keys.get("modes", "O3").split() else MODES[keys["modes"].split()[0]]
        if fitting:
            yield Program("corpus/" + source.stem, [source], mode + keys.get("flags", "").split(), "sm_" + fitting[0])


def of_units(root):
    """suites/rdc: programs of several units, linked by nvcc."""
    for folder in sorted(path for path in (root / "suites/rdc").glob("*") if path.is_dir()):
        keys = head((folder / "main.cu").read_text(encoding="utf-8"), "//@")
        yield Program("rdc/" + folder.name, sorted(folder.glob("*.cu")), ["-rdc=true"] + keys.get("flags", "").split())


def of_examples(root):
    for source in sorted((root / "examples").glob("*.cu")):
        yield Program("examples/" + source.stem, [source], is_racy=re.search(r"//~.*\brace:", source.read_text(encoding="utf-8")) is not None)


def of_gpu(root, group):
    """Programs of a folder of suites/gpu, whose heads are like those of suites/programs."""
    for source in sorted((root / "suites/gpu" / group).glob("*.cu")):
        keys = head(source.read_text(encoding="utf-8"), "//")
        yield Program(
            f"{group}/{source.stem}", [source], keys.get("flags", "").split(), images=keys.get("images", "both"),
            racy_kernels=keys["racy-kernels"].split() if "racy-kernels" in keys else None,
        )


def of_torch(root):
    """Programs of Python with kernels of ours, where there is a PyTorch."""
    folder = root / "suites/gpu/torch"
    if not folder.exists():
        return
    script = str(folder / "with_extension.py")
    yield Program(
        "torch/with_extension", [folder / "extension.cu", folder / "with_extension.py"],
        build_command=[sys.executable, script, "--build", "{folder}"], command=[sys.executable, script, "{folder}"],
    )
    yield Program(
        "torch/with_ctypes", [folder / "plain.cu"], is_library=True,
        command=[sys.executable, str(folder / "with_ctypes.py"), "{built}"],
    )


def all_programs(root):
    """Everything whose results are compared."""
    found = []
    for part in (of_programs(root), of_values(root), of_corpus(root), of_units(root), of_examples(root), of_gpu(root, "results")):
        found += part
    return found + list(of_torch(root))


def everything(root):
    """Everything that can be built."""
    found = all_programs(root)
    for group in ("bench", "memory", "startup"):
        found += of_gpu(root, group)
    return found


# Templates that take the compiler, and then the assembler, longest.
SLOW_GROUPS = ("torch/",)
SLOW_WORDS = re.compile(r"/(cub|thrust|real_cub|real_thrust)")


def slow_ones_first(programs):
    """What takes longest begins first, so that nothing is waited for at the end."""
    return sorted(programs, key=lambda program: not (program.name.startswith(SLOW_GROUPS) or SLOW_WORDS.search(program.name)))
