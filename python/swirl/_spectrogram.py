"""Short-time Fourier transforms with SciPy's arguments and results.

The frames of a signal are a loop of swirl's problem whose stride is the hop: the kernel reads the signal where it is, multiplies by
the window, and transforms. Only frames that reach beyond an end of the signal are copied, with what is beyond."""

import warnings

import numpy as np

from swirl import _core, _memory

#: Bytes of frames that the inverse transform writes before it adds them up: they stay in the caches.
_CHUNK = 4 << 20
_BOUNDARIES = ("even", "odd", "constant", "zeros", None)


def stft(x, fs=1.0, window="hann", nperseg=256, noverlap=None, nfft=None, detrend=False, return_onesided=True, boundary="zeros",
         padded=True, axis=-1, scaling="spectrum", *, workers=None):
    """Short-time Fourier transform. Arguments and results as scipy.signal.stft's.

    Args:
        x: Array of real or complex numbers.
        fs: Samples per unit of time.
        window: Real array of length `nperseg`, or the name of a window (of one period): "hann", "hamming", "blackman", "boxcar"; of
            another one, or with parameters as a tuple, with SciPy.
        nperseg: Length of a frame; None for that of the window, 256 for a name.
        noverlap: How many samples neighbouring frames share; None for half a frame.
        nfft: Length of a transform, that of a frame or more: it is padded with zeros. None for that of a frame.
        detrend: False; "constant" or "linear" to subtract a frame's mean or line; or a function of arrays of frames.
        return_onesided: Of real data, the first nfft//2+1 entries of each spectrum alone.
        boundary: How the signal goes on for half a frame at both ends: "zeros", "even", "odd", "constant"; None for not at all.
        padded: Whether zeros follow so that a last frame has all samples.
        axis: The axis of time.
        scaling: "spectrum" or "psd": the factor is 1/Σ window, or 1/√(fs·Σ window²).
        workers: The most threads, see `convolve`.

    Returns:
        Frequencies, times of the frames' centres, and the array of spectra: x's shape with frequencies along `axis`, and frames
        along one more axis, the last. complex64 for float16, float32 and complex64, else complex128. It is a view of memory in
        which frequencies are neighbours.

    Raises:
        ValueError: An argument is none of these, or lengths do not fit together.
        TypeError: The window is complex; a data type is longdouble, or not numeric.
    """
    if boundary not in _BOUNDARIES:
        raise ValueError(f"boundary is {boundary!r}; it can be 'even', 'odd', 'constant', 'zeros' or None")
    x = _core.floating(np.asarray(x))
    if x.size == 0:
        raise ValueError("x has no elements")
    x = np.moveaxis(x, axis, -1)
    win, nperseg = _window(window, nperseg, x.shape[-1])
    noverlap, nfft = _overlap_and_length(nperseg, noverlap, nfft)
    hop = nperseg - noverlap
    is_complex = x.dtype.kind == "c"
    if is_complex and return_onesided:
        warnings.warn("Input data is complex, switching to return_onesided=False", stacklevel=2)
    onesided = return_onesided and not is_complex
    beyond = nperseg // 2 if boundary is not None else 0
    if boundary in ("even", "odd") and beyond >= x.shape[-1]:
        raise ValueError(f"an {boundary} extension by {beyond} needs a longer signal than {x.shape[-1]}")
    total = x.shape[-1] + 2 * beyond
    if padded:
        total += -(total - nperseg) % hop % nperseg
    frames = (total - noverlap) // hop
    if frames < 1:
        raise ValueError(f"the signal of length {x.shape[-1]} is shorter than a frame of {nperseg}")
    factor = 1 / win.sum() if scaling == "spectrum" else 1 / np.sqrt(fs * (win * win).sum()) if scaling == "psd" else None
    if factor is None:
        raise ValueError(f"scaling is {scaling!r}; it can be 'spectrum' or 'psd'")
    spectra = _spectra(x, win * factor, hop, nfft, frames, -beyond, boundary, onesided, _detrending(detrend),
                       _memory.threads_of(workers))
    centre = 0 if boundary is not None else nperseg / 2  # of the first frame
    times = (np.arange(frames) * hop + centre) / float(fs)
    frequencies = np.fft.rfftfreq(nfft, 1 / fs) if onesided else np.fft.fftfreq(nfft, 1 / fs)
    return frequencies, times, np.moveaxis(spectra, -1, axis if axis >= 0 else axis - 1)


def istft(Zxx, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, input_onesided=True, boundary=True, time_axis=-1,
          freq_axis=-2, scaling="spectrum", *, workers=None):
    """Inverse of `stft`, by overlap-add. Arguments and results as scipy.signal.istft's.

    Args:
        Zxx: Complex array of spectra.
        input_onesided: Whether they are half spectra, of real data.
        boundary: Whether the signal went on for half a frame at both ends, which are cut off.
        time_axis, freq_axis: The axes of frames and of frequencies.
        fs, window, nperseg, noverlap, nfft, scaling, workers: As of `stft`; nperseg is by default the length of a spectrum's signal.

    Returns:
        Times, and the signal, along the axis of frames without that of frequencies, real for half spectra. A warning says if the
        window, where frames overlap, does not determine the signal.

    Raises:
        ValueError: Lengths or axes do not fit together, or an argument is invalid.
        TypeError: The window is complex; a data type is longdouble, or not numeric.
    """
    spectra = _core.floating(np.asarray(Zxx))
    if spectra.ndim < 2:
        raise ValueError("Input stft must be at least 2d!")
    time_axis, freq_axis = (d + spectra.ndim if d < 0 else d for d in (time_axis, freq_axis))
    if freq_axis == time_axis:
        raise ValueError("Must specify differing time and frequency axes!")
    if spectra.dtype.kind != "c":
        spectra = spectra.astype(np.result_type(spectra, np.complex64))
    spectra = np.moveaxis(spectra, (time_axis, freq_axis), (-2, -1))
    length = 2 * (spectra.shape[-1] - 1) if input_onesided else spectra.shape[-1]
    if nperseg is None:
        nperseg = length if isinstance(window, (str, tuple)) else len(window)
    win, nperseg = _window(window, nperseg, None)
    if nfft is None and input_onesided and nperseg == length + 1:
        nfft = nperseg  # an odd length
    noverlap, nfft = _overlap_and_length(nperseg, noverlap, length if nfft is None else nfft)
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f"scaling is {scaling!r}; it can be 'spectrum' or 'psd'")
    factor = win.sum() if scaling == "spectrum" else np.sqrt(fs * (win * win).sum())
    hop = nperseg - noverlap
    signal = _overlapped(spectra, win, hop, nfft, input_onesided, _memory.threads_of(workers))
    frames = spectra.shape[-2]
    envelope = np.zeros(signal.shape[-1])
    _add(envelope, np.broadcast_to(win * win, (frames, nperseg)), hop)
    ends = nperseg // 2 if boundary else 0
    inside = slice(nperseg // 2, envelope.size - nperseg // 2)
    if not (envelope[inside] > 1e-10).all():
        warnings.warn(f"NOLA condition failed, STFT may not be invertible.{'' if boundary else ' Possibly due to missing boundary'}",
                      stacklevel=2)
    signal *= (factor / np.where(envelope > 1e-10, envelope, 1)).astype(signal.real.dtype)
    signal = signal[..., ends:signal.shape[-1] - ends]
    times = np.arange(signal.shape[-1]) / float(fs)
    return times, np.moveaxis(signal, -1, time_axis - 1 if freq_axis < time_axis else time_axis)


def _window(window, nperseg, longest):
    """A window's values in float64, and its length, which is that of a frame."""
    if isinstance(window, (str, tuple)):
        nperseg = 256 if nperseg is None else int(nperseg)
        if nperseg < 1:
            raise ValueError("nperseg must be a positive integer")
        if longest is not None and nperseg > longest:
            warnings.warn(f"nperseg = {nperseg} is greater than input length  = {longest}, using nperseg = {longest}",
                          stacklevel=3)
            nperseg = longest
        return named_window(window, nperseg), nperseg
    win = np.asarray(window)
    if win.ndim != 1:
        raise ValueError("window must be 1-D")
    if win.dtype.kind == "c":
        raise TypeError("window must be real")
    if longest is not None and len(win) > longest:
        raise ValueError("window is longer than input signal")
    if nperseg is not None and int(nperseg) != len(win):
        raise ValueError("value specified for nperseg is different from length of window")
    return win.astype(np.float64), len(win)


def named_window(name, n):
    """One period of a window."""
    cosines = {"hann": (0.5, 0.5), "hanning": (0.5, 0.5), "hamming": (0.54, 0.46), "blackman": (0.42, 0.5, 0.08), "boxcar": (1,)}
    if name not in cosines or n < 2:
        from scipy.signal import get_window

        return get_window(name, n)
    angles = 2 * np.pi * np.arange(n) / n
    return sum((-1)**k * a * np.cos(k * angles) for k, a in enumerate(cosines[name]))


def _overlap_and_length(nperseg, noverlap, nfft):
    nfft = nperseg if nfft is None else int(nfft)
    if nfft < nperseg:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    noverlap = nperseg // 2 if noverlap is None else int(noverlap)
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    if noverlap < 0:
        raise ValueError("noverlap must not be negative")
    return noverlap, nfft


def _detrending(detrend):
    """A function of frames, or None."""
    if callable(detrend) or not detrend:
        return detrend or None
    if detrend not in ("constant", "linear"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")

    def subtract(frames):
        frames = frames - frames.mean(-1, keepdims=True)
        if detrend == "linear" and frames.shape[-1] > 1:
            t = np.arange(frames.shape[-1], dtype=frames.real.dtype)
            t -= t.mean()
            frames -= (frames @ t)[..., None] / (t @ t) * t
        return frames

    return subtract


def _extended(x, low, high, beyond, boundary):
    """x from index `low` to `high`, where it goes on by so many elements, and zeros follow."""
    n = x.shape[-1]
    indices = np.arange(low, high)
    is_zero = (indices < -beyond) | (indices >= n + beyond)
    inside = np.clip(indices, 0, n - 1)
    if boundary == "zeros" or boundary is None:
        is_zero |= inside != indices
    if boundary in ("even", "odd"):
        mirrored = np.where(indices < 0, -indices, np.where(indices >= n, 2 * (n - 1) - indices, indices))
        values = x[..., np.clip(mirrored, 0, n - 1)]
        if boundary == "odd":
            values = np.where(inside != indices, 2 * x[..., inside] - values, values)
    else:
        values = x[..., inside]
    return np.where(is_zero, x.dtype.type(0), values)


def _spectra(x, window, hop, nfft, frames, first, boundary, onesided, detrend, threads):
    """Spectra of frames of x, an axis of frames and one of frequencies in place of that of time. The first frame begins at index
    `first` of x."""
    nperseg, n = len(window), x.shape[-1]
    real = x.real.dtype
    padded = np.zeros(nfft, real)
    padded[:nperseg] = window
    bins = nfft // 2 + 1 if onesided else nfft
    result = np.empty((*x.shape[:-1], frames, bins), np.result_type(real, np.complex64))
    if detrend is not None:
        all_frames = _framed(_extended(x, first, first + (frames - 1) * hop + nperseg, -first, boundary), hop, frames, nperseg)
        _transform(np.ascontiguousarray(detrend(all_frames), dtype=x.dtype), padded, nfft, onesided, result, threads)
        return result
    head = min(-(first // hop), frames)  # frames that begin before the signal
    inner = max((n - nperseg - (first + head * hop)) // hop + 1, 0)
    inner = min(inner, frames - head)
    if inner > 0:
        within = x[..., first + head * hop:]
        _transform(_framed(within, hop, inner, nperseg), padded, nfft, onesided, result[..., head:head + inner, :], threads)
    for begin, end in ((0, head), (head + inner, frames)):
        if begin < end:
            low = first + begin * hop
            edge = _extended(x, low, low + (end - begin - 1) * hop + nperseg, -first, boundary)
            _transform(_framed(edge, hop, end - begin, nperseg), padded, nfft, onesided, result[..., begin:end, :], threads)
    return result


def _framed(x, hop, frames, nperseg):
    """A view with an axis of frames before that of a frame's samples."""
    stride = x.strides[-1]
    return np.lib.stride_tricks.as_strided(x, (*x.shape[:-1], frames, nperseg), (*x.strides[:-1], hop * stride, stride),
                                           writeable=False)


def _transform(frames, window, nfft, onesided, result, threads):
    """Transforms of windowed frames, padded to nfft samples."""
    if frames.dtype.kind != "c" and not onesided:
        # The spectrum of real data is half of it, and its mirror image.
        half = np.empty((*result.shape[:-1], nfft // 2 + 1), result.dtype)
        _transform(frames, window, nfft, True, half, threads)
        result[..., :nfft // 2 + 1] = half
        np.conjugate(half[..., (nfft - 1) // 2:0:-1], out=result[..., nfft // 2 + 1:])
        return
    _memory.transform(_core.RFFT if onesided else _core.FFT, frames, (nfft,), (frames.ndim - 1,), result, threads,
                      window=(window, True))


def _overlapped(spectra, window, hop, nfft, onesided, threads):
    """The sum of the windowed inverse transforms, each at the place of its frame."""
    *batch, frames, bins = spectra.shape
    real = spectra.real.dtype
    needed = nfft // 2 + 1 if onesided else nfft
    if bins < needed:
        spectra = np.concatenate([spectra, np.zeros((*batch, frames, needed - bins), spectra.dtype)], -1)
    nperseg = len(window)
    padded = np.zeros(nfft, real)
    padded[:nperseg] = window
    spectra = spectra.reshape(-1, frames, spectra.shape[-1])
    signal = np.zeros((len(spectra), (frames - 1) * hop + nperseg), real if onesided else spectra.dtype)
    of_frame = nfft * signal.itemsize
    rows = max(_CHUNK // (frames * of_frame), 1)
    count = frames if rows > 1 else max(_CHUNK // of_frame, 1)
    buffer = np.empty((min(rows, len(spectra)), min(count, frames), nfft), signal.dtype)
    for row in range(0, len(spectra), rows):
        for frame in range(0, frames, count):
            part = spectra[row:row + rows, frame:frame + count]
            samples = buffer[:part.shape[0], :part.shape[1]]
            _memory.transform(_core.IRFFT if onesided else _core.IFFT, part, (nfft,), (2,), samples, threads, scaled=2,
                              window=(padded, False))
            _add(signal[row:row + rows, frame * hop:], samples[..., :nperseg], hop)
    return signal.reshape(*batch, -1)


def _add(signal, frames, hop):
    """Adds frames to a signal, each `hop` samples after the one before."""
    count, nperseg = frames.shape[-2:]
    stride = signal.strides[-1]
    for begin in range(0, nperseg, hop):
        width = min(hop, nperseg - begin)
        target = np.lib.stride_tricks.as_strided(signal[..., begin:], (*signal.shape[:-1], count, width),
                                                 (*signal.strides[:-1], hop * stride, stride))
        target += frames[..., begin:begin + width]
