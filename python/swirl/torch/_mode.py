"""swirl's functions in place of torch.fft's."""

import functools

import torch
from torch.overrides import TorchFunctionMode

from swirl.torch import _functions
from swirl.torch._arguments import Refused
from swirl.torch._kernels import COMPONENT

NAMES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", *(name + kind for kind in ("2", "n") for name in (
    "fft", "ifft", "rfft", "irfft", "hfft", "ihfft")))
_THEIRS = {name: getattr(torch.fft, name) for name in NAMES}
_OURS = {function: getattr(_functions, name) for name, function in _THEIRS.items()}


def _takes(x):
    """Whether swirl transforms such a tensor: any other goes to PyTorch."""
    return isinstance(x, torch.Tensor) and x.layout is torch.strided and x.device.type in ("cpu", "cuda", "meta") and (
        x.dtype in COMPONENT or not (x.is_floating_point() or x.is_complex()))


def _call(theirs, args, kwargs):
    x = args[0] if args else kwargs.get("input")
    if _takes(x):
        try:
            return _OURS[theirs](*args, **kwargs)
        except (Refused, TypeError):
            pass  # PyTorch says what is wrong, or knows better
    return theirs(*args, **kwargs)


class as_torch_fft(TorchFunctionMode):
    """Context manager: inside the block torch.fft's functions are swirl's, for this thread, in torch.compile too. Tensors that
    swirl does not transform go to PyTorch."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        return _call(func, args, kwargs) if func in _OURS else func(*args, **kwargs)


def _replacement(theirs):
    @functools.wraps(theirs)
    def function(*args, **kwargs):
        return _call(theirs, args, kwargs)

    return function


def enable():
    """Replaces the functions of torch.fft by swirl's, for all threads, until `disable`. Names that were imported from torch.fft
    before stay PyTorch's."""
    for name, theirs in _THEIRS.items():
        setattr(torch.fft, name, _replacement(theirs))


def disable():
    """Ends `enable`."""
    for name, theirs in _THEIRS.items():
        setattr(torch.fft, name, theirs)
