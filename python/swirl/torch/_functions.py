"""torch.fft's functions by swirl's transforms."""

import torch

from swirl.torch._arguments import RefusedCall, factor, one, several
from swirl.torch._kernels import COMPLEX, COMPONENT
from swirl.torch._known_calls import find, key_of, remember, run
from swirl.torch._operators import KERNELS, apply
from swirl.torch._plain import is_plain

_HALF = (torch.float16, torch.bfloat16)


def is_autocast(x):
    return (x.is_cpu or x.is_cuda) and torch.is_autocast_enabled(x.device.type)


def prepared(x, kind, pairs):
    """A tensor as its transform takes it: integers become PyTorch's default type, and half spectra complex.

    Returns:
        The tensor, its extents without that of pairs, and the component type of the result: that of x, but float32 under
        autocast, and for complex results of bfloat16 that are not pairs.
    """
    if not (x.dtype in COMPONENT):
        if x.is_floating_point() or x.is_complex():
            raise RefusedCall(f"Unsupported dtype {x.dtype}")
        x = x.to(torch.get_default_dtype())
    component = COMPONENT[x.dtype]
    result = component
    if component in _HALF and (is_autocast(x) or (component is torch.bfloat16 and kind != "c2r" and not pairs)):
        result = torch.float32
    if kind == "r2c" and x.is_complex():
        raise RefusedCall(f"Expected a real input tensor, but got {x.dtype}")
    if pairs and kind != "r2c":
        if x.is_complex() or x.dim() == 0 or x.shape[-1] != 2:
            raise RefusedCall("pairs of components are a real tensor whose last dimension has the length 2")
        return x, x.shape[:-1], result
    if kind == "c2r" and not x.is_complex():
        x = x.to(COMPLEX.get(component, torch.complex64))
    return x, x.shape, result


def in_one(kind, direction, x, n, dim, norm, out, pairs):
    return called(one, kind, direction, x, n, dim, norm, out, pairs)


def in_several(kind, direction, x, s, dim, norm, out, pairs):
    if isinstance(s, list):
        s = tuple(s)
    if isinstance(dim, list):
        dim = tuple(dim)
    return called(several, kind, direction, x, s, dim, norm, out, pairs)


def called(resolve, kind, direction, given, n, dim, norm, out, pairs):
    """A call, its arguments resolved by `one` or `several` unless they were before."""
    may_be_known = not torch.compiler.is_compiling() and out is None and is_plain(given)
    if may_be_known:
        key = key_of(given, resolve, kind, direction, n, dim, norm, pairs)
        call = find(key)
        if call is not None:
            result = run(call, given)
            if result is not None:
                return result
    x, shape, component = prepared(given, kind, pairs)
    lengths, dims = resolve(shape, n, dim, kind == "c2r")
    if not dims:
        if kind != "c2c":
            raise RefusedCall("at least one dimension must be transformed")
        result = x.clone() if pairs or x.is_complex() else x.to(COMPLEX[component])
        return result if out is None else copied(result, out)
    forward, scaled = direction == "forward", factor(norm, direction)
    if may_be_known and x is given and not (component is torch.float32 and is_autocast(x)):
        remember(key, kind, direction, x, lengths, dims, scaled, component, pairs)
    if out is None:
        return apply(kind, x, lengths, dims, scaled, forward, False, pairs, component)
    if takes_result(out, kind, x, lengths, dims, component, pairs):
        return KERNELS[kind](x, lengths, dims, scaled, forward, False, pairs, component, out)
    return copied(apply(kind, x, lengths, dims, scaled, forward, False, pairs, component), out)


def takes_result(out, kind, x, lengths, dims, component, pairs):
    """Whether a kernel may write to `out`: a plain tensor of the result's shape and type, in other memory than x."""
    if torch.compiler.is_compiling() or not (is_plain(x) and is_plain(out)):
        return False
    if x.is_conj() or x.is_neg() or out.is_conj() or out.is_neg() or out.device != x.device:
        return False
    if out.untyped_storage().data_ptr() == x.untyped_storage().data_ptr():
        return False
    shape = list(x.shape[:-1] if pairs and kind != "r2c" else x.shape)
    for length, d in zip(lengths, dims):
        shape[d] = length
    if kind == "r2c":
        shape[dims[-1]] = lengths[-1] // 2 + 1
    if kind == "c2r" or not pairs:
        return list(out.shape) == shape and out.dtype == (component if kind == "c2r" else COMPLEX[component])
    return list(out.shape) == [*shape, 2] and out.dtype == component and out.stride(-1) == 1 and (
        all(stride % 2 == 0 for stride in out.stride()[:-1]))


def copied(result, out):
    """The result in a tensor of another type or shape, by PyTorch's rules."""
    if not torch.can_cast(result.dtype, out.dtype):
        raise RefusedCall(f"result type {result.dtype} can't be cast to the desired output type {out.dtype}")
    if out.shape != result.shape:
        out.resize_(result.shape)
    return out.copy_(result)


def fft(input, n=None, dim=-1, norm=None, *, out=None, pairs=False):
    """Discrete Fourier transform along one dimension: y[k] = Σ x[j]·exp(−2πi·jk/n). Arguments and results as torch.fft.fft.

    Args:
        input: Real or complex tensor of any strides, on the CPU or a GPU. Integers become PyTorch's default type.
        n: Length: the dimension is cropped or padded with zeros. None for its own length.
        dim: The dimension.
        norm: "backward" (None), "ortho" or "forward": no factor here, 1/√n, or 1/n.
        out: Tensor for the result, of any strides.
        pairs: Complex data are real tensors with one more dimension, of the real and the imaginary component, as
            torch.view_as_real has them. `dim` does not count it. So bfloat16 has complex results.

    Returns:
        Complex tensor of the input's shape, with length n along the dimension. Its components have the input's type; float32
        for bfloat16 without `pairs`, and for 16-bit types under autocast.

    Raises:
        RuntimeError: n is below 1, or a type or `norm` is invalid.
        IndexError: There is no such dimension.
        swirl.Unavailable: The GPU or its driver cannot run swirl's kernels.
    """
    return in_one("c2c", "forward", input, n, dim, norm, out, pairs)


def ifft(input, n=None, dim=-1, norm=None, *, out=None, pairs=False):
    """Inverse of `fft`, with the factor 1/n unless `norm` says otherwise. Arguments, results and errors as for `fft`."""
    return in_one("c2c", "backward", input, n, dim, norm, out, pairs)


def rfft(input, n=None, dim=-1, norm=None, *, out=None, pairs=False):
    """The first n//2+1 entries of `fft` of a real tensor; with `pairs` the result are pairs. Else as `fft`."""
    return in_one("r2c", "forward", input, n, dim, norm, out, pairs)


def irfft(input, n=None, dim=-1, norm=None, *, out=None, pairs=False):
    """Inverse of `rfft`: n//2+1 entries to n reals; n is 2·(length − 1) by default. With `pairs` the input are pairs."""
    return in_one("c2r", "backward", input, n, dim, norm, out, pairs)


def hfft(input, n=None, dim=-1, norm=None, *, out=None, pairs=False):
    """`fft` of a Hermitian sequence, given by its first n//2+1 entries: n reals. Else as `irfft`."""
    return in_one("c2r", "forward", input, n, dim, norm, out, pairs)


def ihfft(input, n=None, dim=-1, norm=None, *, out=None, pairs=False):
    """Inverse of `hfft`: the first n//2+1 entries of `ifft` of a real tensor. Else as `rfft`."""
    return in_one("r2c", "backward", input, n, dim, norm, out, pairs)


def fftn(input, s=None, dim=None, norm=None, *, out=None, pairs=False):
    """`fft` along several dimensions.

    Args:
        s: Lengths, one for each dimension; −1 for its own. The last dimensions without `dim`.
        dim: The dimensions, distinct. All of them by default.
        input, norm, out, pairs: As for `fft`; n is the product of the lengths.

    Returns:
        As `fft`.

    Raises:
        RuntimeError: Dimensions repeat, `s` and `dim` have different lengths; and as for `fft`.
    """
    return in_several("c2c", "forward", input, s, dim, norm, out, pairs)


def ifftn(input, s=None, dim=None, norm=None, *, out=None, pairs=False):
    """Inverse of `fftn`."""
    return in_several("c2c", "backward", input, s, dim, norm, out, pairs)


def rfftn(input, s=None, dim=None, norm=None, *, out=None, pairs=False):
    """`fftn` of a real tensor, with the first n//2+1 entries along the last of the dimensions."""
    return in_several("r2c", "forward", input, s, dim, norm, out, pairs)


def irfftn(input, s=None, dim=None, norm=None, *, out=None, pairs=False):
    """Inverse of `rfftn`. `s` are the lengths of the real result; the last is 2·(length − 1) by default."""
    return in_several("c2r", "backward", input, s, dim, norm, out, pairs)


def hfftn(input, s=None, dim=None, norm=None, *, out=None, pairs=False):
    """`fftn` of Hermitian data, given by the first n//2+1 entries along the last of the dimensions: reals."""
    return in_several("c2r", "forward", input, s, dim, norm, out, pairs)


def ihfftn(input, s=None, dim=None, norm=None, *, out=None, pairs=False):
    """Inverse of `hfftn`."""
    return in_several("r2c", "backward", input, s, dim, norm, out, pairs)


def fft2(input, s=None, dim=(-2, -1), norm=None, *, out=None, pairs=False):
    """`fftn` along two dimensions."""
    return in_several("c2c", "forward", input, s, dim, norm, out, pairs)


def ifft2(input, s=None, dim=(-2, -1), norm=None, *, out=None, pairs=False):
    """`ifftn` along two dimensions."""
    return in_several("c2c", "backward", input, s, dim, norm, out, pairs)


def rfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None, pairs=False):
    """`rfftn` along two dimensions."""
    return in_several("r2c", "forward", input, s, dim, norm, out, pairs)


def irfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None, pairs=False):
    """`irfftn` along two dimensions."""
    return in_several("c2r", "backward", input, s, dim, norm, out, pairs)


def hfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None, pairs=False):
    """`hfftn` along two dimensions."""
    return in_several("c2r", "forward", input, s, dim, norm, out, pairs)


def ihfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None, pairs=False):
    """`ihfftn` along two dimensions."""
    return in_several("r2c", "backward", input, s, dim, norm, out, pairs)
