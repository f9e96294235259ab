"""Convolutions with SciPy's arguments and results.

Along one axis with one kernel the signal is cut into blocks (overlap-save). A block is read where it is, convolved circularly by
one kernel of swirl that has the forward transform, the product with the kernel's spectrum and the inverse transform, and written
where it belongs: one pass over the memory. Two blocks of real numbers are the real and imaginary components of a complex one.
Along several axes, and for short signals, the product with the spectrum is part of the forward transform's last pass."""

import functools
import math
import operator

import numpy as np

from swirl import _core, _memory
from swirl.fft import fftn, irfftn, ifftn, next_fast_len, rfftn

#: The longest block; beyond, it leaves the caches.
_LONGEST_BLOCK = 1 << 15
#: Blocks within the signal that cutting it takes to pay.
_FEWEST_BLOCKS = 2
#: Products of elements that the definition may take: transforms take longer to begin.
_MOST_PRODUCTS = 1 << 15


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
    if mode not in ("full", "same", "valid"):
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
    if _size(in2.shape, axes) > _size(in1.shape, axes):
        a, b = b, a
    # An axis along which one of them has one element needs no transform.
    axes = [d for d in axes if a.shape[d] != 1 and b.shape[d] != 1]
    if not axes:
        result = a * b
    elif a.ndim == 1 and a.size * b.size <= _MOST_PRODUCTS:
        result = np.convolve(a, b)[starts[0]:starts[0] + shape[0]].copy()
    elif len(axes) == 1 and b.size == b.shape[axes[0]] and a.shape[axes[0]] >= b.size:
        result = _along_one(a, b.reshape(-1), axes[0], starts[axes[0]], shape[axes[0]], threads)
    else:
        result = None
    if result is None:
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


def _along_one(a, kernel, axis, start, length, threads):
    """The convolution along one axis with one kernel, in blocks; None where they do not pay."""
    k, rows = len(kernel), a.size // a.shape[axis]
    x = np.moveaxis(a, axis, -1)
    result = np.empty(a.shape[:axis] + (length,) + a.shape[axis + 1:], a.dtype)
    y = np.moveaxis(result, axis, -1)
    n = _block_length(k)
    whole = next_fast_len(x.shape[-1] + k - 1)
    if whole <= 2 * n or whole <= 1024:
        if not _whole_rows(x, y, kernel, whole, start, threads):
            return None
    elif not _blocks(x, y, kernel, n, start, threads):
        return None
    return result


@functools.lru_cache
def _block_length(k):
    """Of the least work for each result."""
    candidates = [n for e in range(6, 25) for n in (1 << e, 3 << (e - 1)) if n >= 2 * k and n <= max(_LONGEST_BLOCK, 8 * k)]
    return min(candidates, key=lambda n: n * (math.log2(n) + 4) / (n - k + 1))


def _spectrum(kernel, n, shift):
    """Of a kernel whose result begins `shift` elements later, as convolve_memory reads it."""
    padded = np.zeros(n, np.complex128 if kernel.dtype.kind == "c" else np.float64)
    padded[:len(kernel)] = kernel
    spectrum = fftn(np.roll(padded, -shift))
    if kernel.dtype.kind != "c":
        return np.concatenate([spectrum.real, spectrum.imag]).astype(kernel.dtype)
    return spectrum.astype(kernel.dtype)


def _execute(x, y, spectrum, n, loaded, kept, step_x, step_y, blocks, threads):
    """Convolves `blocks` blocks of each row of x to those of y; `blocks` is even for real data, or 0 for rows in pairs.

    Args:
        x, y: Arrays whose last axis is that of the blocks.
        spectrum: As _spectrum makes it.
        loaded, kept: How many elements of a block are read and written.
        step_x, step_y: Elements from one block to the next.
    """
    is_complex, single = x.dtype.kind == "c", x.real.dtype == np.float32
    count, in_strides, out_strides = list(x.shape[:-1]), list(_memory.strides(x)[:-1]), list(_memory.strides(y)[:-1])
    stride_x, stride_y = _memory.strides(x)[-1], _memory.strides(y)[-1]
    if blocks:
        count, in_strides, out_strides = count + [blocks], in_strides + [step_x * stride_x], out_strides + [step_y * stride_y]
    second = None
    if not is_complex:
        # Two neighbours in one of the loops over blocks are one complex block.
        paired = len(count) - 1 if blocks else max((d for d in range(len(count)) if count[d] % 2 == 0), default=None)
        if paired is None:
            return False
        second = in_strides[paired], out_strides[paired]
        count[paired] //= 2
        in_strides[paired] *= 2
        out_strides[paired] *= 2
    _core.convolve_memory(single, *map(_memory.address, (x, y, spectrum)), n, loaded, kept, stride_x, stride_y, second,
                          tuple(count), tuple(in_strides), tuple(out_strides), threads)
    return True


def _whole_rows(x, y, kernel, n, start, threads):
    """Each row is a block."""
    return _execute(x, y, _spectrum(kernel, n, start), n, x.shape[-1], y.shape[-1], 0, 0, 0, threads)


def _blocks(x, y, kernel, n, start, threads):
    """Blocks of n elements, of which neighbours share len(kernel) − 1: those within the signal in place, those at its ends in
    copies with zeros around it. False if hardly any lie within."""
    k, length = len(kernel), y.shape[-1]
    step = n - k + 1
    pair = 1 if x.dtype.kind == "c" else 2
    first = max(start, k - 1)  # result of the first block within the signal, which reads x from first - k + 1 on
    inner = min((x.shape[-1] - n - (first - k + 1)) // step + 1, (start + length - first) // step) // pair * pair
    if inner < _FEWEST_BLOCKS:
        return False
    spectrum = _spectrum(kernel, n, k - 1)
    _execute(x[..., first - k + 1:], y[..., first - start:], spectrum, n, n, step, step, step, inner, threads)
    last = first + inner * step
    begins = ([start] if first > start else []) + list(range(last, start + length, step))
    if not begins:
        return True
    edges = np.zeros((*x.shape[:-1], -(-len(begins) // pair) * pair, n), x.dtype)
    for e, begin in enumerate(begins):
        low, high = max(begin - k + 1, 0), min(begin - k + 1 + n, x.shape[-1])
        if low < high:
            edges[..., e, low - (begin - k + 1):high - (begin - k + 1)] = x[..., low:high]
    results = np.empty((*edges.shape[:-1], step), x.dtype)
    flat, flat_results = (t.reshape(*t.shape[:-2], -1) for t in (edges, results))
    _execute(flat, flat_results, spectrum, n, n, step, n, step, edges.shape[-2], threads)
    for e, begin in enumerate(begins):
        end = first if begin < first else min(begin + step, start + length)
        y[..., begin - start:end - start] = results[..., e, :end - begin]
    return True
