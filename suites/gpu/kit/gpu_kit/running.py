"""One run of a command: with a time limit, and with nothing of it left behind."""

import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass

# The exit code of a command that ran for too long, and of one that could not be started, as shells have them.
TIMED_OUT = 124
NOT_STARTED = 127


# What runs now, so that nothing is left when this command is ended itself.
_running = set()
_lock = threading.Lock()


@dataclass
class Ended:
    """How a command ended."""

    code: int
    stdout: bytes
    stderr: bytes
    seconds: float
    timed_out: bool = False

    def last_words(self):
        """The last line of what it said, for tables and logs."""
        lines = [line for line in (self.stderr + b"\n" + self.stdout).decode("utf-8", "replace").splitlines() if line.strip()]
        return lines[-1].strip() if lines else ""


def run(command, seconds, folder=None, environment=None):
    """Runs a command in a process group of its own, which is killed as a whole when the time is over.

    The code of a command that a signal ended is 128 plus its number.
    """
    start = time.monotonic()
    surroundings = dict(os.environ, **(environment or {}))
    try:
        process = subprocess.Popen(
            command, cwd=folder, env=surroundings, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        return Ended(NOT_STARTED, b"", str(error).encode(), 0.0)
    with _lock:
        _running.add(process)
    timed_out = False
    try:
        stdout, stderr = process.communicate(timeout=max(seconds, 0.1))
    except subprocess.TimeoutExpired:
        timed_out = True
        stdout, stderr = end_group(process)
    except BaseException:
        end_group(process)
        raise
    finally:
        with _lock:
            _running.discard(process)
    code = TIMED_OUT if timed_out else process.returncode
    if code < 0:
        code = 128 - code
    return Ended(code, stdout, stderr, time.monotonic() - start, timed_out)


def end_group(process):
    """Ends a process and those it has started. One that has left the group keeps the pipes open, and is not waited for."""
    for number, patience in ((signal.SIGTERM, 2), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
        try:
            return process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            continue
    return b"", b""


def end_all():
    """Ends everything that other threads have started; those threads then see their commands end."""
    with _lock:
        processes = list(_running)
    for process in processes:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
