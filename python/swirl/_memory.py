"""NumPy arrays as the kernels of swirl._core take them: by address and strides."""

import operator
import os

from swirl import _core


def address(x):
    return x.__array_interface__["data"][0]


def strides(x):
    """In elements."""
    return tuple(stride // x.itemsize for stride in x.strides)


def transform(function, x, lengths, axes, out, threads, *, scaled=0, factor=None, window=None):
    """Writes the transforms of x along some axes to `out`.

    Args:
        function: Such as _core.RFFT.
        x, out: Arrays of any strides.
        lengths: Along the axes; x is padded with zeros or cut.
        scaled: 0 for no factor, 1 for one over the root of the lengths, 2 for one over the lengths.
        factor: Multiplies the spectrum: a contiguous array, the axes along which it varies, and whether it is conjugated.
        window: A contiguous real array that multiplies along the only axis, and whether it does on the side of x.
    """
    given_factor = None if factor is None else (address(factor[0]), *factor[1:])
    given_window = None if window is None else (address(window[0]), window[1])
    _core.transform_memory(function, scaled, False, address(x), _core.data_types[x.dtype.name], x.shape, strides(x), tuple(lengths),
                           tuple(axes), address(out), _core.data_types[out.real.dtype.name], strides(out), given_factor, threads, -1, 0,
                           False, None, given_window)


def threads_of(workers):
    """The most threads that `workers` asks for, as SciPy understands it; None for the number of swirl.fft.set_workers."""
    if workers is None:
        return _core.get_workers()
    workers = operator.index(workers)
    if workers < 0:
        workers += 1 + len(os.sched_getaffinity(0))
    if workers < 1:
        raise ValueError(f"workers is {workers}; it must be a positive number, or a negative one above that of the processors")
    return workers
