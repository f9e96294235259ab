"""Calls whose arguments were resolved before: a transform of a plain tensor then costs one look-up and the kernel.

Known are calls without pairs and 16-bit types, whose result depends on the type and extents of the tensor alone."""

import torch

from swirl import _core
from swirl.torch._kernels import COMPLEX, FUNCTION, NUMBER, execution

_MOST = 4096
_known = {}
_transform = _core.transform_memory
_TYPES = (torch.float32, torch.float64, torch.complex64, torch.complex128)


class _Call:
    __slots__ = ("function", "scaled", "number", "lengths", "dims", "component", "shape", "dtype", "strides", "alignment")


def key_of(x, *arguments):
    """What tells a call with a plain tensor from others: the arguments are those of the caller, and what is done to them."""
    return x.is_cuda, x.dtype, x.shape, arguments


def find(key):
    """The known call, or None."""
    try:
        return _known.get(key)
    except TypeError:  # lists
        return None


def remember(key, kind, direction, x, lengths, dims, scaled, component):
    """Keeps a call with its resolved arguments, unless it is of a kind that is not known."""
    is_whole_spectrum_of_reals = kind == "c2c" and not x.is_complex()
    if x.dtype not in _TYPES or x.numel() == 0 or (is_whole_spectrum_of_reals and x.is_cuda):
        return
    call = _Call()
    call.function, call.scaled, call.number = FUNCTION[kind, direction], scaled, NUMBER[x.dtype]
    call.lengths, call.dims, call.component = tuple(lengths), tuple(dims), NUMBER[component]
    shape = list(x.shape)
    for n, d in zip(lengths, dims):
        shape[d] = n
    if kind == "r2c":
        shape[dims[-1]] = lengths[-1] // 2 + 1
    call.shape, call.dtype = torch.Size(shape), component if kind == "c2r" else COMPLEX[component]
    call.strides = torch.empty(shape, device="meta").stride()
    call.alignment = 1 if x.is_cpu or x.is_complex() else 2 * x.element_size()
    if len(_known) >= _MOST:
        _known.clear()
    try:
        _known[key] = call
    except TypeError:
        pass


def run(call, x):
    """The result for a plain tensor of the call's type and extents. None if its memory is not as kernels need it."""
    address = x.data_ptr()
    if address % call.alignment or x.is_conj() or x.is_neg():
        return None
    result = x.new_empty(call.shape, dtype=call.dtype)
    _transform(call.function, call.scaled, False, address, call.number, x.shape, x.stride(), call.lengths, call.dims,
               result.data_ptr(), call.component, call.strides, None, *execution(x))
    return result
