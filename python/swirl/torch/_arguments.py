"""The arguments of torch.fft's functions, resolved: lengths, dimensions counted from 0, and a factor."""

import torch


class Refused(Exception):
    """What PyTorch's functions do not take either."""


class RefusedCall(Refused, RuntimeError):
    pass


class RefusedDimension(Refused, IndexError):
    pass


NORMS = {
    # of the direction that is scaled by 1/n unless `norm` says otherwise: 0 for no factor, 1 for 1/√n, 2 for 1/n
    "forward": {None: 0, "backward": 0, "ortho": 1, "forward": 2},
    "backward": {None: 2, "backward": 2, "ortho": 1, "forward": 0},
}


def factor(norm, direction):
    """0, 1 or 2: no factor, 1/√n or 1/n. `direction` is "forward" or "backward".

    Raises:
        RuntimeError: `norm` is none of torch.fft's.
    """
    try:
        return NORMS[direction][norm]
    except (KeyError, TypeError):
        raise RefusedCall(f'Invalid normalization mode: "{norm}"') from None


def dimension(dim, dimensions):
    """A dimension counted from 0. IndexError if there is none such."""
    if not -dimensions <= dim < dimensions:
        raise RefusedDimension(f"Dimension out of range (expected to be in range of [{-dimensions}, {dimensions - 1}], but got {dim})")
    return dim + dimensions if dim < 0 else dim


def one(shape, n, dim, is_half):
    """Length and dimension of a transform along one dimension of an array of `shape`; `is_half` if it holds a half spectrum.

    Returns:
        Lists of one length and one dimension.
    """
    dim = dimension(dim, len(shape))
    if n is None:
        n = 2 * (shape[dim] - 1) if is_half else shape[dim]
    check_length(n)
    return [n], [dim]


def several(shape, s, dim, is_half):
    """The same along several dimensions: the last ones as `s` has lengths, all of them without `s` and `dim`."""
    dimensions = len(shape)
    if dim is not None:
        dim = [dimension(d, dimensions) for d in ((dim,) if isinstance(dim, int) else dim)]
        if len(set(dim)) != len(dim):
            raise RefusedCall("FFT dims must be unique")
    if s is not None:
        s = [s] if isinstance(s, (int, torch.SymInt)) else list(s)
        if dim is None:
            if len(s) > dimensions:
                raise RefusedCall(f"Got shape with {len(s)} values but input tensor only has {dimensions} dimensions.")
            dim = list(range(dimensions - len(s), dimensions))
        elif len(s) != len(dim):
            raise RefusedCall("When given, dim and shape arguments must have the same length")
    elif dim is None:
        dim = list(range(dimensions))
    lengths = [shape[d] for d in dim]
    if is_half and lengths and (s is None or s[-1] == -1):
        lengths[-1] = 2 * (lengths[-1] - 1)
    if s is not None:
        lengths = [length if n == -1 else n for n, length in zip(s, lengths)]
    for n in lengths:
        check_length(n)
    return lengths, dim


def check_length(n):
    if n < 1:
        raise RefusedCall(f"Invalid number of data points ({n}) specified")
