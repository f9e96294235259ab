"""NumPy's functions, with the arguments and results of numpy.fft of NumPy 2, by swirl. `swirl.fft.as_numpy` installs them."""

import warnings

import numpy as np

from swirl import _core

__all__ = ["fft", "fft2", "fftn", "hfft", "ifft", "ifft2", "ifftn", "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftn"]

_numpy = {name: getattr(np.fft, name) for name in __all__}


def _is_long(a):
    return getattr(a, "dtype", None) in (np.longdouble, np.clongdouble)


def _one(name):
    """The function `name` of one dimension."""
    function, numpys = getattr(_core, name.upper()), _numpy[name]

    def transform(a, n=None, axis=-1, norm=None, out=None):
        if _is_long(a):
            return numpys(a, n, axis, norm, out)
        try:
            return _core.transform(function, a, n, axis, norm, False, None, None, out)
        except ValueError as error:
            raise ValueError(str(error).replace("invalid number of data", "Invalid number of FFT data")) from None

    return _named(transform, name)


def _many(name, default_axes):
    """The function `name` of several dimensions."""
    function, numpys = getattr(_core, name[:-1].upper()), _numpy[name]

    def transform(a, s=None, axes=default_axes, norm=None, out=None):
        if _is_long(a):
            return numpys(a, s, axes, norm, out)
        a = np.asarray(a)
        if s is not None:
            s, axes = _lengths_and_axes(a, s, axes, name.startswith("irfft"))
        if axes is not None and len(axes) > 1 and len({axis % max(1, a.ndim) for axis in axes}) < len(axes):
            return _with_repeated_axes(name[:-1], a, s, axes, norm, out)
        return _core.transform_many(function, a, s, axes, norm, False, None, None, out)

    return _named(transform, name)


def _lengths_and_axes(a, s, axes, is_to_real):
    """NumPy's rules for `s`, with its warnings."""
    s = list(s)
    if axes is None:
        warnings.warn("`axes` should not be `None` if `s` is not `None` (deprecated in NumPy 2.0): give the axes of `s`",
                      DeprecationWarning, stacklevel=3)
        axes = range(-len(s), 0)
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if None in s:
        warnings.warn("Passing an array containing `None` values to `s` is deprecated in NumPy 2.0: give the lengths",
                      DeprecationWarning, stacklevel=3)
    if is_to_real and s[-1] is None:
        s[-1] = 2 * (a.shape[axes[-1]] - 1)
    return [-1 if n is None else n for n in s], axes


def _with_repeated_axes(name, a, s, axes, norm, out):
    """An axis that occurs several times is transformed several times, the last one first; real results come last."""
    pairs = list(zip([None] * len(axes) if s is None else [None if n == -1 else n for n in s], axes))
    complex_function = _numpy_functions["ifft" if name.startswith("i") else "fft"]
    if name == "irfft":
        for n, axis in pairs[:-1]:
            a = complex_function(a, n, axis, norm)
        return _numpy_functions[name](a, *pairs[-1], norm, out)
    result = _numpy_functions[name](a, *pairs[-1], norm)
    for n, axis in reversed(pairs[:-1]):
        result = complex_function(result, n, axis, norm)
    if out is None:
        return result
    out[...] = result
    return out


def _named(transform, name):
    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"numpy.fft.{name}, by swirl. longdouble stays with NumPy."
    return transform


_numpy_functions = {name: _one(name) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")}
for _name in ("fft", "ifft", "rfft", "irfft"):
    _numpy_functions[_name + "2"] = _many(_name + "2", (-2, -1))
    _numpy_functions[_name + "n"] = _many(_name + "n", None)
globals().update(_numpy_functions)
