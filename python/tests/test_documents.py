"""The samples of README.md and the documents run, and print what their comments say."""

import contextlib
import io
import pathlib
import re

import pytest

import swirl

ROOT = pathlib.Path(__file__).parents[2]
SAMPLES = [
    pytest.param(sample, id=f"{document.stem}-{index}")
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for index, sample in enumerate(re.findall(r"```python\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL))
]


@pytest.mark.parametrize("sample", SAMPLES)
def test_samples_print_what_they_say(sample):
    for library in ("torch", "jax"):
        if f"import {library}" in sample:
            pytest.importorskip(library)
    if "swirl.jax" in sample and not swirl._core.xla_handlers:
        pytest.skip("swirl was built without XLA's headers")
    if "scipy" in sample:
        backends = pytest.importorskip("scipy.fft")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(sample, "sample", "exec"), {})
    if "set_global_backend" in sample:
        backends.set_global_backend("scipy")
    said = re.findall(r"print\(.*\)  # (.*)", sample)
    assert printed.getvalue().splitlines() == said
