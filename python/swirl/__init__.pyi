from collections.abc import Callable, Iterable
from typing import Any, Literal

from numpy import ndarray
from numpy.typing import ArrayLike, DTypeLike

from swirl import fft as fft
from swirl._core import InternalError as InternalError
from swirl._core import OutOfTime as OutOfTime
from swirl._core import Plan as Plan
from swirl._core import Unavailable as Unavailable
from swirl._core import Unsupported as Unsupported

__all__ = ["InternalError", "OutOfTime", "Plan", "Unavailable", "Unsupported", "convolve", "emit", "explain", "fft", "istft", "matmul",
           "mel", "plan", "problem", "stft", "where"]

__version__: str

def plan(
    problem: str,
    *,
    device: Any = None,
    threads: int = 1,
    effort: Literal["estimate", "measure", "exhaustive", "background"] = "estimate",
    time_budget: float | None = None,
    accuracy: Literal["ordinary", "ordinary_in_range", "reduced", "eleven_bits", "low"] = "ordinary",
    schedule: str = "",
    cpu: str = "",
    memory_limit: int = 0,
    planning_limit: float = 0.0,
    check: bool = True,
    use_wisdom: bool = True,
    use_kernel_cache: bool = True,
    progress: Callable[[str], object] | bool | None = None,
) -> Plan: ...
def explain(
    problem: str,
    *,
    device: Any = None,
    threads: int = 1,
    accuracy: Literal["ordinary", "ordinary_in_range", "reduced", "eleven_bits", "low"] = "ordinary",
    schedule: str = "",
    cpu: str = "",
    use_wisdom: bool = True,
    full: bool = False,
) -> str: ...
def emit(
    problem: str,
    language: Literal["c++", "cpp", "cuda", "hip", "opencl"] = "c++",
    *,
    gpu: Literal["generic", "sm_80", "sm_90"] = "generic",
    function: str = "",
    header: bool = False,
    accuracy: Literal["ordinary", "ordinary_in_range", "reduced", "eleven_bits", "low"] = "ordinary",
    schedule: str = "",
    cpu: str = "",
    use_wisdom: bool = True,
) -> str: ...
def problem(
    kind: str,
    lengths: int | Iterable[int],
    *,
    dtype: str | DTypeLike = "float64",
    backward: bool = False,
    inplace: bool = False,
    planar: bool = False,
    strides: int | Iterable[int] | None = None,
    in_strides: int | Iterable[int] | None = None,
    out_strides: int | Iterable[int] | None = None,
    batch: int | Iterable[int | tuple[int, ...]] | None = None,
    scale: float | str | None = None,
    norm: Literal["backward", "ortho", "forward"] | None = None,
    load: str | Callable[..., Any] | None = None,
    store: str | Callable[..., Any] | None = None,
) -> str: ...
def matmul(a: ArrayLike, b: ArrayLike, *, out: ndarray[Any, Any] | None = None, workers: int = 1) -> ndarray[Any, Any]: ...
def where(condition: Any, a: Any, b: Any) -> Any: ...
def convolve(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: Literal["full", "same", "valid"] = "full",
    axes: int | Iterable[int] | None = None,
    *,
    workers: int | None = None,
) -> ndarray[Any, Any]: ...
def stft(
    x: ArrayLike,
    fs: float = 1.0,
    window: str | tuple[Any, ...] | ArrayLike = "hann",
    nperseg: int | None = 256,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Literal["constant", "linear", False] | Callable[[ndarray[Any, Any]], ndarray[Any, Any]] = False,
    return_onesided: bool = True,
    boundary: Literal["even", "odd", "constant", "zeros"] | None = "zeros",
    padded: bool = True,
    axis: int = -1,
    scaling: Literal["spectrum", "psd"] = "spectrum",
    *,
    workers: int | None = None,
) -> tuple[ndarray[Any, Any], ndarray[Any, Any], ndarray[Any, Any]]: ...
def mel(
    x: ArrayLike,
    sample_rate: float = 22050.0,
    n_fft: int = 2048,
    hop: int | None = None,
    *,
    window: ArrayLike | str | tuple[Any, ...] = "hann",
    center: Literal["reflect", "zeros", "none"] = "reflect",
    mels: int = 128,
    lowest: float = 0.0,
    highest: float | None = None,
    scale: Literal["slaney", "htk"] = "slaney",
    norm: Literal["area", "none"] = "area",
    workers: int | None = None,
) -> ndarray: ...
def istft(
    Zxx: ArrayLike,
    fs: float = 1.0,
    window: str | tuple[Any, ...] | ArrayLike = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
    scaling: Literal["spectrum", "psd"] = "spectrum",
    *,
    workers: int | None = None,
) -> tuple[ndarray[Any, Any], ndarray[Any, Any]]: ...
