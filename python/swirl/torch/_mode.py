"""swirl's functions in place of torch.fft's, torch.stft and torch.istft."""

import functools

import torch
from torch.overrides import TorchFunctionMode

from swirl.torch import _functions, _stft
from swirl.torch._arguments import Refused
from swirl.torch._kernels import COMPONENT

NAMES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", *(name + kind for kind in ("2", "n") for name in (
    "fft", "ifft", "rfft", "irfft", "hfft", "ihfft")))
_THEIRS = {name: getattr(torch.fft, name) for name in NAMES}
_OURS = {function: getattr(_functions, name) for name, function in _THEIRS.items()}
#: Of torch itself, and of its tensors.
_OF_TORCH = {name: getattr(torch, name) for name in ("stft", "istft")}
_OURS |= {function: getattr(_stft, name) for name, function in _OF_TORCH.items()}


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
    """Context manager: inside the block torch.fft's functions, torch.stft and torch.istft are swirl's, for this thread, in
    torch.compile too. Tensors that swirl does not transform go to PyTorch."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        return _call(func, args, kwargs) if func in _OURS else func(*args, **kwargs)


def _replacement(theirs):
    @functools.wraps(theirs)
    def function(*args, **kwargs):
        return _call(theirs, args, kwargs)

    return function


def enable():
    """Replaces torch.stft, torch.istft and the functions of torch.fft by swirl's, for all threads, until `disable`. Names that were
    imported before stay PyTorch's."""
    for module, functions in ((torch.fft, _THEIRS), (torch, _OF_TORCH)):
        for name, theirs in functions.items():
            setattr(module, name, _replacement(theirs))


def disable():
    """Ends `enable`."""
    for module, functions in ((torch.fft, _THEIRS), (torch, _OF_TORCH)):
        for name, theirs in functions.items():
            setattr(module, name, theirs)
