"""swirl.stft and swirl.istft against SciPy's functions."""

import warnings

import numpy as np
import pytest

import swirl

signals = pytest.importorskip("scipy.signal")
RNG = np.random.default_rng(11)


def random(shape, dtype):
    values = RNG.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * RNG.standard_normal(shape)
    return values.astype(dtype)


def check(x, **options):
    frequencies, times, spectra = swirl.stft(x, **options)
    theirs = signals.stft(x, **options)
    np.testing.assert_allclose(frequencies, theirs[0], rtol=1e-14)
    np.testing.assert_allclose(times, theirs[1], rtol=1e-14, atol=1e-14)
    expected = theirs[2]
    assert spectra.shape == expected.shape and spectra.dtype == expected.dtype
    bound = 30 * np.finfo(spectra.dtype).eps * max(np.abs(expected).max(), 1e-3)
    np.testing.assert_allclose(spectra, expected, rtol=0, atol=bound * (4 if spectra.dtype == np.complex64 else 1))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("boundary", ["zeros", "even", "odd", "constant", None])
@pytest.mark.parametrize("nperseg, noverlap, nfft", [(256, None, None), (400, 240, 512), (63, 10, None), (64, 63, 100), (128, 0, None)])
def test_arguments_of_scipy(nperseg, noverlap, nfft, boundary, dtype):
    x = random((2, 1500), dtype)
    for padded in (True, False):
        for onesided in (True, False):
            if np.iscomplexobj(x) and onesided:
                continue
            check(x, fs=10.0, nperseg=nperseg, noverlap=noverlap, nfft=nfft, boundary=boundary, padded=padded,
                  return_onesided=onesided)


def test_windows_scalings_axes_and_trends():
    x = random((3, 700, 2), "float64")
    for options in ({"window": "hamming"}, {"window": ("tukey", 0.3)}, {"window": np.hanning(100), "nperseg": 100},
                    {"window": "boxcar", "scaling": "psd", "fs": 48.0}, {"window": "blackman", "detrend": "constant"},
                    {"detrend": "linear"}):
        for axis in (1, -2):
            check(x, **{"nperseg": 100, "axis": axis, **options})
    check(np.arange(1000), nperseg=50)
    check(random((3, 1000), "float64"), nperseg=50, detrend=lambda frames: frames - frames[..., :1])
    check(random(1000, "float32")[::-3], nperseg=50)


def test_signals_shorter_than_a_frame():
    for n in (3, 100, 255):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check(random(n, "float64"))
    with pytest.warns(UserWarning, match="nperseg = 256"):
        swirl.stft(random(100, "float64"))
    with pytest.warns(UserWarning, match="onesided"):
        swirl.stft(random(1000, "complex128"))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("nperseg, noverlap, nfft", [(256, None, None), (400, 240, 512), (63, 42, None), (100, 90, 101)])
def test_the_inverse_is_scipys_and_gives_the_signal_back(nperseg, noverlap, nfft, dtype):
    x = random((2, 3, 2000), dtype)
    onesided = not np.iscomplexobj(x)
    options = {"nperseg": nperseg, "noverlap": noverlap, "nfft": nfft, "fs": 8.0}
    for scaling in ("spectrum", "psd"):
        spectra = swirl.stft(x, return_onesided=onesided, scaling=scaling, **options)[2]
        for given in (spectra, np.ascontiguousarray(spectra)):
            times, signal = swirl.istft(given, input_onesided=onesided, scaling=scaling, **options)
            assert signal.dtype == (x.real.dtype if onesided else x.dtype)
            epsilon = np.finfo(x.dtype).eps
            np.testing.assert_allclose(signal[..., :2000], x, atol=200 * epsilon)
            expected = signals.istft(spectra, input_onesided=onesided, scaling=scaling, **options)[1]
            np.testing.assert_allclose(times, np.arange(signal.shape[-1]) / 8)  # SciPy: of the first axis
            np.testing.assert_allclose(signal, expected, atol=200 * epsilon)


def test_axes_and_boundaries_of_the_inverse():
    spectra = random((9, 20, 3), "complex128")
    for options in ({"time_axis": 1, "freq_axis": 0}, {"time_axis": 0, "freq_axis": 1, "nperseg": 12, "nfft": 38},
                    {"time_axis": 1, "freq_axis": 0, "boundary": False}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            times, signal = swirl.istft(spectra, **options)
            expected = signals.istft(spectra, **options)[1]
        assert len(times) == max(signal.shape)
        np.testing.assert_allclose(signal, expected, atol=1e-9 * np.abs(expected).max())
    with pytest.warns(UserWarning, match="NOLA"):
        swirl.istft(random((9, 20), "complex128"), noverlap=0)


def test_long_signals_are_inverted_in_pieces():
    for rows in (1, 5):
        x = random((rows, 400000), "float64")
        spectra = swirl.stft(x, nperseg=512, noverlap=384)[2]
        np.testing.assert_allclose(swirl.istft(spectra, nperseg=512, noverlap=384)[1][..., :400000], x, atol=1e-12)


def test_frames_are_not_copied(monkeypatch):
    from swirl import _spectrogram

    seen = []
    transform = _spectrogram._transform
    monkeypatch.setattr(_spectrogram, "_transform", lambda frames, *others: seen.append(frames) or transform(frames, *others))
    x = random(100000, "float64")
    swirl.stft(x)
    within = max(seen, key=lambda frames: frames.size)
    assert np.shares_memory(within, x) and within.shape[0] > 700


def test_arguments_that_cannot_be():
    x = random(1000, "float64")
    for options in ({"nperseg": 0}, {"noverlap": 256}, {"noverlap": -1}, {"nfft": 100}, {"boundary": "wrap"}, {"scaling": "none"},
                    {"detrend": "cubic"}, {"window": np.ones((2, 2)), "nperseg": None}, {"window": np.ones(10)}):
        with pytest.raises(ValueError):
            swirl.stft(x, **options)
    with pytest.raises(TypeError):
        swirl.stft(x, window=np.ones(16, complex), nperseg=16)
    for arguments in ((random(9, "complex128"),), (random((9, 9), "complex128"), 1.0, "hann", None, None, None, True, True, 0, 0)):
        with pytest.raises(ValueError):
            swirl.istft(*arguments)
