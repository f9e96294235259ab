"""Calls whose arguments were resolved before: a transform of a plain tensor then costs one look-up and the kernel."""

import torch

from swirl import _core
from swirl.torch._kernels import COMPLEX, COMPONENT, FUNCTION, NUMBER, NUMBER_OF_PAIRS, execution

_MOST = 4096
_known = {}
_transform, _new, _new_like = _core.transform_memory, torch.empty_strided, torch.empty_like
_HALF = (torch.float16, torch.bfloat16)


class _Call:
    """Arguments of swirl._core.transform_memory, and the tensor for the result: its extents, strides (`steps`) and type. Of pairs
    `shape`, `strides` and `result_strides` are those of complex elements."""

    __slots__ = ("function", "scaled", "number", "shape", "strides", "lengths", "dims", "component", "result_shape", "dtype",
                 "result_strides", "steps", "alignment", "is_like_input")


def key_of(x, *arguments):
    """What tells a call with a plain tensor from others: the arguments are those of the caller, and what is done to them."""
    return x.is_cuda, x.dtype, x.shape, x.stride(), arguments


def find(key):
    """The known call, or None."""
    try:
        return _known.get(key)
    except TypeError:  # lists
        return None


def remember(key, kind, direction, x, lengths, dims, scaled, component, pairs):
    """Keeps a call with its resolved arguments, unless its result does not depend on them alone, or its kernel needs a copy of
    the tensor."""
    own = COMPONENT[x.dtype]
    call = _Call()
    call.shape, call.strides, call.number = tuple(x.shape), x.stride(), NUMBER[x.dtype]
    call.alignment = 1 if x.is_cpu or x.is_complex() else 2 * x.element_size()
    if pairs and kind != "r2c":
        if call.strides[-1] != 1 or any(stride % 2 for stride in call.strides[:-1]):
            return
        call.shape, call.strides = call.shape[:-1], tuple(stride // 2 for stride in call.strides[:-1])
        call.number, call.alignment = NUMBER_OF_PAIRS[x.dtype], 2 * x.element_size()
    elif kind == "c2c" and not x.is_complex() and (x.is_cuda or own in _HALF):
        if not x.is_contiguous() or any(x.shape[d] != n for n, d in zip(lengths, dims)):
            return
        call.alignment = 2 * x.element_size()
    call.function, call.scaled = FUNCTION[kind, direction], scaled
    call.lengths, call.dims, call.component = tuple(lengths), tuple(dims), NUMBER[component]
    shape = list(call.shape)
    for n, d in zip(lengths, dims):
        shape[d] = n
    if kind == "r2c":
        shape[dims[-1]] = lengths[-1] // 2 + 1
    if 0 in shape:
        return
    call.result_strides = call.steps = torch.empty(shape, device="meta").stride()
    gives_pairs = pairs and kind != "c2r"
    if gives_pairs:
        call.steps = (*(2 * stride for stride in call.result_strides), 1)
    call.dtype = component if kind == "c2r" or pairs else COMPLEX[component]
    call.result_shape = torch.Size([*shape, 2] if gives_pairs else shape)
    # Such a tensor costs PyTorch less.
    call.is_like_input = call.dtype is x.dtype and call.result_shape == x.shape and call.steps == x.stride() and x.is_contiguous()
    if len(_known) >= _MOST:
        _known.clear()
    try:
        _known[key] = call
    except TypeError:
        pass


def run(call, x):
    """The result for a plain tensor of the call's type, extents and strides. None if its memory is not as kernels need it, or if
    autocast decides about the type of the result."""
    address = x.data_ptr()
    if address % call.alignment or x.is_conj() or x.is_neg():
        return None
    if x.dtype in _HALF and torch.is_autocast_enabled(x.device.type):
        return None
    result = _new_like(x) if call.is_like_input else _new(call.result_shape, call.steps, dtype=call.dtype, device=x.device)
    _transform(call.function, call.scaled, False, address, call.number, call.shape, call.strides, call.lengths, call.dims,
               result.data_ptr(), call.component, call.result_strides, None, *execution(x))
    return result
