"""The samples of docs/python.md run, and print what their comments say."""

import contextlib
import io
import pathlib
import re

import pytest

import swirl

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
SAMPLES = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("sample", SAMPLES, ids=range(len(SAMPLES)))
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
        exec(compile(sample, str(DOCUMENT), "exec"), {})
    if "set_global_backend" in sample:
        backends.set_global_backend("scipy")
    said = re.findall(r"print\(.*\)  # (.*)", sample)
    assert printed.getvalue().splitlines() == said
