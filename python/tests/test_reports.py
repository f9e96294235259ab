"""Explanations, source text, and what notebooks show: those of the command line, for plans of Python."""

import ctypes
import re
import shutil
import subprocess

import numpy as np
import pytest

import swirl

PROBLEMS = ["dft 1000 batch=3", "rdft 48 float32 backward", "dft 12x10", 'dft 64 load="x * window[i]"',
            "formula (DFT(2) (x) I(4)) * L(8,2)", "gemm 60x50x40 float32"]


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_plan_explains_its_own_schedule(problem):
    plan = swirl.plan(problem)
    text = plan.explain()
    assert text.startswith("problem    " + plan.problem)
    assert f"\nschedule   {plan.schedule}\n" in text
    assert re.search(r"\nestimate   .*[0-9.]+ [nµm]?s", text) and "floors     arithmetic" in text
    assert ("# time of each pass" in text) == (not problem.startswith("gemm"))
    assert len(plan.explain(full=True)) > len(text)


def test_a_given_schedule_is_explained():
    text = swirl.plan("dft 1000", schedule="avx2: 0 stockham(10,10,10)", cpu="avx2").explain()
    assert "stockham(10,10,10): DFT(1000) → " in text


def test_kinds_of_gpus_are_explained_without_one():
    text = swirl.explain("dft 4096 float32 batch=100", device="sm_90")
    assert "launch" in text and "not measured: sm_90 is a kind of GPU" in text
    assert "tile" in swirl.explain("gemm 512x512x512 float32", device="sm_90")
    with pytest.raises(ValueError, match="full"):
        swirl.explain("gemm 512x512x512 float32", device="sm_90", full=True)
    with pytest.raises(ValueError, match="device is 'sm_5'"):
        swirl.explain("dft 16", device="sm_5")


def compiled(source, folder, function, *types):
    file, library = folder / "source.cpp", folder / "library.so"
    file.write_text(source)
    subprocess.run([shutil.which("c++"), "-std=c++20", "-O1", "-w", "-shared", "-fPIC", file, "-o", library], check=True)
    result = getattr(ctypes.CDLL(str(library)), function)
    result.argtypes = types
    return result


@pytest.mark.skipif(not shutil.which("c++"), reason="there is no C++ compiler")
def test_emitted_source_computes_the_transform(tmp_path):
    plan = swirl.plan("dft 40")
    source = plan.emit("cpp", function="transform")
    assert f"schedule: {plan.schedule}" in source and source == plan.emit("c++", function="transform")
    x = np.random.default_rng(1).standard_normal(80).view(complex)
    y = np.zeros(40, complex)
    pointer = np.ctypeslib.ndpointer(np.complex128)
    compiled(source, tmp_path, "transform", pointer, pointer)(x, y)
    np.testing.assert_allclose(y, np.fft.fft(x), atol=1e-12)
    assert "transform(" in plan.emit(function="transform", header=True)


@pytest.mark.parametrize("language, word", [("cuda", "__global__"), ("hip", "hip"), ("opencl", "__kernel")])
@pytest.mark.parametrize("problem", ["dft 1024 float32 batch=10", "gemm 64x64x64 float32"])
def test_kernels_for_gpus_are_emitted_without_one(language, word, problem):
    source = swirl.plan(problem).emit(language, gpu="sm_80")
    assert word in source and swirl.emit(problem, language, gpu="sm_80") == source


def test_errors_of_emit_name_its_arguments():
    plan = swirl.plan("dft 16")
    for options, text in (({"language": "fortran"}, "fortran"), ({"function": "1a"}, "function is '1a'"),
                          ({"language": "cuda", "gpu": "sm_1"}, "sm_1")):
        with pytest.raises(ValueError, match=text) as error:
            plan.emit(**options)
        assert "--" not in str(error.value)
    with pytest.raises(swirl.Unsupported, match="float16"):
        swirl.emit("dft 16 float16")


@pytest.mark.parametrize("problem, mathematics", [
    ("dft 1000", r"\mathrm{DFT}_{1000} = "), ("rdft 1000003", r"\mathrm{RDFT}_{1000003}"), ("dft 8x6", r"\mathrm{DFT}_{8} \otimes \mathrm{DFT}_{6} = "),
    ("dft 1024x1024 float32", r"\otimes"),
    ("gemm 60x50x40", r"A \in \mathbb{R}^{60 \times 40}")])
def test_a_notebook_shows_mathematics_and_predictions(problem, mathematics):
    plan = swirl.plan(problem, check=False)
    page = plan._repr_markdown_()
    assert page.startswith(f"**`{plan.problem}`**") and mathematics in page
    assert f"| schedule | `{plan.schedule}` |" in page and "| floors | arithmetic" in page
    assert re.search(r"\| predicted \| [0-9.]+ [nµm]?s", page)
    assert page.count("$$") % 2 == 0 and page.count("{") == page.count("}")
