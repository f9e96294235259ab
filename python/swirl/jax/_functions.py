"""jax.numpy.fft's functions by swirl's transforms."""

import jax.numpy as jnp
import numpy as np

from swirl.jax._primitive import component_of, transform

_SCALED = {"forward": {None: 0, "backward": 0, "ortho": 1, "forward": 2}, "backward": {None: 2, "backward": 2, "ortho": 1, "forward": 0}}


def _called(kind, direction, a, lengths, axes, norm):
    a = jnp.asarray(a)
    if norm not in _SCALED[direction]:
        raise ValueError(f"norm is {norm!r}; it can be 'backward', 'ortho' or 'forward'")
    axes = [_axis(axis, a.ndim) for axis in axes]
    if len(set(axes)) != len(axes):
        raise ValueError(f"axes repeat: {axes}")
    is_complex = jnp.issubdtype(a.dtype, jnp.complexfloating)
    if kind == "r2c" and is_complex:
        raise TypeError("the input must be real")
    if not is_complex and not jnp.issubdtype(a.dtype, jnp.floating):
        a = a.astype(jnp.result_type(float))
    component = component_of(a.dtype)
    wide = component if component in (np.float32, np.float64) else np.dtype(np.float32)
    if kind != "r2c" and not is_complex:
        a = a.astype(jnp.result_type(wide, jnp.complex64))
    if lengths is None:
        lengths = [a.shape[axis] for axis in axes]
        if kind == "c2r" and axes:
            lengths[-1] = 2 * (lengths[-1] - 1)
    if len(lengths) != len(axes):
        raise ValueError("lengths and axes must have the same number of entries")
    if any(n < 1 for n in lengths):
        raise ValueError(f"invalid number of data points: {list(lengths)}")
    if not axes:
        return a
    return transform(a, kind, lengths, axes, _SCALED[direction][norm], direction == "forward", dtype=wide)


def _axis(axis, dimensions):
    if not -dimensions <= axis < dimensions:
        raise ValueError(f"axis {axis} is out of bounds for an array of {dimensions} dimensions")
    return axis % dimensions


def _one(kind, direction, a, n, axis, norm):
    return _called(kind, direction, a, None if n is None else [n], [axis], norm)


def _several(kind, direction, a, s, axes, norm):
    if axes is None:
        axes = range(-len(s), 0) if s is not None else range(jnp.ndim(a))
    return _called(kind, direction, a, s, axes, norm)


def fft(a, n=None, axis=-1, norm=None):
    """Discrete Fourier transform along one axis. Arguments and results as jax.numpy.fft.fft.

    Args:
        a: Real or complex array.
        n: Length: the axis is cropped or padded with zeros. None for its own length.
        axis: The axis.
        norm: "backward" (None), "ortho" or "forward": no factor here, 1/√n, or 1/n.

    Returns:
        Complex array of a's shape, with length n along the axis; complex64 for 16-bit types.

    Raises:
        ValueError: n is below 1, there is no such axis, or `norm` is invalid.
    """
    return _one("c2c", "forward", a, n, axis, norm)


def ifft(a, n=None, axis=-1, norm=None):
    """Inverse of `fft`, with the factor 1/n unless `norm` says otherwise. Arguments, results and errors as for `fft`."""
    return _one("c2c", "backward", a, n, axis, norm)


def rfft(a, n=None, axis=-1, norm=None):
    """The first n//2+1 entries of `fft` of a real array. TypeError if it is complex; else as `fft`."""
    return _one("r2c", "forward", a, n, axis, norm)


def irfft(a, n=None, axis=-1, norm=None):
    """Inverse of `rfft`: n//2+1 entries to n reals; n is 2·(length − 1) by default. Else as `fft`."""
    return _one("c2r", "backward", a, n, axis, norm)


def hfft(a, n=None, axis=-1, norm=None):
    """`fft` of a Hermitian sequence, given by its first n//2+1 entries: n reals. Else as `irfft`."""
    return _one("c2r", "forward", a, n, axis, norm)


def ihfft(a, n=None, axis=-1, norm=None):
    """Inverse of `hfft`: the first n//2+1 entries of `ifft` of a real array. Else as `rfft`."""
    return _one("r2c", "backward", a, n, axis, norm)


def fftn(a, s=None, axes=None, norm=None):
    """`fft` along several axes: the last ones as `s` has lengths, all without `s` and `axes`."""
    return _several("c2c", "forward", a, s, axes, norm)


def ifftn(a, s=None, axes=None, norm=None):
    """Inverse of `fftn`."""
    return _several("c2c", "backward", a, s, axes, norm)


def rfftn(a, s=None, axes=None, norm=None):
    """`fftn` of a real array, with the first n//2+1 entries along the last of the axes."""
    return _several("r2c", "forward", a, s, axes, norm)


def irfftn(a, s=None, axes=None, norm=None):
    """Inverse of `rfftn`. `s` are the lengths of the real result; the last is 2·(length − 1) by default."""
    return _several("c2r", "backward", a, s, axes, norm)


def fft2(a, s=None, axes=(-2, -1), norm=None):
    """`fftn` along two axes."""
    return _several("c2c", "forward", a, s, axes, norm)


def ifft2(a, s=None, axes=(-2, -1), norm=None):
    """`ifftn` along two axes."""
    return _several("c2c", "backward", a, s, axes, norm)


def rfft2(a, s=None, axes=(-2, -1), norm=None):
    """`rfftn` along two axes."""
    return _several("r2c", "forward", a, s, axes, norm)


def irfft2(a, s=None, axes=(-2, -1), norm=None):
    """`irfftn` along two axes."""
    return _several("c2r", "backward", a, s, axes, norm)
