"""Building programs with the machine's own nvcc, several at a time. What is built stays until something it is made of changes."""

import hashlib
import os
import re
import shutil
from pathlib import Path

from . import running
from .programs import slow_ones_first
from .session import tool

COMMON_FLAGS = ["-O3", "-lineinfo"]
LANGUAGE = "-std=c++17"
LIBRARIES = ["-ldl", "-lpthread"]
SECONDS = 300
IMAGES = {"machine-code": "-gencode=arch={compute},code={sm}", "ptx": "-gencode=arch={compute},code={compute}"}


class Builder:
    """Builds into a folder, one subfolder for each program."""

    def __init__(self, work, nvcc=None):
        self.folder = Path(work) / "built"
        self.nvcc = nvcc or os.environ.get("NVCC") or tool("nvcc")
        self.stub = Path(work) / "stub"

    def folder_of(self, program):
        return self.folder / program.name

    def built(self, program):
        """The file that is run, or opened."""
        return self.folder_of(program) / (program.short + (".so" if program.is_library else ""))

    def command(self, program):
        """How a built program is run."""
        places = dict(built=str(self.built(program)), folder=str(self.folder_of(program)))
        return [word.format(**places) for word in program.command]

    def prepare(self):
        """A library to link with in place of the driver's, whose toolkits have one in different folders or none.

        It has the names of all functions that cuda.h declares, and nothing behind them.
        """
        library = self.stub / "libcuda.so"
        if library.exists():
            return
        self.stub.mkdir(parents=True, exist_ok=True)
        source = self.stub / "stub.c"
        declared = running.run([self.nvcc, "-E", "-x", "cu", "-include", "cuda.h", os.devnull], SECONDS).stdout.decode()
        names = sorted(set(re.findall(r"\bCUresult\s+(cu[A-Z]\w*)\s*\(", declared)))
        source.write_text("".join(f"void {name}(void) {{}}\n" for name in names), encoding="utf-8")
        part = self.stub / "part.so"
        ended = running.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", str(part), str(source)], SECONDS)
        if ended.code == 0:
            part.replace(library)

    def commands(self, program):
        """The command lines that build a program."""
        folder = self.folder_of(program)
        if program.build_command is not None:
            return [[word.format(folder=str(folder)) for word in program.build_command]]
        compute = program.architecture.replace("sm_", "compute_")
        images = IMAGES.get(program.images, "-arch={sm}").format(sm=program.architecture, compute=compute)
        language = [] if any(flag.startswith("-std=") for flag in program.flags) else [LANGUAGE]
        common = [self.nvcc, *COMMON_FLAGS, *language, images, f"-L{self.stub}"]
        shared = ["-shared", "-Xcompiler", "-fPIC"]
        includes = [flag for flag in program.flags if flag.startswith("-I")]
        lines = [
            [*common, *shared, *includes, "-o", str(folder / (plugin.stem + ".so")), str(plugin)] for plugin in program.plugins
        ]
        own = shared if program.is_library else []
        lines.append([*common, *own, *map(str, program.sources), *program.flags, *LIBRARIES, "-o", str(self.built(program))])
        return lines

    def to_ptx(self, source, flags, target):
        """Compiles a file with kernels to PTX: None if all is well, or what is wrong."""
        command = [self.nvcc, *COMMON_FLAGS, LANGUAGE, "-arch=sm_90", "-ptx", str(source), *flags, "-o", str(target)]
        ended = running.run(command, SECONDS)
        return None if ended.code == 0 else f"not built ({ended.code}): {first_error(ended)}"

    def stamp(self, program):
        """What the program is made of: its files, those beside them that it may include, and its commands."""
        digest = hashlib.sha256(repr(self.commands(program)).encode())
        folders = {path.parent for path in program.sources + program.plugins}
        files = set(program.sources) | set(program.plugins)
        for folder in folders | {folder / "support" for folder in folders}:
            files.update(path for path in folder.glob("*") if path.suffix in (".h", ".cuh", ".hpp"))
        for path in sorted(files):
            digest.update(path.read_bytes())
        return digest.hexdigest()

    def build(self, program):
        """None if all is well, or what is wrong."""
        folder = self.folder_of(program)
        mark, stamp = folder / "made-of", self.stamp(program)
        if mark.exists() and mark.read_text() == stamp:
            return None
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for command in self.commands(program):
            ended = running.run(command, SECONDS, folder)
            if ended.code != 0:
                return f"not built ({ended.code}): {first_error(ended)}"
        mark.write_text(stamp)
        return None


def first_error(ended):
    """The line of a compiler's output that says most."""
    lines = (ended.stderr + ended.stdout).decode("utf-8", "replace").splitlines()
    errors = [line.strip() for line in lines if "error" in line.lower() or "undefined" in line]
    return (errors or [ended.last_words()])[0]


def build_all(session, builder, programs):
    """Builds the programs that can be built, and says which cannot. The slow ones begin first."""
    if not programs:
        return []
    builder.prepare()
    order = slow_ones_first(programs)
    answers = session.in_parallel(order, builder.build, jobs=session.cores())
    good = []
    for program, answer in zip(order, answers):
        if answer is not None:
            session.fail(f"{program.name}: {answer}")
        elif (builder.folder_of(program) / "made-of").exists():
            good.append(program)
    names = {program.name for program in good}
    session.log(f"built {len(good)} of {len(programs)} programs")
    return [program for program in programs if program.name in names]
