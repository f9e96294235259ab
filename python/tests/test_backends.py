"""swirl.fft as a backend of SciPy, and in place of numpy.fft."""

import numpy as np
import pytest

import swirl


def test_scipys_functions_call_swirls():
    scipy_fft = pytest.importorskip("scipy.fft")
    x = np.random.default_rng(1).standard_normal((3, 20))
    swirl.fft.clear_cache()
    with scipy_fft.set_backend(swirl.fft, only=True):
        for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "idst", "fftn", "irfft2", "dctn"):
            np.testing.assert_array_equal(getattr(scipy_fft, name)(x), getattr(swirl.fft, name)(x))
        np.testing.assert_array_equal(scipy_fft.fht(x, 0.1, 2), swirl.fft.fht(x, 0.1, 2))
        with scipy_fft.set_workers(2):
            scipy_fft.fft(x)
        assert swirl.fft.get_workers() == 1
        assert scipy_fft.fft(x.astype(np.longdouble)).dtype == np.clongdouble  # SciPy's own
        with pytest.raises(NotImplementedError):
            scipy_fft.fft(x, plan="of another library")
    assert swirl._core.cached_plans() > 10


@pytest.mark.parametrize("order, bias", [(0.0, 0.0), (2.5, 0.3), (-0.5, 0.1), (1.0, -0.4)])
def test_hankel_transforms_equal_those_of_scipy(order, bias):
    scipy_fft = pytest.importorskip("scipy.fft")
    for n in (64, 63):
        a = np.exp(-np.linspace(-3, 3, n)**2)
        offset = swirl.fft.fhtoffset(0.05, order, 0.1, bias)
        assert abs(offset - scipy_fft.fhtoffset(0.05, order, 0.1, bias)) < 1e-12
        result = swirl.fft.fht(a, 0.05, order, offset, bias)
        np.testing.assert_allclose(result, scipy_fft.fht(a, 0.05, order, offset, bias), rtol=0, atol=1e-11)
        np.testing.assert_allclose(swirl.fft.ifht(result, 0.05, order, offset, bias), a, rtol=0, atol=1e-11)


def test_numpys_functions_are_replaced_inside_the_block():
    former = np.fft.fft
    x = np.random.default_rng(2).standard_normal((4, 6))
    expected = np.fft.fft2(x)
    with swirl.fft.as_numpy():
        assert np.fft.fft is not former
        out = np.empty_like(expected)
        assert np.fft.fft2(x, out=out) is out if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else True
        np.testing.assert_allclose(np.fft.fft2(x), expected, atol=1e-12)
        np.testing.assert_allclose(np.fft.fftn(x, axes=(0, 0)), np.fft.fft(np.fft.fft(x, axis=0), axis=0), atol=1e-11)
        assert np.fft.fft(np.ones(3, np.longdouble)).dtype in (np.clongdouble, np.complex128)
    assert np.fft.fft is former


def test_overlapping_and_strided_results():
    from swirl._numpy_fft import fft

    x = np.random.default_rng(3).standard_normal(32) + 0j
    expected = np.fft.fft(x[:16])
    space = np.zeros((16, 3), complex)
    assert fft(x[:16], out=space[:, 1]).base is space
    np.testing.assert_allclose(space[:, 1], expected, atol=1e-12)
    assert not space[:, 0].any()
    y = x.copy()
    np.testing.assert_allclose(fft(y[:16], out=y[8:24]), expected, atol=1e-12)
    np.testing.assert_allclose(fft(x[:16], out=np.empty(16, np.complex64)), expected, atol=1e-4)
    with pytest.raises(ValueError, match="wrong shape"):
        fft(x, out=y[:3])
    with pytest.raises(TypeError, match="cast"):
        fft(x, out=np.empty(32))
