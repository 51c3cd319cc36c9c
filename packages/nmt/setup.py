"""An optional step of the build: the C of `docmt_nmt.nn.native`, once for each kind of processor.

Without a compiler, or with DOCMT_NATIVE=none, docmt is built without, and PyTorch computes the same
operations. The libraries know no version of Python, so that one wheel serves all.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import sysconfig
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

PACKAGE = "docmt_nmt.nn.native"
FOLDER = Path("src", *PACKAGE.split("."))

CONTRACTION = {"rows.c": "off", "attention.c": "fast", "sums.c": "fast", "spans.c": "fast"}
"""The sources, and whether the compiler may round a product and a sum once: in rows only where
PyTorch does, too."""

FLAGS = ["-O3", "-std=gnu11", "-fno-math-errno", "-fno-trapping-math", "-Wno-psabi"]

_AVX2 = ["-mavx2", "-mfma"]
_AVX512 = ["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=512"]

KINDS: dict[str, dict[str, list[str]]] = {
    "x86_64": {
        "avx512bf16": [*_AVX2, *_AVX512, "-mavx512bf16"],
        "avx512": _AVX2 + _AVX512,
        "avx2": _AVX2,
        "plain": [],
    },
    "aarch64": {"neon": []},
}
"""The options for each kind of processor, by machine."""


def kinds() -> dict[str, list[str]]:
    """The kinds of processor to compile for."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    if os.environ.get("DOCMT_NATIVE") == "none" or shutil.which(compiler[0]) is None:
        return {}
    return KINDS.get(machine, {"plain": []})


class BuildLibraries(build_ext):
    """Compiles the libraries; one that cannot be compiled is left out."""

    def get_ext_filename(self, fullname: str) -> str:
        """Return the file name, without the version of Python."""
        return str(Path(*fullname.split("."))) + ".so"

    def build_extension(self, ext: Extension) -> None:
        """Compile each source with the contraction that it needs."""
        compiler: Any = self.compiler
        target = Path(self.get_ext_fullpath(ext.name))
        objects = []
        for source in ext.sources:
            options = [*ext.extra_compile_args, f"-ffp-contract={CONTRACTION[Path(source).name]}"]
            folder = str(Path(self.build_temp, ext.name))
            objects += compiler.compile([source], output_dir=folder, extra_postargs=options)
        target.parent.mkdir(parents=True, exist_ok=True)
        compiler.link_shared_object(objects, str(target), extra_postargs=ext.extra_link_args)


class Wheel(bdist_wheel):
    """A wheel for one platform and every version of Python, or for all platforms."""

    def get_tag(self) -> tuple[str, str, str]:
        """The tag of the wheel."""
        _, _, platform_tag = super().get_tag()
        return "py3", "none", platform_tag


setup(
    ext_modules=[
        Extension(
            f"{PACKAGE}.{kind}",
            [str(FOLDER / name) for name in CONTRACTION],
            depends=[str(FOLDER / "vectors.h"), str(FOLDER / "products.h")],
            extra_compile_args=FLAGS + options,
            extra_link_args=["-lm"],
            optional=True,
        )
        for kind, options in kinds().items()
    ],
    cmdclass={"build_ext": BuildLibraries, "bdist_wheel": Wheel},
)
