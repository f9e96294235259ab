"""Which tensors need nothing but their memory transformed.

PyTorch's dispatcher takes longer than a small transform, so calls that nothing observes go to the kernels directly. Observers
are autograd, forward-mode differentiation, functorch's transforms, dispatch modes (fake tensors among them), tracing and
compilation. Some of them have no public question; where this version of PyTorch lacks the one asked here, every call takes
the dispatcher."""

import torch
from torch.autograd import forward_ad

try:
    _transforms, _modes = torch._C._functorch.maybe_current_level, torch._C._len_torch_dispatch_stack
    forward_ad._current_level
    _transforms(), _modes()
    _can_ask = True
except AttributeError:
    _can_ask = False

_Tensor, _strided = torch.Tensor, torch.strided
_is_grad_enabled, _is_tracing = torch.is_grad_enabled, torch.jit.is_tracing


def is_unobserved():
    """Whether nothing but autograd can observe a call with ordinary tensors. Not to be asked while compiling."""
    return _can_ask and _modes() == 0 and _transforms() is None and forward_ad._current_level < 0 and not _is_tracing()


def are_transforms_active():
    """Whether functorch's transforms, vmap and torch.func.grad among them, are; also if that cannot be known."""
    return not _can_ask or _transforms() is not None


def is_plain(x):
    """Whether nothing observes what is done to a tensor, and it has memory of its own."""
    if not (type(x) is _Tensor and not (x.requires_grad and _is_grad_enabled()) and x.layout is _strided and
            (x.is_cpu or x.is_cuda) and is_unobserved()):
        return False
    try:
        x.data_ptr()
    except RuntimeError:  # a batch of tensors, or another wrapper
        return False
    return True
