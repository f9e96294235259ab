"""Mel energies of signals with librosa's and torchaudio's filters."""

import functools

import numpy as np

from swirl import _core, _memory
from swirl._spectrogram import named_window

_ENDS = {"none": 0, "zeros": 1, "reflect": 2}


def mel(x, sample_rate=22050.0, n_fft=2048, hop=None, *, window="hann", center="reflect", mels=128, lowest=0.0, highest=None,
        scale="slaney", norm="area", workers=None):
    """Sums of the powers of short-time spectra by overlapping triangular filters, evenly spaced on a mel scale.

    Spectra are never stored: a few frames at a time, the filters are applied while the powers are in the caches.

    Args:
        x: Array of real numbers; time is the last axis.
        sample_rate: Samples per second.
        n_fft: Length of a frame and of its transform.
        hop: Samples from one frame to the next; None for n_fft/4.
        window: Real array of at most n_fft values, for the middle of a frame; or the name of one of n_fft values, as for `stft`.
        center: "reflect" or "zeros" for frames that are centred, with the signal mirrored or zeros beyond its ends; "none" for
            frames that lie within the signal.
        mels: How many filters.
        lowest, highest: Frequencies where the first filter begins and the last one ends; None for half the sample rate.
        scale: "slaney", librosa's default, or "htk", torchaudio's.
        norm: "area" for filters of area 1 Hz, librosa's default, or "none" for those of height 1, torchaudio's.
        workers: The most threads, see `convolve`.

    Returns:
        Array of x's shape with filters in place of time, then frames along one more axis, the last, as librosa's
        melspectrogram. float32 for float16 and float32, else float64. It is a view of memory in which filters are neighbours.

    Raises:
        ValueError: An argument is none of these, or lengths do not fit together.
        TypeError: x is complex, longdouble or not numeric; the window is complex.
    """
    x = _core.floating(np.asarray(x))
    if x.dtype.kind == "c":
        raise TypeError("x is complex; mel energies are of real signals")
    for name, value, known in (("center", center, _ENDS), ("scale", scale, ("slaney", "htk")), ("norm", norm, ("area", "none"))):
        if value not in known:
            raise ValueError(f"{name} is {value!r}; it can be {', '.join(map(repr, known))}")
    if x.ndim == 0 or x.size == 0:
        raise ValueError("x has no elements")
    values = named_window(window, n_fft) if isinstance(window, (str, tuple)) else np.asarray(window)
    if values.dtype.kind == "c":
        raise TypeError("window must be real")
    if values.ndim != 1 or not 1 <= len(values) <= n_fft:
        raise ValueError(f"window has shape {values.shape}; it is one-dimensional, of 1 to n_fft = {n_fft} values")
    signals = np.ascontiguousarray(x).reshape(-1, x.shape[-1])
    plan = _plan(signals.dtype == np.float32, *signals.shape, int(n_fft), int(hop or 0), values.astype(np.float64).tobytes(),
                 _ENDS[center], int(mels), float(sample_rate), float(lowest), float(highest or 0), scale == "htk", norm == "area",
                 _memory.threads_of(workers))
    energies = np.empty((*x.shape[:-1], plan.frames, mels), signals.dtype)
    plan.mel(signals.ctypes.data, energies.ctypes.data)
    return np.moveaxis(energies, -1, -2)


@functools.lru_cache(maxsize=64)
def _plan(is_float32, count, samples, n_fft, hop, window, ends, *rest):
    return _core.Stft(is_float32, count, samples, n_fft, hop, np.frombuffer(window).tolist(), ends, *rest)
