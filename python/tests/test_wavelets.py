"""Wavelet transforms and filters as formulas, beside PyWavelets and SciPy."""

import numpy as np
import pytest
import scipy.signal

import swirl

MODES = {"periodic": "periodization", "symmetric": "symmetric", "reflect": "reflect", "zero": "zero"}
WAVELETS = {"haar": "haar", "db2": "db2", "db7": "db7", "db10": "db10", "cdf5/3": "bior2.2", "cdf9/7": "bior4.4"}


def random(*shape, dtype="float64"):
    return np.random.default_rng(7).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("ends", MODES)
@pytest.mark.parametrize("wavelet", WAVELETS)
def test_transforms_equal_those_of_pywavelets(wavelet, ends):
    pywt = pytest.importorskip("pywt")
    for n, levels, dtype in ((64, 2, "float64"), (101, 1, "float64"), (2047, 3, "float32"), (5000, 5, "float64")):
        x = random(n, dtype=dtype)
        expected = pywt.wavedec(x, WAVELETS[wavelet], MODES[ends], levels)
        text = f"({n}, {wavelet}, {levels}, {ends}) {dtype}"
        coefficients = swirl.plan(f"formula DWT{text}").execute(x)
        tolerance = 1e-11 if dtype == "float64" else 1e-4  # of PyWavelets' own filters
        np.testing.assert_allclose(coefficients, np.concatenate(expected), rtol=0, atol=tolerance)
        np.testing.assert_allclose(swirl.plan(f"formula IDWT{text}").execute(coefficients), x, rtol=0, atol=tolerance)


def test_images_are_transformed_by_a_kronecker_product():
    pywt = pytest.importorskip("pywt")
    x = random(48, 80)
    rows = swirl.plan("formula DWT(48, db3, 1, periodic) ⊗ DWT(80, db3, 1, periodic) float64").execute(x.reshape(-1)).reshape(48, 80)
    low, (horizontal, vertical, diagonal) = pywt.dwt2(x, "db3", "periodization")
    np.testing.assert_allclose(rows, np.block([[low, vertical], [horizontal, diagonal]]), atol=1e-11)


def test_filters_equal_those_of_scipy_and_numpy():
    for n, taps in ((10, 3), (100, 9), (3000, 64)):
        x, h = random(n), random(taps)
        text = ", ".join(repr(float(value)) for value in h)
        np.testing.assert_allclose(swirl.plan(f"formula FIR({n}; {text}) float64").execute(x), scipy.signal.lfilter(h, 1, x), atol=1e-12)
        for mode in ("full", "valid"):
            np.testing.assert_allclose(swirl.plan(f"formula FIR({n}, {mode}; {text}) float64").execute(x), np.convolve(x, h, mode),
                                       atol=1e-12)
