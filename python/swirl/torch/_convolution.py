"""Convolutions by transforms: the operator swirl::filter, with derivatives, fake tensors and vmap.

The product with the kernel's spectrum is part of the forward transform's last pass, so it costs no sweep over memory."""

import torch

from swirl.fft import next_fast_len
from swirl.torch import _kernels
from swirl.torch._arguments import RefusedCall, dimension
from swirl.torch._bilinear import Bilinear
from swirl.torch._kernels import COMPLEX, COMPONENT
from swirl.torch._operators import apply
from swirl.torch._products import stack_shape

_HALF = (torch.float16, torch.bfloat16)


def fft_convolve(signal, kernel, mode="full", dim=-1):
    """Convolution of a signal with a kernel along one or several dimensions, by transforms: y[k] = Σ signal[k − j]·kernel[j].

    Args:
        signal: Real or complex tensor, of 16-bit types, too.
        kernel: Tensor of the same kind, real or complex, as many dimensions; other dimensions than `dim` broadcast.
        mode: "full": all of the result, of length signal + kernel − 1. "same": the middle part, of the signal's length.
            "valid": the part where the kernel lies within the signal.
        dim: A dimension, or several.

    Returns:
        Tensor of the signal's type, float32 for spectra and sums of 16-bit types.

    Raises:
        RuntimeError: Kinds or dimensions differ, a length is 0, `mode` is none of these, or the kernel is longer than the
            signal with "valid".
    """
    if mode not in ("full", "same", "valid"):
        raise RefusedCall(f"mode is {mode!r}; it can be 'full', 'same' or 'valid'")
    if signal.is_complex() != kernel.is_complex() or signal.dim() != kernel.dim():
        raise RefusedCall("signal and kernel must both be real or both be complex, and have as many dimensions")
    dims = [dimension(d, signal.dim()) for d in ((dim,) if isinstance(dim, int) else dim)]
    starts, lengths, n = [], [], []
    for d in dims:
        long, short = signal.shape[d], kernel.shape[d]
        if long < 1 or short < 1:
            raise RefusedCall("signal and kernel must have elements")
        if mode == "valid" and short > long:
            raise RefusedCall(f"a kernel of length {short} does not lie within a signal of length {long}")
        starts.append({"full": 0, "same": (short - 1) // 2, "valid": short - 1}[mode])
        lengths.append({"full": long + short - 1, "same": long, "valid": long - short + 1}[mode])
        n.append(fast_length(long + short - 1, not signal.is_complex()))
    component = COMPONENT[kernel.dtype]
    spectrum = apply("c2c" if kernel.is_complex() else "r2c", kernel, n, dims, 0, True, False, False,
                     torch.float32 if component in _HALF else component)
    result = filter(signal, spectrum, n, dims, False)
    for d, start, length in zip(dims, starts, lengths):
        result = result.narrow(d, start, length)
    return result


def fast_length(n, is_real):
    return n if isinstance(n, torch.SymInt) else next_fast_len(n, is_real)


def compute(x, spectrum, n, dim, conj):
    """Of plain tensors."""
    return of_memory(x.resolve_conj().resolve_neg(), spectrum.resolve_conj().resolve_neg(), n, dim, conj)


def shapes(x, spectrum, n, dim):
    """Extents of the result, and those of its spectrum."""
    shape, of_spectrum = list(x.shape), list(spectrum.shape)
    if len(shape) != len(of_spectrum):
        raise RefusedCall("signal and spectrum must have as many dimensions")
    for length, d in zip(n, dim):
        shape[d] = length
    half = list(shape)
    if not x.is_complex():
        half[dim[-1]] = n[-1] // 2 + 1
    if any(of_spectrum[d] != half[d] for d in dim):
        raise RefusedCall(f"a spectrum of shape {tuple(of_spectrum)} is not one of lengths {tuple(n)}")
    return stack_shape(shape, [1 if d in dim else length for d, length in enumerate(of_spectrum)]), stack_shape(half, of_spectrum)


def of_memory(x, spectrum, n, dim, conj):
    """Of tensors with memory."""
    kind, back = ("c2c", "c2c") if x.is_complex() else ("r2c", "c2r")
    component = COMPONENT[x.dtype]
    wide = torch.float32 if component in _HALF else component
    shape, half = shapes(x, spectrum, n, dim)
    x = x.expand([x.shape[d] if d in dim else length for d, length in enumerate(shape)])
    spectrum = spectrum.to(COMPLEX[wide]).contiguous()
    axes = tuple(d for d, length in enumerate(spectrum.shape) if length > 1 or d in dim)
    product = getattr(_kernels, kind)(x, n, dim, 0, True, False, False, wide, None, (spectrum.data_ptr(), axes, conj))
    return getattr(_kernels, back)(product, n, dim, 2, False, False, False, component)


def gradients(g, x, spectrum, n, dim, conj, of_x, of_spectrum):
    """What the gradient of the result makes of those of x and the spectrum."""
    to_x = to_spectrum = None
    if of_x:
        to_x = filter(g, spectrum, n, dim, not conj)
        to_x = _kernels.resized(to_x, [x.shape[d] for d in dim], dim).sum_to_size(x.shape)
    if of_spectrum:
        kind = "c2c" if x.is_complex() else "r2c"
        component = COMPONENT[spectrum.dtype]
        of_result = apply(kind, g, n, dim, 2, True, kind == "r2c", False, component)
        of_input = apply(kind, x, n, dim, 0, True, False, False, component)
        to_spectrum = (of_result.conj() * of_input if conj else of_result * of_input.conj()).sum_to_size(spectrum.shape)
    return to_x, to_spectrum


def result_shape(x, spectrum, n, dim, conj):
    return shapes(x, spectrum, n, dim)[0]


def batched(in_dims, x, spectrum, n, dim, conj):
    x, spectrum = (t[None] if d is None else t.movedim(d, 0) for t, d in zip((x, spectrum), in_dims))
    return x, spectrum, n, [d + 1 for d in dim], conj


#: filter(x, spectrum, n, dim, conj): the inverse transform of the product of a spectrum, or its conjugate, with the transform of
#: x, padded to lengths n: the circular convolution, without a factor but the inverse transform's 1/n. `spectrum` is complex, a
#: half one if x is real, and broadcasts along other dimensions.
filter = Bilinear("filter", "(Tensor x, Tensor spectrum, SymInt[] n, int[] dim, bool conj) -> Tensor", 3, compute=compute,
                  of_memory=of_memory, result_shape=result_shape, gradients=gradients, batched=batched)
