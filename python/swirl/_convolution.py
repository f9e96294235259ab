"""Convolutions with SciPy's arguments and results.

With one kernel they are linear convolutions of swirl (<swirl/convolution.hpp>), which cut a long signal into blocks. With kernels of
several signals the product with the spectrum is part of the forward transform's last pass."""

import math
import operator

import numpy as np

from swirl import _core, _memory
from swirl.fft import fftn, irfftn, ifftn, next_fast_len, rfftn

#: Products of elements that the definition may take: transforms take longer to begin.
_MOST_PRODUCTS = 1 << 15
#: In the order of swirl::ConvolutionMode.
_MODES = ("full", "same", "valid")
_MOST_DIMENSIONS = 3


def convolve(in1, in2, mode="full", axes=None, *, workers=None):
    """Convolution of two arrays: y[k] = Σ in1[j]·in2[k − j], by transforms unless they are short. Arguments and results as
    scipy.signal.convolve's, and with `axes` scipy.signal.fftconvolve's, but that with "same" other axes broadcast, too.

    Args:
        in1, in2: Arrays of as many dimensions.
        mode: "full": all of the result, of length n1 + n2 − 1. "same": the middle, of in1's length. "valid": the part where the
            shorter array lies within the other.
        axes: The axes along which to convolve, or one; None for all. Other axes broadcast.
        workers: The most threads; negative numbers count from the number of processors. None for that of
            swirl.fft.set_workers.

    Returns:
        A new array of the common data type: rounded for integers, computed in float32 for float16.

    Raises:
        ValueError: Dimensions differ, an axis does not exist or repeats, other axes do not broadcast, `mode` is none of these, or
            with "valid" neither array fits into the other.
        TypeError: A data type is longdouble, or not numeric.
    """
    in1, in2 = np.asarray(in1), np.asarray(in2)
    if mode not in _MODES:
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    if in1.ndim != in2.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    dtype = np.result_type(in1, in2)
    threads = _memory.threads_of(workers)
    axes = _resolved(axes, in1.ndim)
    if in1.ndim == 0:
        return in1 * in2
    if in1.size == 0 or in2.size == 0:
        return np.array([], dtype)
    for d in range(in1.ndim):
        if d not in axes and in1.shape[d] != in2.shape[d] and 1 not in (in1.shape[d], in2.shape[d]):
            raise ValueError(f"incompatible shapes for in1 and in2: {in1.shape} and {in2.shape}")
    a, b = _common(in1, in2, dtype)
    starts, shape = _cut(in1.shape, in2.shape, mode, axes)
    is_swapped = _size(in2.shape, axes) > _size(in1.shape, axes)
    if is_swapped:
        a, b = b, a
    # An axis along which one of them has one element needs no transform.
    axes = [d for d in axes if a.shape[d] != 1 and b.shape[d] != 1]
    if not axes:
        result = a * b
    elif a.ndim == 1 and a.size * b.size <= _MOST_PRODUCTS:
        result = np.convolve(a, b)[starts[0]:starts[0] + shape[0]].copy()
    elif (len(axes) <= _MOST_DIMENSIONS and b.size == _size(b.shape, axes) and not (is_swapped and mode == "same")
          and all(a.shape[d] >= b.shape[d] for d in axes)):
        result = _with_one_kernel(a, b, axes, mode, shape, threads)
    else:
        result = _by_transforms(a, b, axes, starts, shape, threads)
    if dtype.kind in "iu":
        result = np.rint(result)
    return result.astype(dtype, copy=False)


def _resolved(axes, dimensions):
    if axes is None:
        return list(range(dimensions))
    axes = [operator.index(axes)] if not np.iterable(axes) else [operator.index(d) for d in axes]
    if any(not -dimensions <= d < dimensions for d in axes):
        raise ValueError("axes exceeds dimensionality of input")
    axes = sorted(d % dimensions for d in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("all axes must be unique")
    if not axes:
        raise ValueError("when provided, axes cannot be empty")
    return axes


def _common(in1, in2, dtype):
    """Both arrays in the type of the arithmetic, with strides that kernels take."""
    wide = np.result_type(dtype, np.float32) if dtype == np.float16 else dtype if dtype.kind in "fc" else np.dtype(np.float64)
    return tuple(_core.floating(np.asarray(x, dtype=wide)) for x in (in1, in2))


def _size(shape, axes):
    return math.prod(shape[d] for d in axes)


def _cut(shape1, shape2, mode, axes):
    """Where the result begins in the full one along each axis, and its shape."""
    starts, shape = [0] * len(shape1), [max(n, m) if 0 not in (n, m) else 0 for n, m in zip(shape1, shape2)]
    if mode == "valid":
        fits = [all(shape1[d] >= shape2[d] for d in axes), all(shape2[d] >= shape1[d] for d in axes)]
        if not any(fits):
            raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")
    for d in axes:
        n, m = shape1[d], shape2[d]
        if mode == "full":
            shape[d] = n + m - 1
        elif mode == "same":
            starts[d], shape[d] = (m - 1) // 2, n
        else:
            starts[d], shape[d] = min(n, m) - 1, max(n, m) - min(n, m) + 1
    return starts, shape


def _by_transforms(a, b, axes, starts, shape, threads):
    is_complex = a.dtype.kind == "c"
    lengths = [next_fast_len(a.shape[d] + b.shape[d] - 1, not is_complex) for d in axes]
    batch = [1 if d in axes else max(a.shape[d], b.shape[d]) for d in range(a.ndim)]
    a = np.broadcast_to(a, [a.shape[d] if d in axes else batch[d] for d in range(a.ndim)])
    factor = np.ascontiguousarray((fftn if is_complex else rfftn)(b, lengths, axes, workers=threads))
    half = list(batch)
    for n, d in zip(lengths, axes):
        half[d] = n
    if not is_complex:
        half[axes[-1]] = lengths[-1] // 2 + 1
    spectrum = np.empty(half, factor.dtype)
    varies = tuple(d for d in range(a.ndim) if d in axes or factor.shape[d] > 1)
    _memory.transform(_core.FFT if is_complex else _core.RFFT, a, lengths, axes, spectrum, threads, factor=(factor, varies, False))
    back = ifftn if is_complex else irfftn
    full = back(spectrum, lengths, axes, overwrite_x=is_complex, workers=threads)
    return full[tuple(slice(start, start + n) for start, n in zip(starts, shape))].copy()


def _with_one_kernel(a, kernel, axes, mode, shape, threads):
    others = [d for d in range(a.ndim) if d not in axes]
    result = np.empty([shape[d] if d in axes else a.shape[d] for d in range(a.ndim)], a.dtype)
    strides_a, strides_result = _memory.strides(a), _memory.strides(result)
    kernel = np.ascontiguousarray(kernel)

    def along(values, dimensions):
        return tuple(values[d] for d in dimensions)

    _core.convolve_memory(a.real.dtype == np.float32, a.dtype.kind == "c", _MODES.index(mode),
                          *map(_memory.address, (a, kernel, result)), along(a.shape, axes), along(kernel.shape, axes),
                          along(strides_a, axes), along(strides_result, axes), along(a.shape, others), along(strides_a, others),
                          along(strides_result, others), threads)
    return result
