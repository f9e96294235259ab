"""Load and store callbacks as functions of Python."""

import re

import numpy as np
import pytest

import swirl


def random(n, dtype="complex128", seed=1):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(n) + (1j * rng.standard_normal(n) if dtype.startswith("c") else 0)).astype(dtype)


@pytest.mark.parametrize("load, definition", [
    (lambda x, i, w: x * w[i], lambda x, i, w, h: x * w),
    (lambda x, i, h: h.complex[i] * x - 0.5j, lambda x, i, w, h: h * x - 0.5j),
    (lambda x, i: -x / 4 + 1, lambda x, i, w, h: -x / 4 + 1),
    (lambda x, i, w: swirl.where((i < 5) | (i >= 40), x.conj(), 2 - w[i] * x), lambda x, i, w, h: np.where((i < 5) | (i >= 40), x.conj(), 2 - w * x)),
    (lambda x, i: x.where(i < 30), lambda x, i, w, h: np.where(i < 30, x, 0)),
    (lambda x, i: (3 * x).where((i >= 2) & (i < 40)), lambda x, i, w, h: np.where((i >= 2) & (i < 40), 3 * x, 0)),
    (lambda x, i: np.exp(x.real) + np.tanh(x.imag) * np.sqrt(abs(x.real)), lambda x, i, w, h: np.exp(x.real) + np.tanh(x.imag) * np.sqrt(abs(x.real))),
    (lambda x, w, i: np.maximum(x.real, w[i]) * np.float64(0.25), lambda x, i, w, h: np.maximum(x.real, w) * 0.25),
    (lambda x, s: x * s[()], lambda x, i, w, h: x * 3)])
def test_a_traced_callback_computes_what_the_function_does(load, definition):
    x, i, w, h = random(48), np.arange(48), random(48, "float64", 2), random(48, seed=3)
    text = swirl.problem("dft", 48, load=load)
    named = {name: value for name, value in (("w", w), ("h", h), ("s", np.array([3.0]))) if re.search(rf"\b{name}\[", text)}
    result = swirl.plan(text).execute(x, **named)
    np.testing.assert_allclose(result, np.fft.fft(definition(x, i, w, h)), atol=1e-11)


def test_store_callbacks_and_several_indices():
    x = random(24).reshape(4, 6)
    text = swirl.problem("dft", (4, 6), store=lambda x, i0, i1: (0.5 * x + i0 * i1))
    np.testing.assert_allclose(swirl.plan(text).execute(x), 0.5 * np.fft.fft2(x) + np.outer(np.arange(4), np.arange(6)), atol=1e-12)


def test_what_cannot_be_traced():
    for callback, text in ((lambda y: y, "parameter x"), (lambda x: [x], "returns"), (lambda x, i: x if i < 3 else -x, "where"),
                           (lambda x, i: x * np.ones(3)[0:1], "")):
        with pytest.raises(TypeError, match=text):
            swirl.problem("dft", 8, load=callback)
