"""Matrix products: the operator swirl::matmul, with derivatives, fake tensors and vmap.

Its operands may be conjugated as they are read, so conjugate transposes, as derivatives have them, are not copied."""

import torch

from swirl import _core
from swirl.torch._bilinear import Bilinear
from swirl.torch._kernels import execution

_multiply = _core.multiply_memory
_TYPES = {getattr(torch, name): _core.data_types[name] for name in (
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128")}


def matmul(input, other, *, out=None):
    """The product of two matrices, or of stacks of matrices, by the rules of torch.matmul.

    Args:
        input: Tensor (…, m, k), or (k,): float16, bfloat16, float32, float64, complex64 or complex128, of any strides.
        other: Tensor (…, k, n), or (k,), of the same type. 16-bit types have float32 accumulators.
        out: Tensor for the result.

    Returns:
        Tensor (…, m, n), without the dimensions that one-dimensional operands lack. Under autocast its type is autocast's.

    Raises:
        RuntimeError: Types differ or are others, extents do not fit together.
    """
    if input.dim() == 0 or other.dim() == 0:
        raise RuntimeError("both arguments to matmul need to be at least 1D")
    kind = input.device.type
    if torch.is_autocast_enabled(kind):
        dtype = torch.get_autocast_dtype(kind)
        input, other = (x.to(dtype) if x.is_floating_point() and x.dtype != torch.float64 else x for x in (input, other))
    a, b = (input[None] if input.dim() == 1 else input), (other[:, None] if other.dim() == 1 else other)
    result = multiply(a, b, False, False)
    if other.dim() == 1:
        result = result.squeeze(-1)
    if input.dim() == 1:
        result = result.squeeze(-1 if other.dim() == 1 else -2)
    if out is None:
        return result
    if out.shape != result.shape:
        out.resize_(result.shape)
    return out.copy_(result)


def compute(a, b, conj_a, conj_b):
    """The product of plain matrices."""
    if a.is_conj():
        a, conj_a = a.conj(), not conj_a
    if b.is_conj():
        b, conj_b = b.conj(), not conj_b
    return product(a.resolve_neg(), b.resolve_neg(), conj_a, conj_b)


def result_shape(a, b, *_):
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected both matrices to have the same dtype, but got {a.dtype} and {b.dtype}")
    if a.dtype not in _TYPES:
        raise RuntimeError(f"swirl multiplies no matrices of {a.dtype}")
    if a.device != b.device:
        raise RuntimeError(f"expected both matrices on the same device, but got {a.device} and {b.device}")
    if a.shape[-1] != b.shape[-2]:
        raise RuntimeError(f"matrices of shapes {tuple(a.shape)} and {tuple(b.shape)} do not fit together")
    return [*stack_shape(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1]]


def stack_shape(a, b):
    """What two shapes broadcast to."""
    if len(a) < len(b):
        a, b = b, a
    shape = list(a)
    for k in range(-len(b), 0):
        if b[k] != 1 and a[k] != b[k]:
            if a[k] != 1:
                raise RuntimeError(f"shapes {tuple(a)} and {tuple(b)} do not fit together")
            shape[k] = b[k]
    return shape


def product(a, b, conj_a, conj_b):
    """Of tensors with memory."""
    shape = result_shape(a, b)
    strides, elements = [], 1
    for n in reversed(shape):
        strides.append(elements)
        elements *= n
    strides.reverse()
    result = torch.empty_strided(shape, strides, dtype=a.dtype, device=a.device)  # the cheapest way to a new tensor
    if elements == 0:
        return result
    if a.shape[-1] == 0:
        return result.zero_()
    _multiply(_TYPES[a.dtype], a.data_ptr(), a.shape, a.stride(), conj_a and a.is_complex(), b.data_ptr(), b.shape, b.stride(),
              conj_b and b.is_complex(), result.data_ptr(), *execution(a))
    return result


def gradients(g, a, b, conj_a, conj_b, of_a, of_b):
    """What the gradient of a product makes of those of its operands."""
    to_a = multiply(g, b.mT, conj_a, conj_b if conj_a else not conj_b).sum_to_size(a.shape) if of_a else None
    to_b = multiply(a.mT, g, conj_a if conj_b else not conj_a, conj_b).sum_to_size(b.shape) if of_b else None
    return to_a, to_b


def aligned(x, dim, dimensions):
    """A batch of matrices, or of stacks of them, with the batch in front of `dimensions` others."""
    if dim is None:
        return x
    x = x.movedim(dim, 0)
    return x.reshape(x.shape[0], *[1] * (dimensions - x.dim() + 1), *x.shape[1:])


def batched(in_dims, a, b, *others):
    dimensions = max(x.dim() - (dim is not None) for x, dim in zip((a, b), in_dims))
    return aligned(a, in_dims[0], dimensions), aligned(b, in_dims[1], dimensions), *others


#: The product of matrices, or of their conjugates: multiply(a, b, conj_a, conj_b).
multiply = Bilinear("matmul", "(Tensor a, Tensor b, bool conj_a, bool conj_b) -> Tensor", 2, compute=compute, of_memory=product,
                    result_shape=result_shape, gradients=gradients, batched=batched)
