"""A fake accelerator: a device without hardware, on which tensors have shapes but no values.

Work on it fails where work on a GPU would fail or wait: tensors on different devices cannot meet,
and reading a value back to the host raises. (Fake CUDA tensors need a CUDA build of PyTorch as soon
as there are gradients.) PyTorch cannot unregister a device, so a test file uses it where it is run
as a program, and reads the results from there (`run_as_program`).
"""

from __future__ import annotations

import io
import json
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from functools import cache
from multiprocessing.connection import Connection
from typing import Any

import torch
from torch import Tensor, library
from torch._C import DispatchKey, DispatchKeySet, _ExcludeDispatchKeyGuard
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode
from torch.utils import backend_registration

NAME = "gpu"
AUTOCAST_PRODUCTS = ("addmm", "baddbmm", "bmm", "linear", "matmul", "mm")

ReadBackError = DataDependentOutputException
"""What reading a value back to the host raises. Shapes that depend on values raise others."""


@contextmanager
def fake_accelerator() -> Iterator[torch.device]:
    """Make all tensors fake; yields the accelerator."""
    _register()
    with FakeTensorMode(allow_non_fake_inputs=True):
        # `torch.tensor` makes its tensor on the host and moves it, as there is no device to ask.
        before = torch._C._only_lift_cpu_tensors()
        torch._C._set_only_lift_cpu_tensors(True)
        try:
            yield torch.device(NAME, 0)
        finally:
            torch._C._set_only_lift_cpu_tensors(before)


def run_as_program(forkserver: Any, file: str, *arguments: str) -> dict[str, Any]:
    """Run a test file that ends with `write_results` in a process of its own, for its results.

    Args:
        forkserver: the fixture.
        file: the test file.
        arguments: those of the program.
    """
    receiver, sender = forkserver.Pipe(duplex=False)
    process = forkserver.Process(target=_run, args=(file, arguments, sender))
    process.start()
    sender.close()
    written = receiver.recv()  # fails if the process ends without results
    process.join()
    results: dict[str, Any] = json.loads(written.splitlines()[-1])
    return results


def _run(file: str, arguments: tuple[str, ...], sender: Connection) -> None:
    """Run a file as a program, and send what it writes."""
    sys.argv = [file, *arguments]
    with redirect_stdout(io.StringIO()) as output:
        runpy.run_path(file, run_name="__main__")
    sender.send(output.getvalue())


def write_results(cases: Mapping[str, Callable[[], Any]]) -> None:
    """Write what each case returns, or the traceback of what it raises."""
    results = {}
    for name, case in cases.items():
        try:
            results[name] = case()
        except Exception:
            results[name] = traceback.format_exc()
    sys.stdout.write(json.dumps(results) + "\n")


class _Backend(backend_registration._DummyBackendModule):
    """What autocast and dropout ask of a device."""

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.bfloat16, torch.float16]

    def get_rng_state(self, device: torch.device) -> Tensor:  # noqa: ARG002
        return torch.zeros(16, dtype=torch.uint8)

    def set_rng_state(self, state: Tensor, device: torch.device) -> None:
        pass


@cache
def _register() -> list[library.Library]:
    """Register the device, and autocast's rule for matrix products."""
    backend_registration._setup_privateuseone_for_python_backend(NAME, _Backend())
    every_operator, products = library.Library("_", "IMPL"), library.Library("aten", "IMPL")
    every_operator.fallback(library.fallthrough_kernel, "AutocastPrivateUse1")
    for name in AUTOCAST_PRODUCTS:
        operator = getattr(torch.ops.aten, name)
        products.impl(name, _in_lower_precision(operator), "AutocastPrivateUse1")
    return [every_operator, products]


def _in_lower_precision(operator: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """An operator whose inputs autocast casts."""

    def cast_and_run(*args: Any, **keys: Any) -> Tensor:
        dtype = torch.get_autocast_dtype(NAME)
        cast = [x.to(dtype) if isinstance(x, Tensor) else x for x in args]
        with _ExcludeDispatchKeyGuard(DispatchKeySet(DispatchKey.AutocastPrivateUse1)):
            return operator(*cast, **keys)

    return cast_and_run
