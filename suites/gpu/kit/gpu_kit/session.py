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
        self.tables = []
        self.failures = 0
        self._lock = threading.Lock()
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
        """Notes what was measured, on disk at once: a call may be ended at any time."""
        with self._lock:
            self.measured.setdefault(section, {}).setdefault(program, {})[column] = value
            text = json.dumps(self.measured, indent=1, sort_keys=True)
            part = self._kept.with_suffix(".part")
            part.write_text(text, encoding="utf-8")
            part.replace(self._kept)

    def forget(self, section):
        """Begins a section anew."""
        with self._lock:
            self.measured.pop(section, None)

    def merge(self, path):
        """Takes what an earlier call measured elsewhere."""
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
        known = dict(warpsan=str(self.warpsan), root=str(self.root), python=sys.executable, **places)
        prefix = [word.format(**known) if "{" in word else word for word in configuration.prefix]
        return prefix + list(program) + list(arguments)

    def run(self, configuration, program, arguments=(), folder=None, environment=None, **places):
        """Runs a program under a configuration, within the limits of both and of this call."""
        left = self.seconds_left()
        seconds = configuration.seconds if left is None else min(configuration.seconds, left)
        surroundings = dict(self.cache(), **configuration.environment, **(environment or {}))
        return running.run(self.command(configuration, program, arguments, **places), seconds, folder, surroundings)

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

    def in_parallel(self, items, function, jobs=None):
        """What the function answers for each item, in their order. What is not begun when the time is over answers None."""

        def guarded(item):
            return None if self.is_over() else function(item)

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
        document = "\n".join(table.markdown() for table in self.tables)
        (self.out / "gpu.md").write_text(document, encoding="utf-8")
        (self.out / "measured.json").write_text(json.dumps(self.measured, indent=1, sort_keys=True), encoding="utf-8")

    def cores(self):
        """Cores of this machine."""
        return os.cpu_count() or 1
