"""Operators of PyTorch that are linear in each of two tensors, with derivatives, fake tensors and vmap."""

import torch
from torch.library import define, impl, register_autograd, register_fake, register_vmap

from swirl.torch._plain import are_transforms_active, is_plain


class Bilinear:
    """The operator swirl::`name` of two tensors and other arguments.

    Args:
        schema: Its arguments and result, as torch.library writes them.
        others: How many arguments follow the tensors.
        compute: Of plain tensors, which may be conjugated or negated lazily.
        of_memory: Of tensors with memory, resolved.
        result_shape: Extents of the result.
        result_type: Its data type; None for that of the first tensor.
        gradients: Those of the tensors, by that of the result, all arguments, and which are wanted.
        batched: Arguments of a batch, which is dimension 0 of the result, by its dimensions in both tensors and the arguments.
    """

    def __init__(self, name, schema, others, *, compute, of_memory, result_shape, gradients, batched,
                 result_type=None):
        self._compute = compute
        nones = (None,) * others

        def remember(ctx, inputs, output):
            a, b, *ctx.arguments = inputs
            ctx.save_for_backward(a, b)

        def both_gradients(ctx, g):
            return *gradients(g, *ctx.saved_tensors, *ctx.arguments, *ctx.needs_input_grad[:2]), *nones

        class Observed(torch.autograd.Function):
            """A call that autograd or forward-mode differentiation observe."""

            @staticmethod
            def forward(ctx, *arguments):
                UnderTransforms.setup_context(ctx, arguments, None)
                return UnderTransforms.forward(*arguments)

            backward = staticmethod(both_gradients)

            @staticmethod
            def jvp(ctx, a_tangent, b_tangent, *_):
                a, b = ctx.saved_tensors
                terms = []
                if a_tangent is not None:
                    terms.append(self(a_tangent, b, *ctx.arguments))
                if b_tangent is not None:
                    terms.append(self(a, b_tangent, *ctx.arguments))
                return sum(terms[1:], terms[0])

        class UnderTransforms(Observed):
            """One that functorch observes. Its form costs more: PyTorch inspects the signature in each call."""

            @staticmethod
            def forward(a, b, *arguments):
                return (self if is_plain(a) and is_plain(b) else self._operator)(a, b, *arguments)

            @staticmethod
            def setup_context(ctx, inputs, output):
                remember(ctx, inputs, output)
                ctx.save_for_forward(*inputs[:2])

            @staticmethod
            def vmap(info, in_dims, *arguments):
                return self(*batched(in_dims, *arguments)), 0

        self._observed, self._under_transforms = Observed.apply, UnderTransforms.apply
        full_name = f"swirl::{name}"
        define(full_name, schema, tags=torch.Tag.pt2_compliant_tag)

        @impl(full_name, ("cpu", "cuda"))
        def on_memory(*arguments):
            return of_memory(*arguments)

        @register_fake(full_name)
        def fake(a, b, *arguments):
            dtype = result_type(a, b, *arguments) if result_type else a.dtype
            return a.new_empty(result_shape(a, b, *arguments), dtype=dtype)

        register_autograd(full_name, both_gradients, setup_context=remember)

        @register_vmap(full_name)
        def vmap(info, in_dims, *arguments):
            return self._operator(*batched(in_dims, *arguments)), 0

        self._operator = getattr(torch.ops.swirl, name).default

    def __call__(self, a, b, *arguments):
        """The result, with whatever observes it."""
        if torch.compiler.is_compiling():
            return self._operator(a, b, *arguments)
        if is_plain(a) and is_plain(b):
            return self._compute(a, b, *arguments)
        return (self._under_transforms if are_transforms_active() else self._observed)(a, b, *arguments)
