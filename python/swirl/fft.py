"""SciPy's fft functions, with SciPy's arguments and results, by swirl.

Each function plans once for each combination of extents, strides and data type, and keeps the plans that were used last. Strided
arrays are read where they are; zero padding, cropping and normalisation are part of the kernels. float16 is computed in
float32, integers in float64. longdouble is a TypeError.

    scipy.fft.set_global_backend(swirl.fft)   # SciPy's own functions call swirl's
    with swirl.fft.as_numpy(): …              # NumPy's do, inside the block

`plan` is None or a `swirl.Plan` of exactly the problem that the call needs, such as a measured one; the error for another plan
shows that problem.
"""

import contextlib
import functools
import operator

import numpy as np

from swirl import _core
from swirl._hankel import fht, fhtoffset, ifht

__all__ = ["as_numpy", "clear_cache", "dct", "dctn", "dst", "dstn", "fft", "fft2", "fftfreq", "fftn", "fftshift", "fht",
           "fhtoffset", "get_workers", "hfft", "hfft2", "hfftn", "idct", "idctn", "idst", "idstn", "ifft", "ifft2", "ifftn",
           "ifftshift", "ifht", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "next_fast_len", "prev_fast_len",
           "rfft", "rfft2", "rfftfreq", "rfftn", "set_workers"]

_one, _many = _core.transform, _core.transform_many
_FFT, _IFFT, _RFFT, _IRFFT, _HFFT, _IHFFT = _core.FFT, _core.IFFT, _core.RFFT, _core.IRFFT, _core.HFFT, _core.IHFFT


def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Discrete Fourier transform along one axis: y[k] = Σ x[j]·exp(−2πi·jk/n).

    Args:
        x: Array of real or complex numbers.
        n: Length of the transform: the axis is cropped or padded with zeros. None for the length of the axis.
        axis: The axis.
        norm: "backward" (None), "ortho" or "forward": no factor here, 1/√n, or 1/n.
        overwrite_x: Whether the contents of x may be destroyed.
        workers: The most threads; negative numbers count from the number of processors. None for that of `set_workers`.
        plan: None, or a swirl.Plan of this problem.

    Returns:
        Complex array of x's shape, with length n along the axis: complex64 for float16, float32 and complex64, else complex128.

    Raises:
        ValueError: n is below 1, `norm` or `workers` is invalid, `plan` is one of another problem.
        IndexError: x has no such axis.
        TypeError: x is of longdouble, or of no numeric type.
    """
    return _one(_FFT, x, n, axis, norm, overwrite_x, workers, plan, None)


def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Inverse of `fft`, with the factor 1/n unless `norm` says otherwise. Arguments, results and errors as for `fft`."""
    return _one(_IFFT, x, n, axis, norm, overwrite_x, workers, plan, None)


def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The first n//2+1 entries of `fft` of real data. TypeError if x is complex; else as `fft`."""
    return _one(_RFFT, x, n, axis, norm, overwrite_x, workers, plan, None)


def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Inverse of `rfft`: n//2+1 entries to n reals. n is 2·(length − 1) by default. Else as `fft`."""
    return _one(_IRFFT, x, n, axis, norm, overwrite_x, workers, plan, None)


def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """`fft` of a Hermitian sequence, given by its first n//2+1 entries: n reals. Else as `irfft`."""
    return _one(_HFFT, x, n, axis, norm, overwrite_x, workers, plan, None)


def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Inverse of `hfft`: the first n//2+1 entries of `ifft` of real data. Else as `rfft`."""
    return _one(_IHFFT, x, n, axis, norm, overwrite_x, workers, plan, None)


def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Discrete Fourier transform along several axes.

    Args:
        x: Array of real or complex numbers.
        s: Lengths, one for each axis (−1: that of the array). The last axes, if `axes` is None.
        axes: Distinct axes. All of them, if both are None.
        norm, overwrite_x, workers, plan: As for `fft`; n is the product of the lengths.

    Returns:
        Complex array of x's shape, with lengths s along the axes. x itself if there are no axes.

    Raises:
        ValueError: A length is below 1, axes repeat or do not exist, s and axes have different lengths; and as for `fft`.
        TypeError: As for `fft`.
    """
    return _many(_FFT, x, s, axes, norm, overwrite_x, workers, plan, None)


def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Inverse of `fftn`. Arguments, results and errors as for `fftn`."""
    return _many(_IFFT, x, s, axes, norm, overwrite_x, workers, plan, None)


def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """`fftn` of real data, with the first n//2+1 entries along the last of the axes. TypeError if x is complex; ValueError
    without axes; else as `fftn`."""
    return _many(_RFFT, x, s, axes, norm, overwrite_x, workers, plan, None)


def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Inverse of `rfftn`. s are the lengths of the real result; the last is 2·(length − 1) by default."""
    return _many(_IRFFT, x, s, axes, norm, overwrite_x, workers, plan, None)


def hfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """`fftn` of Hermitian data, given by the first n//2+1 entries along the last of the axes: reals. Else as `irfftn`."""
    return _many(_HFFT, x, s, axes, norm, overwrite_x, workers, plan, None)


def ihfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Inverse of `hfftn`. Else as `rfftn`."""
    return _many(_IHFFT, x, s, axes, norm, overwrite_x, workers, plan, None)


def fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """`fftn` along two axes."""
    return _many(_FFT, x, s, axes, norm, overwrite_x, workers, plan, None)


def ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """`ifftn` along two axes."""
    return _many(_IFFT, x, s, axes, norm, overwrite_x, workers, plan, None)


def rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """`rfftn` along two axes."""
    return _many(_RFFT, x, s, axes, norm, overwrite_x, workers, plan, None)


def irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """`irfftn` along two axes."""
    return _many(_IRFFT, x, s, axes, norm, overwrite_x, workers, plan, None)


def hfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """`hfftn` along two axes."""
    return _many(_HFFT, x, s, axes, norm, overwrite_x, workers, plan, None)


def ihfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """`ihfftn` along two axes."""
    return _many(_IHFFT, x, s, axes, norm, overwrite_x, workers, plan, None)


def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Discrete cosine transform of a type from 1 to 4 along one axis, without a factor, as SciPy defines it.

    Args:
        x: Array of real numbers, or of complex ones, whose components are transformed.
        type: 1 to 4. Type 1 needs n ≥ 2.
        n, axis, norm, overwrite_x, workers: As for `fft`; the factors are those of 2n points, of 2(n − 1) for type 1.
        orthogonalize: Scale the boundary elements so that the matrix is orthogonal up to a factor. None: if norm is "ortho".

    Returns:
        Array of x's shape with length n along the axis: float32, float64, or complex.

    Raises:
        ValueError: As for `fft`; the type is none of these.
        IndexError, TypeError: As for `fft`.
    """
    return _core.cosine_transform(_core.DCT, x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Inverse of `dct` of the same type: type 3 for 2, 2 for 3, with the factor 1/(2n). Else as `dct`."""
    return _core.cosine_transform(_core.IDCT, x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Discrete sine transform of a type from 1 to 4. Factors of type 1 are those of 2(n + 1) points. Else as `dct`."""
    return _core.cosine_transform(_core.DST, x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Inverse of `dst` of the same type. Else as `dst`."""
    return _core.cosine_transform(_core.IDST, x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


def dctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """`dct` along several axes; s and axes as for `fftn`."""
    return _core.cosine_transform_many(_core.DCT, x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


def idctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Inverse of `dctn`."""
    return _core.cosine_transform_many(_core.IDCT, x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


def dstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """`dst` along several axes; s and axes as for `fftn`."""
    return _core.cosine_transform_many(_core.DST, x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


def idstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Inverse of `dstn`."""
    return _core.cosine_transform_many(_core.IDST, x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


def fftfreq(n, d=1.0, *, xp=None, device=None, dtype=None):
    """Frequencies of the entries of `fft`: [0, 1, …, −2, −1] / (d·n).

    Args:
        n: Number of points, a positive integer.
        d: Distance between samples.
        xp: Namespace of the result, such as another array library; None for NumPy.
        device: Device of the result, for other namespaces; "cpu" for NumPy.
        dtype: Its floating-point type; None for the namespace's default, float64 for NumPy.

    Returns:
        Array of n floats.

    Raises:
        ValueError: n is not an integer, another `device` is given for NumPy, or `dtype` is not of floating-point numbers.
    """
    return _frequencies("fftfreq", n, d, xp, device, dtype)


def rfftfreq(n, d=1.0, *, xp=None, device=None, dtype=None):
    """Frequencies of the n//2+1 entries of `rfft`. Else as `fftfreq`."""
    return _frequencies("rfftfreq", n, d, xp, device, dtype)


def _frequencies(name, n, d, xp, device, dtype):
    if xp is not None and xp is not np and hasattr(xp, "fft"):
        return getattr(xp.fft, name)(n, d=d, device=device, **({} if dtype is None else {"dtype": dtype}))
    if device not in (None, "cpu"):
        raise ValueError("device parameter is not supported for input array type")
    if dtype is not None and np.dtype(dtype).kind != "f":
        raise ValueError(f"dtype is {np.dtype(dtype)}; frequencies are floating-point numbers")
    return getattr(np.fft, name)(n, d=d).astype(np.float64 if dtype is None else dtype, copy=False)


def fftshift(x, axes=None):
    """Moves the entry of frequency 0 to the middle of the axes: of all, if None."""
    return np.fft.fftshift(x, axes)


def ifftshift(x, axes=None):
    """Inverse of `fftshift`."""
    return np.fft.ifftshift(x, axes)


def next_fast_len(target, real=False):
    """The least length not below `target` without prime factors above 11, for real transforms above 5.

    Raises:
        ValueError: target is negative.
        TypeError: target is not an integer.
    """
    target = _length(target)
    if target <= 6:
        return target
    return _fast_length(target, bool(real), True)


def prev_fast_len(target, real=False):
    """The greatest length not above `target` without prime factors above 11, for real transforms above 5. ValueError if
    target is not positive; else as `next_fast_len`."""
    target = _length(target)
    if target == 0:
        raise ValueError("target must be positive, but is 0")
    if target <= 6:
        return target
    return _fast_length(target, bool(real), False)


def _length(target):
    target = operator.index(target)
    if target < 0:
        raise ValueError(f"target cannot be negative, but is {target}")
    return target


@functools.lru_cache(1024)
def _fast_length(target, is_real, is_above):
    """All products of small primes, one prime after the other, up to the next power of two."""
    limit = 1 << target.bit_length()
    products = [1]
    for prime in (3, 5) if is_real else (3, 5, 7, 11):
        for product in products:  # which grows
            if product * prime <= limit:
                products.append(product * prime)
    best = []
    for product in products:
        twos = max(0, (target // product).bit_length() - 1)
        below = product << twos
        best += [below, below << 1]
    return min(n for n in best if n >= target) if is_above else max(n for n in best if n <= target)


@contextlib.contextmanager
def set_workers(workers):
    """Context manager: the default number of threads of this thread's calls, inside the block. ValueError for 0, or less than
    the negative number of processors."""
    former = _core.set_workers(operator.index(workers))
    try:
        yield
    finally:
        _core.set_workers(former)


def get_workers():
    """The default number of threads of this thread's calls: 1, or that of `set_workers`."""
    return _core.get_workers()


def clear_cache():
    """Forgets all plans of this module's functions."""
    _core.clear_cache()


@contextlib.contextmanager
def as_numpy():
    """Context manager: inside the block NumPy's functions, numpy.fft.fft and so on, are swirl's, for all threads. longdouble
    stays with NumPy."""
    from swirl import _numpy_fft

    former = {name: getattr(np.fft, name) for name in _numpy_fft.__all__}
    for name in former:
        setattr(np.fft, name, getattr(_numpy_fft, name))
    try:
        yield
    finally:
        for name, function in former.items():
            setattr(np.fft, name, function)


# The protocol of SciPy's backends, uarray.
__ua_domain__ = "numpy.scipy.fft"
_of_backend = {name: globals()[name] for name in __all__ if name not in (
    "as_numpy", "clear_cache", "fftfreq", "rfftfreq", "fftshift", "ifftshift", "fhtoffset", "get_workers", "set_workers",
    "next_fast_len", "prev_fast_len")}


def __ua_function__(method, args, kwargs):
    """Calls the function of this module, with SciPy's default number of workers. SciPy itself gets what swirl does not compute:
    longdouble, arrays of other libraries, plans of another library."""
    from scipy.fft import get_workers as workers_of_scipy
    from scipy.fft import set_backend

    function = _of_backend.get(method.__name__)
    if function is None:
        return NotImplemented
    x = args[0] if args else kwargs.get("x", kwargs.get("a", kwargs.get("A")))
    if type(x).__module__.partition(".")[0] == "cupy":
        from swirl import _cupy_fft

        is_ours = _cupy_fft.takes(method.__name__, x) and isinstance(kwargs.get("plan"), (_core.Plan, type(None)))
        return _cupy_fft.call(method.__name__, *args, **kwargs) if is_ours else NotImplemented
    is_foreign = hasattr(x, "__array_namespace__") and not isinstance(x, (np.ndarray, np.generic))
    is_long = getattr(x, "dtype", None) in (np.longdouble, np.clongdouble)
    if is_foreign or is_long or not isinstance(kwargs.get("plan"), (_core.Plan, type(None))):
        with set_backend("scipy", only=True):
            return method(*args, **kwargs)
    workers = workers_of_scipy()
    if workers == 1:
        return function(*args, **kwargs)
    with set_workers(workers):
        return function(*args, **kwargs)
