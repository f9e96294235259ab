from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from torch import Tensor
from torch.overrides import TorchFunctionMode

__all__ = ["as_torch_fft", "disable", "enable", "fft", "fft2", "fft_convolve", "fftn", "hfft", "hfft2", "hfftn", "ifft", "ifft2",
           "ifftn", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "istft", "matmul", "rfft", "rfft2", "rfftn", "stft"]

_Norm: TypeAlias = Literal["backward", "ortho", "forward"] | None

class as_torch_fft(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any: ...

def enable() -> None: ...
def disable() -> None: ...
def fft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def ifft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def rfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def irfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def hfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def ihfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def fftn(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None, norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def ifftn(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None, norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def rfftn(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None, norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def irfftn(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None, norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def hfftn(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None, norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def ihfftn(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None, norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def fft2(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = (-2, -1), norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def ifft2(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = (-2, -1), norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def rfft2(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = (-2, -1), norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def irfft2(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = (-2, -1), norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def hfft2(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = (-2, -1), norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def ihfft2(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = (-2, -1), norm: _Norm = None, *, out: Tensor | None = None, pairs: bool = False
) -> Tensor: ...
def fft_convolve(
    signal: Tensor, kernel: Tensor, mode: Literal["full", "same", "valid"] = "full", dim: int | Sequence[int] = -1
) -> Tensor: ...
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: None = None,
) -> Tensor: ...
def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor: ...
