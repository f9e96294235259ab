"""Transforms of tensors with memory, by swirl's plans: out of place, without autograd. All arguments are resolved.

A complex tensor of component type bfloat16, which PyTorch lacks, is a real tensor with one more dimension, of the real and the
imaginary component: `pairs`. Other types may be given so, too."""

import torch

from swirl import _core

_transform = _core.transform_memory
NUMBER = {getattr(torch, name): number for name, number in _core.data_types.items() if hasattr(torch, name)}
NUMBER_OF_PAIRS = {component: _core.data_types[name] for component, name in (
    (torch.float16, "complex32"), (torch.bfloat16, "complex_bfloat16"), (torch.float32, "complex64"),
    (torch.float64, "complex128"))}
COMPLEX = {torch.float16: torch.complex32, torch.float32: torch.complex64, torch.float64: torch.complex128}
COMPONENT = {complex: real for real, complex in COMPLEX.items()} | {
    real: real for real in (torch.float16, torch.bfloat16, torch.float32, torch.float64)}
FUNCTION = {("c2c", "forward"): _core.FFT, ("c2c", "backward"): _core.IFFT, ("r2c", "forward"): _core.RFFT,
            ("r2c", "backward"): _core.IHFFT, ("c2r", "forward"): _core.HFFT, ("c2r", "backward"): _core.IRFFT}
_empty, _threads = torch.empty, torch.get_num_threads


def empty_result(x, shape, component, is_complex, pairs):
    """A contiguous tensor for a result of this shape: complex, pairs, or real."""
    if not is_complex:
        return x.new_empty(shape, dtype=component)
    if pairs:
        return x.new_empty((*shape, 2), dtype=component)
    return x.new_empty(shape, dtype=COMPLEX[component])


def c2c(x, n, dim, scaled, forward, weighted, pairs, dtype, out=None, factor=None):
    """Complex spectrum of a complex or a real tensor. `scaled`: 0, 1 or 2 for no factor, 1/√n or 1/n; `forward`: the sign of the
    exponent is −; `weighted` means nothing here; `dtype`: component type of the result.
    `factor`: None, or address, axes and conjugation of a complex tensor that multiplies the result."""
    if not pairs and not x.is_complex() and (x.is_cuda or x.element_size() == 2):
        x = resized(x, n, dim).contiguous()
        if x.data_ptr() % (2 * x.element_size()):
            x = x.clone()  # the plan's input is complex
    return run("c2c", forward, x, n, dim, scaled, False, pairs, dtype, n[-1], True, out, factor)


def r2c(x, n, dim, scaled, forward, weighted, pairs, dtype, out=None, factor=None):
    """The first n//2+1 entries of the spectrum of a real tensor along the last of the dimensions. `weighted`: those that stand for
    themselves and for their mirror image are doubled."""
    return run("r2c", forward, x, n, dim, scaled, weighted, pairs, dtype, n[-1] // 2 + 1, True, out, factor)


def c2r(x, n, dim, scaled, forward, weighted, pairs, dtype, out=None):
    """A real tensor by such entries. `weighted`: they are halved first."""
    return run("c2r", forward, x, n, dim, scaled, weighted, pairs, dtype, n[-1], False, out)


def resized(x, n, dim):
    """x, cropped or padded with zeros to lengths n."""
    for length, d in zip(n, dim):
        if x.shape[d] > length:
            x = x.narrow(d, 0, length)
        elif x.shape[d] < length:
            x = torch.nn.functional.pad(x, [0, 0] * (x.dim() - 1 - d) + [0, length - x.shape[d]])
    return x


def run(kind, forward, x, n, dim, scaled, weighted, pairs, dtype, last, gives_complex, out, factor=None, window=None):
    # A half spectrum is complex, and pairs are on each complex side.
    takes_pairs = pairs and kind != "r2c"
    if takes_pairs:
        strides = x.stride()
        if strides[-1] != 1 or any(stride % 2 for stride in strides[:-1]) or x.data_ptr() % (2 * x.element_size()):
            x = x.clone(memory_format=torch.contiguous_format)
            strides = x.stride()
        shape, strides = tuple(x.shape)[:-1], tuple(stride // 2 for stride in strides[:-1])
        number = NUMBER_OF_PAIRS[x.dtype]
    else:
        shape, strides, number = x.shape, x.stride(), NUMBER[x.dtype]
        if x.is_cuda and not x.is_complex() and x.data_ptr() % (2 * x.element_size()):
            x = x.clone()  # kernels of GPUs load real elements in pairs
            strides = x.stride()
    if out is None:
        result_shape = list(shape)
        for length, d in zip(n, dim):
            result_shape[d] = length
        result_shape[dim[-1]] = last
        out = empty_result(x, result_shape, dtype, gives_complex, pairs)
    out_strides = out.stride()
    if gives_complex and pairs:
        out_strides = tuple(stride // 2 for stride in out_strides[:-1])
    if out.numel() == 0:
        return out
    _transform(FUNCTION[kind, "forward" if forward else "backward"], scaled, weighted, x.data_ptr(), number, shape,
               strides, tuple(n), tuple(dim), out.data_ptr(), NUMBER[dtype], out_strides, factor, *execution(x), window)
    return out


#: The address of a device's current stream, without the object around it, which costs more than a small kernel.
_raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (lambda index: torch.cuda.current_stream(index).cuda_stream)
#: What torch.cuda's functions ask once CUDA is initialised, as it is where a tensor is on a GPU.
_current_device = getattr(torch._C, "_cuda_getDevice", torch.cuda.current_device)
_is_capturing = getattr(torch._C, "_cuda_isCurrentStreamCapturing", torch.cuda.is_current_stream_capturing)
_on_cpu = (-1, 0, False, None)
_workspaces = {}


def execution(x):
    """Where a call with a tensor runs, as swirl._core's functions take it: threads, GPU, stream, whether a graph captures the
    stream, and what makes workspace there."""
    if not x.is_cuda:
        return (_threads(), *_on_cpu)
    index = x.get_device()
    if index == _current_device():
        is_capturing = _is_capturing()
    else:
        with torch.cuda.device(index):
            is_capturing = _is_capturing()
    return 1, index, _raw_stream(index), is_capturing, _workspaces.get(index) or _workspace_of(index)


def _workspace_of(index):
    _workspaces[index] = lambda size: _empty(size, dtype=torch.uint8, device=index)
    return _workspaces[index]
