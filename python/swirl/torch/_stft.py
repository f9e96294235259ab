"""torch.stft and torch.istft: the operators swirl::stft and swirl::istft, each other's adjoints.

Frames are a loop of swirl's problem whose stride is the hop, over the signal where it is, and the window is part of the kernel."""

import warnings

import torch

from swirl.torch import _kernels
from swirl.torch._arguments import RefusedCall
from swirl.torch._bilinear import Bilinear
from swirl.torch._functions import fft, ifft
from swirl.torch._kernels import COMPLEX, COMPONENT
from swirl.torch._operators import apply
from swirl.torch._plain import is_plain

_PAD_MODES = ("reflect", "constant", "replicate", "circular")
#: Bytes of frames on a CPU that the inverse transform writes before it adds them up: they stay in the caches.
_CHUNK = 4 << 20


def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False, onesided=None,
         return_complex=None, align_to_window=None):
    """Short-time Fourier transform. Arguments and results as torch.stft.

    Args:
        input: Real or complex tensor (length) or (batch, length), on the CPU or a GPU; of 16-bit types computed in float32.
        n_fft: Length of a frame.
        hop_length: Samples from one frame to the next; None for n_fft // 4.
        win_length: Length of the window, in the middle of a frame; None for n_fft.
        window: Tensor of that length; None for ones.
        center: Whether the signal goes on for n_fft // 2 at both ends, so that frames are centred.
        pad_mode: How: "reflect", "constant" (zeros), "replicate" or "circular".
        normalized: Whether the factor is 1/√n_fft.
        onesided: The first n_fft // 2 + 1 entries of each spectrum alone; None: if signal and window are real.
        return_complex: True; or False for pairs of real numbers, PyTorch's deprecated form.
        align_to_window: Not supported but as None.

    Returns:
        Complex tensor (…, frequencies, frames), a view of memory in which frequencies are neighbours.

    Raises:
        RuntimeError: Lengths do not fit together, or an argument is invalid.
    """
    if align_to_window is not None:
        raise RefusedCall("stft: align_to_window is not supported")
    x = _signal(input, "stft")
    if x.dim() not in (1, 2):
        raise RefusedCall(f"stft: expected a 1D or 2D tensor, but got {x.dim()}D")
    hop_length, window = _arguments("stft", x, n_fft, hop_length, win_length, window)
    is_complex = x.is_complex() or window.is_complex()
    if onesided is None:
        onesided = not is_complex
    if onesided and is_complex:
        raise RefusedCall("stft: cannot have onesided output if window or input is complex")
    if return_complex is None:
        if not is_complex:
            raise RefusedCall("stft requires the return_complex parameter be given for real inputs, and will further require that "
                              "return_complex=True in a future PyTorch release.")
        return_complex = True
    pad = n_fft // 2 if center else 0
    if center and pad_mode not in _PAD_MODES:
        raise RefusedCall(f"stft: unrecognised padding mode {pad_mode}")
    if center and pad_mode in ("reflect", "circular") and pad >= x.shape[-1] + (pad_mode == "circular"):
        raise RefusedCall("stft: the padding should be less than the length of the input")
    length = x.shape[-1] + 2 * pad
    if n_fft > length:
        raise RefusedCall(f"stft: expected 0 < n_fft < {length}, but got n_fft={n_fft}")
    scaled = 1 if normalized else 0
    if x.is_complex() != (not onesided) or window.is_complex():
        frames = _padded(x, pad, pad, pad_mode).unfold(-1, n_fft, hop_length) * window
        result = fft(frames, norm="ortho" if normalized else None)
    elif pad and not torch.compiler.is_compiling() and is_plain(x) and is_plain(window):
        result = _in_parts(x.resolve_conj().resolve_neg(), window, n_fft, hop_length, pad, pad_mode, scaled)
    else:
        result = _stft(_padded(x, pad, pad, pad_mode), window, hop_length, scaled, True, False)
    result = result.transpose(-2, -1)
    return result if return_complex else torch.view_as_real(result)


def istft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None, length=None,
          return_complex=False):
    """Inverse of `stft`, by overlap-add. Arguments and results as torch.istft.

    Args:
        input: Complex tensor (frequencies, frames) or (batch, frequencies, frames).
        onesided: Whether these are half spectra; None: if there are fewer than n_fft frequencies.
        length: Of the signal; None for that of the frames without what `center` added.
        return_complex: Whether the signal is complex: not with half spectra.
        n_fft, hop_length, win_length, window, center, normalized: As of `stft`.

    Returns:
        The signal, (length) or (batch, length).

    Raises:
        RuntimeError: Lengths do not fit together, an argument is invalid, or the windows leave a sample out.
    """
    if not input.is_complex():
        raise RefusedCall("istft requires a complex-valued input tensor matching the output from stft with return_complex=True.")
    spectra = _signal(input, "istft")
    if spectra.dim() not in (2, 3) or spectra.numel() == 0:
        raise RefusedCall(f"istft: expected a tensor with 2 or 3 dimensions and elements, but got {tuple(input.shape)}")
    hop_length, window = _arguments("istft", spectra, n_fft, hop_length, win_length, window)
    bins, frames = spectra.shape[-2:]
    if onesided is None:
        onesided = bins != n_fft
    if bins != (n_fft // 2 + 1 if onesided else n_fft):
        raise RefusedCall(f"istft: expected the frequency dimension to match n_fft={n_fft}, but got {bins}")
    if hop_length > n_fft:
        raise RefusedCall(f"istft: expected 0 < hop_length <= {n_fft}, but got {hop_length}")
    if onesided and return_complex:
        raise RefusedCall("istft: complex results have no half spectra: use onesided=False")
    if window.is_complex() and not return_complex:
        raise RefusedCall("istft: windows are complex where results are: use return_complex=True")
    spectra, scaled = spectra.transpose(-2, -1), 1 if normalized else 2
    if not (onesided or return_complex):
        spectra, onesided = spectra[..., :n_fft // 2 + 1], True  # of real signals the rest is the mirror image
    if window.is_complex():
        signal = _overlap_add(ifft(spectra, norm="ortho" if normalized else None) * window, hop_length)
    else:
        signal = _istft(spectra, window, hop_length, scaled, False, False, onesided)
    envelope = _overlap_add((window * window).expand(frames, n_fft), hop_length)
    start = n_fft // 2 if center else 0
    whole = signal.shape[-1]
    end = start + length if length is not None else whole - start
    signal, envelope = signal[..., start:end], envelope[start:end]
    if not torch.compiler.is_compiling() and envelope.device.type != "meta" and not envelope.abs().min() > 1e-11:
        raise RefusedCall("istft: window overlap add min: the windows leave a sample out (NOLA)")
    signal = signal / envelope
    if end > whole:
        warnings.warn("The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
                      "Please check your center and hop_length settings.", stacklevel=2)
        signal = torch.nn.functional.pad(signal, [0, end - max(whole, start)])
    return signal


def _signal(x, name):
    if x.dtype in (torch.float16, torch.bfloat16):
        return x.float()
    if x.dtype is torch.complex32:
        return x.to(torch.complex64)
    if x.dtype in COMPONENT:
        return x
    if x.is_floating_point() or x.is_complex():
        raise RefusedCall(f"{name}: unsupported dtype {x.dtype}")
    raise RefusedCall(f"{name}: expected a tensor of floating point or complex values")


def _arguments(name, x, n_fft, hop_length, win_length, window):
    """The hop, and the window of length n_fft in the signal's type."""
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if n_fft <= 0:
        raise RefusedCall(f"{name}: expected n_fft > 0, but got {n_fft}")
    if hop_length <= 0:
        raise RefusedCall(f"{name}: expected hop_length > 0, but got {hop_length}")
    if not 0 < win_length <= n_fft:
        raise RefusedCall(f"{name}: expected 0 < win_length <= n_fft, but got win_length={win_length}")
    component = COMPONENT[x.dtype]
    if window is None:
        warnings.warn("A window was not provided. A rectangular window will be applied, which is known to cause spectral leakage. To "
                      "suppress this warning and use a rectangular window, explicitly set `window=torch.ones(win_length)`.", stacklevel=3)
        window = x.new_ones(win_length, dtype=component)
    if window.dim() != 1 or window.shape[0] != win_length:
        raise RefusedCall(f"{name}: expected a 1D window tensor of size equal to win_length={win_length}, but got window with size "
                          f"{tuple(window.shape)}")
    if window.device != x.device:
        raise RefusedCall(f"{name}: input and window must be on the same device")
    window = window.to(COMPLEX[component] if window.is_complex() else component)
    if win_length < n_fft:
        left = (n_fft - win_length) // 2
        window = torch.nn.functional.pad(window, [left, n_fft - win_length - left])
    return hop_length, window


def _padded(x, left, right, mode):
    if left == right == 0:
        return x
    return torch.nn.functional.pad(x.reshape(1, -1, x.shape[-1]), [left, right], mode).reshape(*x.shape[:-1], -1)


def _in_parts(x, window, n_fft, hop, pad, mode, scaled):
    """Of a plain padded signal: the frames within the signal where they are, the others in copies of the ends."""
    n = x.shape[-1]
    frames = (n + 2 * pad - n_fft) // hop + 1
    head = min(-(-pad // hop), frames)
    begin = head * hop - pad  # of the first frame within
    inner = min(max((n - n_fft - begin) // hop + 1, 0), frames - head)
    is_misaligned = x.is_cuda and not x.is_complex() and (x.data_ptr() + begin * x.element_size()) % (2 * x.element_size())
    if inner < 1 or is_misaligned or mode == "circular":
        return _stft(_padded(x, pad, pad, mode), window, hop, scaled, True, False)
    component = COMPONENT[x.dtype]
    bins = n_fft if x.is_complex() else n_fft // 2 + 1
    result = x.new_empty((*x.shape[:-1], frames, bins), dtype=COMPLEX[component])
    window = window.contiguous()

    def transform(part, first, count):
        _transformed(part.unfold(-1, n_fft, hop)[..., :count, :], window, scaled, True, False, result.narrow(-2, first, count))

    transform(x[..., begin:], head, inner)
    # An end has as many samples as its frames and the reflection of the padding need.
    width = min((head - 1) * hop + n_fft, n)
    transform(_padded(x[..., :width], pad, 0, mode), 0, head)
    if head + inner < frames:
        left = (head + inner) * hop - pad
        left = min(left, n - pad - 1)
        offset = (head + inner) * hop - pad - left
        transform(_padded(x[..., left:], 0, pad, mode)[..., offset:], head + inner, frames - head - inner)
    return result


def _transformed(frames, window, scaled, forward, weighted, out=None):
    """Spectra of frames with memory, multiplied by a contiguous window."""
    kind, n = "c2c" if frames.is_complex() else "r2c", window.shape[0]
    last = n if kind == "c2c" else n // 2 + 1
    return _kernels.run(kind, forward, frames, [n], [frames.dim() - 1], scaled, weighted, False, window.dtype, last, True, out,
                        window=(window.data_ptr(), True))


def _stft_of_memory(x, window, hop, scaled, forward, weighted):
    return _transformed(x.unfold(-1, window.shape[0], hop), window.contiguous(), scaled, forward, weighted)


def _istft_of_memory(spectra, window, hop, scaled, forward, weighted, onesided):
    n, component, window = window.shape[0], window.dtype, window.contiguous()
    frames = spectra.shape[-2]
    signal = spectra.new_zeros((*spectra.shape[:-2], (frames - 1) * hop + n), dtype=component if onesided else COMPLEX[component])

    def add(spectra, signal):
        kind = "c2r" if onesided else "c2c"
        samples = _kernels.run(kind, forward, spectra, [n], [spectra.dim() - 1], scaled, weighted, False, component, n, not onesided,
                               None, window=(window.data_ptr(), False))
        _add(signal, samples, hop)

    bytes_of_frame = n * signal.element_size()
    rows = spectra.shape[:-2].numel()
    if signal.is_cuda or rows * frames * bytes_of_frame <= _CHUNK or frames * bytes_of_frame < _CHUNK // 64:
        add(spectra, signal)
        return signal
    count = max(_CHUNK // bytes_of_frame, 1)
    # Longest first: rows of frames that stay in the caches, then parts of rows.
    flat, of_rows = spectra.reshape(-1, *spectra.shape[-2:]), signal.view(-1, signal.shape[-1])
    together = max(count // frames, 1)
    for row in range(0, rows, together):
        for frame in range(0, frames, count):
            add(flat[row:row + together, frame:frame + count], of_rows[row:row + together, frame * hop:])
    return signal


def _add(signal, frames, hop):
    """Adds frames to a signal, each `hop` samples after the one before."""
    count, n = frames.shape[-2:]
    for begin in range(0, n, hop):
        width = min(hop, n - begin)
        signal[..., begin:].unfold(-1, width, hop)[..., :count, :].add_(frames[..., begin:begin + width])


def _overlap_add(frames, hop):
    """The sum of frames, with derivatives."""
    count, n = frames.shape[-2:]
    length = (count - 1) * hop + n
    whole = torch.nn.functional.pad(frames, [0, -n % hop])
    parts = whole.unflatten(-1, (-1, hop))  # (…, count, parts, hop)
    number = parts.shape[-2]
    signal = sum(torch.nn.functional.pad(parts[..., p, :], [0, 0, p, number - 1 - p]) for p in range(number))
    return signal.flatten(-2)[..., :length]


def _framed_gradient(frames, others):
    """Of a real window, by what it multiplied and the gradient of the product."""
    product = frames.conj() * others
    product = product.real if product.is_complex() else product
    return product.sum_to_size(product.shape[-1])


def _gradients_of_stft(g, x, window, hop, scaled, forward, weighted, of_x, of_window):
    n, is_complex = window.shape[0], x.is_complex()
    to_x = to_window = None
    if of_x:
        to_x = _istft(g, window, hop, scaled, not forward, not weighted and not is_complex, not is_complex)
        to_x = torch.nn.functional.pad(to_x, [0, x.shape[-1] - to_x.shape[-1]])
    if of_window:
        back = apply("c2c" if is_complex else "c2r", g, [n], [g.dim() - 1], scaled, not forward, not weighted and not is_complex, False,
                     window.dtype)
        to_window = _framed_gradient(x.unfold(-1, n, hop), back)
    return to_x, to_window


def _gradients_of_istft(g, spectra, window, hop, scaled, forward, weighted, onesided, of_spectra, of_window):
    n = window.shape[0]
    to_spectra = to_window = None
    if of_spectra:
        to_spectra = _stft(g, window, hop, scaled, not forward, not weighted and onesided)
    if of_window:
        back = apply("c2r" if onesided else "c2c", spectra, [n], [spectra.dim() - 1], scaled, forward, weighted, False, window.dtype)
        to_window = _framed_gradient(back, g.unfold(-1, n, hop))
    return to_spectra, to_window


def _stft_shape(x, window, hop, scaled, forward, weighted):
    n = window.shape[0]
    return [*x.shape[:-1], (x.shape[-1] - n) // hop + 1, n if x.is_complex() else n // 2 + 1]


def _istft_shape(spectra, window, hop, scaled, forward, weighted, onesided):
    return [*spectra.shape[:-2], (spectra.shape[-2] - 1) * hop + window.shape[0]]


def _batched(in_dims, x, window, *others):
    if in_dims[1] is not None:
        raise RefusedCall("vmap over windows is not supported")
    return x.movedim(in_dims[0], 0), window, *others


_ARGUMENTS = "Tensor window, SymInt hop, int scaled, bool forward, bool weighted"


def _resolved(of_memory):
    return lambda x, window, *others: of_memory(x.resolve_conj().resolve_neg(), window.resolve_neg(), *others)


#: stft(x, window, hop, scaled, forward, weighted): spectra of the windowed frames of x, (…, frames, frequencies). The window is
#: real; other arguments are those of the transforms.
_stft = Bilinear("stft", f"(Tensor x, {_ARGUMENTS}) -> Tensor", 4, compute=_resolved(_stft_of_memory), of_memory=_stft_of_memory,
                 result_shape=_stft_shape, gradients=_gradients_of_stft, batched=_batched,
                 result_type=lambda x, window, *_: COMPLEX[window.dtype])
#: istft(spectra, window, hop, scaled, forward, weighted, onesided): the sum of the windowed inverse transforms.
_istft = Bilinear("istft", f"(Tensor spectra, {_ARGUMENTS}, bool onesided) -> Tensor", 5, compute=_resolved(_istft_of_memory),
                  of_memory=_istft_of_memory, result_shape=_istft_shape, gradients=_gradients_of_istft, batched=_batched,
                  result_type=lambda x, window, *others: window.dtype if others[-1] else COMPLEX[window.dtype])
