"""What all sections share: where things are, how much time is left, and what has been found out so far."""

import concurrent.futures
import json
import os
import re
import shutil
import sys
import threading
import time
from pathlib import Path

from . import running

# No run is started with less time than this.
LEAST_SECONDS = 2.0

# What was found out is written to the folder for the user so often, in case this call is ended.
SECONDS_BETWEEN_TABLES = 2.0

# The bytes of a file that is kept where a program is not as it should be.
LARGEST_EVIDENCE = 256 << 10

# Where toolkits are that no path leads to.
TOOLKITS = ["/usr/local/cuda", "/opt/cuda"]


class OutOfTime(Exception):
    """The time of this call is over, so that what was asked for has no answer."""


class Session:
    """One call of run.py.

    `measured` outlives the call: it is kept in the work folder, so that several short calls can fill one table.
    """

    def __init__(self, root, work, out, jobs, seconds, wanted, columns, warpsan=None):
        self.root = Path(root)
        self.work = Path(work)
        self.out = Path(out)
        self.jobs = jobs
        self.end = None if seconds is None else time.monotonic() + seconds
        self.wanted = re.compile(wanted or "")
        self.columns = columns
        self.warpsan = Path(warpsan) if warpsan else self._binary("warpsan")
        self.sanitizer = tool("compute-sanitizer")
        self._tables = []
        self.failures = 0
        # Whether programs that have an answer are passed over.
        self.skips_done = False
        self._lock = threading.Lock()
        self._written = 0.0
        # Programs are built beside each other as there are cores, and run as many at a time as the GPU is to be shared by.
        self._runs = threading.BoundedSemaphore(jobs)
        self.work.mkdir(parents=True, exist_ok=True)
        self.out.mkdir(parents=True, exist_ok=True)
        self._kept = self.work / "measured.json"
        self.measured = self._read_kept()

    def _binary(self, name):
        for folder in (self.root / "bin", self.root / "target/release", self.root / "target/debug"):
            if (folder / name).exists():
                return folder / name
        return Path(name)

    def _read_kept(self):
        try:
            return json.loads(self._kept.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def keep(self, section, program, column, value):
        """Notes what was measured, on disk at once: a call may be ended at any time. Without a column, the value has all columns."""
        with self._lock:
            columns = self.measured.setdefault(section, {})
            if column is None:
                columns[program] = value
            else:
                columns.setdefault(program, {})[column] = value
            text = json.dumps(self.measured, indent=1, sort_keys=True)
            part = self._kept.with_suffix(".part")
            part.write_text(text, encoding="utf-8")
            part.replace(self._kept)
            if time.monotonic() - self._written > SECONDS_BETWEEN_TABLES:
                self._write()

    def begin(self, section, programs, is_done):
        """The programs of a section that are to be run: all, or those that no earlier call has an answer for."""
        with self._lock:
            if not self.skips_done:
                self.measured.pop(section, None)
            known = self.measured.get(section, {})
            return [program for program in programs if not is_done(known.get(program.name, {}))]

    def add_table(self, make):
        """A table of this call, made anew by the function each time it is shown."""
        with self._lock:
            self._tables.append(make)

    def tables(self):
        """All tables, as they are now."""
        with self._lock:
            return [make() for make in self._tables]

    def merge(self, path):
        """Takes what an earlier call measured elsewhere: its measured.json, or the folder that this is in."""
        path = Path(path)
        path = path / "measured.json" if path.is_dir() else path
        for section, programs in json.loads(Path(path).read_text(encoding="utf-8")).items():
            for program, columns in programs.items():
                self.measured.setdefault(section, {}).setdefault(program, {}).update(columns)

    def seconds_left(self):
        """The time until the call has to end; None where nobody said."""
        return None if self.end is None else self.end - time.monotonic()

    def is_over(self):
        """Whether it is too late to start anything."""
        left = self.seconds_left()
        return left is not None and left < LEAST_SECONDS

    def takes(self, name):
        """Whether the command line asked for this program."""
        return self.wanted.search(name) is not None

    def takes_column(self, name):
        """Whether the command line asked for this configuration."""
        return not self.columns or name in self.columns

    def log(self, text):
        """A line on the terminal, at once."""
        with self._lock:
            print(text, flush=True)

    def fail(self, text):
        """Something is wrong: it is said, and changes the exit code."""
        with self._lock:
            self.failures += 1
            print(f"WRONG {text}", flush=True)

    def command(self, configuration, program, arguments=(), **places):
        """The whole command line of a program under a configuration."""
        known = dict(warpsan=str(self.warpsan), root=str(self.root), python=sys.executable, sanitizer=self.sanitizer, **places)
        prefix = [word.format(**known) if "{" in word else word for word in configuration.prefix]
        return prefix + list(program) + list(arguments)

    def run(self, configuration, program, arguments=(), folder=None, environment=None, seconds=None, **places):
        """Runs a program under a configuration, within the limits of both and of this call.

        A run that only the end of this call has cut short says nothing about the program.
        """
        limit = seconds or configuration.seconds
        left = self.seconds_left()
        if self.is_over():
            raise OutOfTime
        surroundings = dict(self.cache(), **configuration.environment, **(environment or {}))
        command = self.command(configuration, program, arguments, **places)
        ended = running.run(command, limit if left is None else min(limit, left), folder, surroundings)
        if ended.timed_out and left is not None and left < limit:
            raise OutOfTime
        return ended

    def build_and_run(self, builder, programs, function):
        """Builds each program and then has the function run it, as soon as it is built: when the time is over, as many as possible have
        an answer. What cannot be built is told, and answers with the words for it."""
        builder.prepare()

        def both(program):
            words = builder.build(program)
            if words is not None:
                self.fail(f"{program.name}: {words}")
                return words
            with self._runs:
                return function(program)

        return self.in_parallel(programs, both, jobs=max(self.jobs, self.cores()))

    def cache(self):
        """Caches are in the work folder: what one call compiled, the next one has."""
        from .configurations import CACHE_VARIABLE

        folder = self.work / "cache"
        folder.mkdir(parents=True, exist_ok=True)
        return {CACHE_VARIABLE: str(folder)}

    def scratch(self, name):
        """An empty folder."""
        folder = self.work / "scratch" / name.replace("/", "-")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def drop(self, scratch):
        """Deletes such a folder: recorded runs are large."""
        shutil.rmtree(scratch, ignore_errors=True)

    def keep_evidence(self, scratch):
        """Copies what is small in such a folder to where the tables go, for whoever looks into a difference."""
        for path in sorted(path for path in scratch.rglob("*") if path.is_file() and path.stat().st_size <= LARGEST_EVIDENCE):
            target = self.out / "evidence" / scratch.name / path.relative_to(scratch)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)

    def in_parallel(self, items, function, jobs=None):
        """What the function answers for each item, in their order. What is not begun when the time is over answers None."""

        def guarded(item):
            try:
                return None if self.is_over() else function(item)
            except OutOfTime:
                return None

        with concurrent.futures.ThreadPoolExecutor(max_workers=jobs or self.jobs) as pool:
            futures = [pool.submit(guarded, item) for item in items]
            try:
                return [future.result() for future in futures]
            except BaseException:
                self.end = time.monotonic()
                running.end_all()
                raise

    def write(self):
        """Everything so far, as Markdown and as data."""
        with self._lock:
            self._write()

    def _write(self):
        self._written = time.monotonic()
        document = "\n".join(make().markdown() for make in self._tables)
        data = json.dumps(self.measured, indent=1, sort_keys=True)
        for name, text in (("gpu.md", document), ("measured.json", data)):
            part = self.out / (name + ".part")
            part.write_text(text, encoding="utf-8")
            part.replace(self.out / name)

    def cores(self):
        """Cores of this machine."""
        return os.cpu_count() or 1


def tool(name):
    """A program of the toolkit: of the PATH, or of where toolkits are."""
    candidates = [shutil.which(name)] + [f"{toolkit}/bin/{name}" for toolkit in TOOLKITS]
    return next((path for path in candidates if path and os.path.exists(path)), name)
