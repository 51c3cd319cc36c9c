"""Operating systems without the calls that Linux has, simulated in a process of its own. Libraries
still find Linux, as they would load what is not here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MACOS = """
import os, pathlib, sys

for name in ("sched_getaffinity", "sched_setaffinity", "process_cpu_count", "posix_fadvise"):
    if hasattr(os, name):
        delattr(os, name)
from docmt_files.base import system_calls
system_calls.has_cheap_forks = lambda: False
def without_proc(call):
    def refusing(self, *args, **kwargs):
        if str(self).startswith("/proc/"):
            raise FileNotFoundError(2, "No such file or directory", str(self))
        return call(self, *args, **kwargs)
    return refusing

pathlib.Path.read_text = without_proc(pathlib.Path.read_text)
pathlib.Path.stat = without_proc(pathlib.Path.stat)
"""

WINDOWS = """
import os, stat, sys

# Libraries know which system it is.
import asyncio, subprocess, tempfile
import filelock, platformdirs.unix, starlette.testclient, uvicorn
from docmt_files.base import system_calls

system_calls._ON_WINDOWS, system_calls.has_cheap_forks = True, lambda: False
GONE = (
    "O_NONBLOCK O_NOFOLLOW O_CLOEXEC O_DIRECTORY O_SYNC geteuid getuid getegid getgid getgroups "
    "fork forkpty mkfifo mknod pread pwrite sched_getaffinity fchmod fchown chown lchown statvfs "
    "sysconf getpgid killpg setsid sync nice getpriority waitid posix_fadvise process_cpu_count"
)
for name in GONE.split():
    if hasattr(os, name):
        delattr(os, name)
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"):
    sys.modules[name] = None
open_file, to_disk, kill = os.open, os.fsync, os.kill
READING = set()

def open_no_directory(path, flags, *args, **kwargs):
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied", str(path))
    descriptor = open_file(path, flags, *args, **kwargs)
    READING.discard(descriptor)
    if flags & 3 == os.O_RDONLY:
        READING.add(descriptor)
    return descriptor

def to_disk_if_written(descriptor):
    if descriptor in READING:
        raise OSError(9, "Bad file descriptor")
    to_disk(descriptor)

def end(process, signal):
    raise AssertionError("a signal, whatever its number, ends a process")

os.open, os.fsync, os.kill = open_no_directory, to_disk_if_written, end
"""

SYSTEMS = {"macOS": MACOS, "Windows": WINDOWS}
"""What is done to a process before it imports docmt."""


def run_on(system: str, code: str, *arguments: str, cwd: Path) -> str:
    """The standard output of Python code on a simulated system.

    Raises:
        AssertionError: it failed.
    """
    command = [sys.executable, "-c", SYSTEMS[system] + code, *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
