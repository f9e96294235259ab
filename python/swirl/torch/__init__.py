"""swirl's transforms and products for PyTorch's tensors, on CPUs and GPUs.

    import swirl.torch

    spectrum = swirl.torch.rfft(signal)       # torch.fft's functions, with its arguments; 16-bit types at any length
    with swirl.torch.as_torch_fft():          # torch.fft's own functions are swirl's inside the block
        model(batch)

All functions have derivatives of any order, forward-mode ones too, and work in torch.compile, vmap, CUDA graphs and on any
stream. The first call of given extents, strides and types plans; later ones find the plan."""

from swirl.torch._convolution import fft_convolve
from swirl.torch._functions import (fft, fft2, fftn, hfft, hfft2, hfftn, ifft, ifft2, ifftn, ihfft, ihfft2, ihfftn, irfft, irfft2,
                                    irfftn, rfft, rfft2, rfftn)
from swirl.torch._mode import as_torch_fft, disable, enable
from swirl.torch._products import matmul
from swirl.torch._stft import istft, stft

__all__ = ["as_torch_fft", "disable", "enable", "fft", "fft2", "fft_convolve", "fftn", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ihfft",
           "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "istft", "matmul", "rfft", "rfft2", "rfftn", "stft"]
