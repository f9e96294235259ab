"""SciPy's fft functions for CuPy's arrays, on the current stream: what swirl.fft, as a backend of SciPy, does with them."""

import operator

import cupy

from swirl import _core

_FUNCTIONS = {"fft": _core.FFT, "ifft": _core.IFFT, "rfft": _core.RFFT, "irfft": _core.IRFFT, "hfft": _core.HFFT, "ihfft": _core.IHFFT}
_FORWARD = ("fft", "rfft", "hfft")
_COMPLEX = {"float32": "complex64", "float64": "complex128"}
_COMPONENT = {"float32": "float32", "float64": "float64", "complex64": "float32", "complex128": "float64"}


def takes(name, x):
    """Whether swirl computes this function of an array of CuPy: names of one or several dimensions, float32 and float64."""
    return name.rstrip("2n") in _FUNCTIONS and x.dtype.kind in "iufcb" and x.dtype.itemsize <= 16


def call(name, x, n=None, axis=None, norm=None, overwrite_x=False, workers=None, *, plan=None, s=None, axes=None):
    """A function of SciPy by its name, and with its arguments: `n` and `axis`, or `s` and `axes` for several dimensions.

    Returns:
        A new array of CuPy, contiguous. `overwrite_x` and `workers` mean nothing on a GPU. `plan` is a swirl.Plan of exactly the
        problem that the call needs, on the array's GPU, such as a measured one.

    Raises:
        ValueError: A length is below 1, axes repeat or do not exist, `norm` is invalid, or `plan` is one of another problem,
            which the message shows beside the one needed, or of another device.
        TypeError: The array is complex where reals are transformed, or `plan` is no swirl.Plan.
    """
    kind = name.rstrip("2n")
    gives_half, takes_half = kind in ("rfft", "ihfft"), kind in ("irfft", "hfft")
    if gives_half and x.dtype.kind == "c":
        raise TypeError("x must be a real sequence")
    if x.dtype.name not in _COMPONENT:
        x = x.astype(cupy.float32 if x.dtype == cupy.float16 else cupy.float64)
    component = _COMPONENT[x.dtype.name]
    if not gives_half and x.dtype.kind != "c":
        x = x.astype(_COMPLEX[component])
    if any(stride % x.itemsize for stride in x.strides) or (gives_half and x.data.ptr % (2 * x.itemsize)):
        x = cupy.array(x, order="C")
    lengths, axes = _resolved(name, x, n if s is None else s, axis if axes is None else axes, takes_half)
    if not axes:
        return x
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"')
    scaled = 1 if norm == "ortho" else 2 if (norm == "forward") == (kind in _FORWARD) else 0
    shape = list(x.shape)
    for length, d in zip(lengths, axes):
        shape[d] = length
    if gives_half:
        shape[axes[-1]] = lengths[-1] // 2 + 1
    with x.device:
        result = cupy.empty(shape, component if takes_half else _COMPLEX[component])
        if result.size:
            stream = cupy.cuda.get_current_stream().ptr
            _core.transform_memory(
                _FUNCTIONS[kind], scaled, False, x.data.ptr, _core.data_types[x.dtype.name], x.shape, _elements(x), tuple(lengths),
                tuple(axes), result.data.ptr, _core.data_types[component], _elements(result), None, 1, x.device.id, stream,
                cupy.cuda.get_current_stream().is_capturing(), None, None, plan)
    return result


def _elements(x):
    """Strides in elements."""
    return tuple(stride // x.itemsize for stride in x.strides)


def _resolved(name, x, n, axis, takes_half):
    """Lengths, and axes counted from 0."""
    if name[-1] in "2n":
        if axis is None and name[-1] == "2":
            axis = (-2, -1)
        lengths = None if n is None else [n] if isinstance(n, int) else list(n)
        if axis is None:
            axis = range(x.ndim) if lengths is None else range(x.ndim - len(lengths), x.ndim)
        axes = [axis] if isinstance(axis, int) else list(axis)
    else:
        lengths, axes = None if n is None else [operator.index(n)], [-1 if axis is None else axis]
    if any(not -x.ndim <= d < x.ndim for d in axes):
        raise ValueError("axes exceeds dimensionality of input")
    axes = [d % x.ndim for d in axes]
    if len(set(axes)) != len(axes):
        raise ValueError("all axes must be unique")
    if lengths is None:
        lengths = [x.shape[d] for d in axes]
        if takes_half and lengths:
            lengths[-1] = 2 * (lengths[-1] - 1)
    if len(lengths) != len(axes):
        raise ValueError("when given, axes and shape arguments have to be of the same length")
    if any(length < 1 for length in lengths):
        raise ValueError(f"invalid number of data points ({lengths}) specified")
    return lengths, axes
