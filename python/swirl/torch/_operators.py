"""The transforms as operators of PyTorch: swirl::c2c, swirl::r2c and swirl::c2r, with derivatives, fake tensors and vmap.

They are linear, and the family is closed under adjoints: that of c2c has the other sign; that of r2c is c2r with halved entries,
or without if those of r2c are doubled. So derivatives of any order are transforms, too. Cropping and padding are each other's
adjoints."""

import torch
from torch import Tensor
from torch.library import define, impl, register_autograd, register_fake, register_vmap

from swirl.torch import _kernels
from swirl.torch._kernels import COMPLEX, COMPONENT, resized
from swirl.torch._plain import are_transforms_active, is_plain

_ARGUMENTS = "Tensor x, SymInt[] n, int[] dim, int scaled, bool forward, bool weighted, bool pairs, ScalarType dtype"


KERNELS = {"c2c": _kernels.c2c, "r2c": _kernels.r2c, "c2r": _kernels.c2r}
ADJOINT = {"c2c": "c2c", "r2c": "c2r", "c2r": "r2c"}


def apply(kind, x, n, dim, scaled, forward, weighted, pairs, dtype):
    """A transform, with whatever observes it.

    Args:
        kind: "c2c", "r2c" or "c2r": of complex or real tensors to their spectra, of real ones to half spectra, and back.
        x: Tensor of any strides. Complex data of a tensor of real type are `pairs` in one more dimension.
        n, dim: Lengths and dimensions, counted from 0, the last of which is that of a half spectrum. x is cropped or padded.
        scaled: 0, 1 or 2: no factor, 1/√(product of n), or its square.
        forward: Whether the exponent's sign is −.
        weighted: Whether entries of a half spectrum that stand for their mirror image, too, are doubled (r2c) or halved (c2r).
        pairs: Whether complex sides are such pairs.
        dtype: Component type of the result.

    Returns:
        A contiguous tensor.
    """
    if torch.compiler.is_compiling():
        return _operator[kind](x, n, dim, scaled, forward, weighted, pairs, dtype)
    if is_plain(x):
        if x.is_conj():
            x = x.resolve_conj()
        if x.is_neg():
            x = x.resolve_neg()
        return KERNELS[kind](x, n, dim, scaled, forward, weighted, pairs, dtype)
    function = UnderTransforms if are_transforms_active() else Linear
    return function.apply(x, kind, n, dim, scaled, forward, weighted, pairs, dtype)


def apply_adjoint(kind, g, x_shape, x_is_complex, x_component, n, dim, scaled, forward, weighted, pairs):
    """The adjoint of such a transform of a tensor of the given shape and type."""
    result = apply(ADJOINT[kind], g, list(n), dim, scaled, not forward, not weighted if kind != "c2c" else False, pairs, x_component)
    if kind == "c2c" and not x_is_complex and not pairs:
        result = result.real
    return resized(result, [x_shape[d] for d in dim], dim)


class Linear(torch.autograd.Function):
    """A transform that autograd or forward-mode differentiation observe."""

    @staticmethod
    def forward(ctx, x, *arguments):
        UnderTransforms.setup_context(ctx, (x, *arguments), None)
        return UnderTransforms.forward(x, *arguments)

    @staticmethod
    def backward(ctx, g):
        return apply_adjoint(ctx.kind, g, *ctx.x, *ctx.arguments), *[None] * 8

    @staticmethod
    def jvp(ctx, tangent, *others):
        return apply(ctx.kind, tangent, *ctx.arguments, ctx.dtype)


class UnderTransforms(Linear):
    """One that functorch observes. Its form costs more: PyTorch inspects the signature in each call."""

    @staticmethod
    def forward(x, kind, n, dim, scaled, forward, weighted, pairs, dtype):
        return (apply if is_plain(x) else _dispatched)(kind, x, n, dim, scaled, forward, weighted, pairs, dtype)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.kind, *ctx.arguments, ctx.dtype = inputs
        ctx.x = (x.shape, x.is_complex(), COMPONENT[x.dtype])

    @staticmethod
    def vmap(info, in_dims, x, kind, n, dim, *others):
        return apply(kind, x.movedim(in_dims[0], 0), n, [d + 1 for d in dim], *others), 0


def _dispatched(kind, *arguments):
    return _operator[kind](*arguments)


def _define(kind):
    name = f"swirl::{kind}"
    define(name, f"({_ARGUMENTS}) -> Tensor", tags=torch.Tag.pt2_compliant_tag)

    @impl(name, ("cpu", "cuda"))
    def of_memory(x, n, dim, scaled, forward, weighted, pairs, dtype):
        return KERNELS[kind](x, n, dim, scaled, forward, weighted, pairs, dtype)

    @register_fake(name)
    def fake(x, n, dim, scaled, forward, weighted, pairs, dtype):
        shape = list(x.shape[:-1] if pairs and kind != "r2c" else x.shape)
        for length, d in zip(n, dim):
            shape[d] = length
        if kind == "c2r":
            return x.new_empty(shape, dtype=dtype)
        if kind == "r2c":
            shape[dim[-1]] = n[-1] // 2 + 1
        return x.new_empty([*shape, 2], dtype=dtype) if pairs else x.new_empty(shape, dtype=COMPLEX[dtype])

    def setup_context(ctx, inputs, output):
        x, *ctx.arguments, dtype = inputs
        ctx.x = (x.shape, x.is_complex(), COMPONENT[x.dtype])

    def backward(ctx, g):
        return apply_adjoint(kind, g, *ctx.x, *ctx.arguments), *[None] * 7

    register_autograd(name, backward, setup_context=setup_context)

    @register_vmap(name)
    def vmap(info, in_dims, x, n, dim, *others):
        return _operator[kind](x.movedim(in_dims[0], 0), n, [d + 1 for d in dim], *others), 0

    return getattr(torch.ops.swirl, kind).default


_operator = {}
for _kind in KERNELS:
    _operator[_kind] = _define(_kind)
