"""swirl: Fourier transforms and matrix products by kernels generated for this machine and for exactly the problem at hand.

    import numpy as np, swirl

    swirl.fft.fft(np.ones(1000))                       # SciPy's functions: swirl.fft
    swirl.matmul(np.ones((100, 60)), np.ones((60, 80)))
    swirl.plan("dft 1024 float32 batch=100").execute(x)  # any problem of swirl, as text
"""

from swirl import fft
from swirl._convolution import convolve
from swirl._core import InternalError, OutOfTime, Plan, Unavailable, Unsupported
from swirl._core import emit as _emit
from swirl._core import explain as _explain
from swirl._core import matmul as _matmul
from swirl._core import plan as _plan
from swirl._core import version as __version__
from swirl._mel import mel
from swirl._progress import Bar as _Bar
from swirl._progress import wanted as _progress_wanted
from swirl._spectrogram import istft, stft
from swirl._tracing import expression as _expression
from swirl._tracing import where

__all__ = ["InternalError", "OutOfTime", "Plan", "Unavailable", "Unsupported", "convolve", "emit", "explain", "fft", "istft", "matmul",
           "mel", "plan", "problem", "stft", "where"]


def plan(problem, *, device=None, threads=1, effort="estimate", time_budget=None, accuracy="ordinary", schedule="",
         cpu="", memory_limit=0, planning_limit=0.0, check=True, use_wisdom=True, use_kernel_cache=True,
         progress=None):
    """Plans a problem: chooses an algorithm, generates code and checks it. Releases the interpreter's lock.

    Args:
        problem: One line of text, such as "dft 16x8 float32 batch=10" or "gemm 100x80x60", see `problem`.
        device: None or "cpu"; the number of a GPU, "cuda", "cuda:1", or a torch.device.
        threads: The most threads of an execution on the CPU; 0 for one per processor. The bits of results do not depend on it.
        effort: "estimate" by a model; "measure" times likely candidates, "exhaustive" all; "background" answers as "estimate"
            and measures while the program runs. What was measured becomes wisdom, which later plans of the problem use,
            those of swirl.fft too.
        time_budget: Seconds that measuring takes, about. None for the default of the effort.
        accuracy: Of products in float32: "ordinary", "ordinary_in_range", "reduced", "eleven_bits" or "low".
        schedule: Every choice, as `Plan.schedule` states them, instead of a search.
        cpu: "avx512", "avx2", "sse2" or "portable"; "" for the best of this machine.
        memory_limit: Bytes that the plan may need besides the arrays; 0 for what the machine has.
        planning_limit: Seconds that planning may take, as a model predicts; 0 for no limit.
        check: Compare the plan's results with the definition before it is used.
        use_wisdom: Use results of earlier measurements.
        use_kernel_cache: Load machine code that an earlier process generated, and store it.
        progress: While swirl measures, a function that is given lines of text; None for a bar if standard error is a terminal
            or in a notebook; True or False for a bar or none.

    Returns:
        A `Plan`: immutable, usable by any number of threads at once, and picklable as text.

    Raises:
        ValueError: The text does not parse, or the problem or an option cannot be.
        Unavailable: The machine lacks what `device`, `cpu` or `schedule` ask for.
        Unsupported: The problem can be computed, but swirl has no kernels for it.
        MemoryError: Memory, or `memory_limit`, does not suffice.
        OutOfTime: Planning would take longer than `planning_limit`.
        KeyboardInterrupt: It came while swirl measured, which ends. The fastest schedule so far is kept as wisdom
            (unless use_wisdom is False): the next plan of the problem has it.
    """
    progress = _progress_wanted(progress) if effort in ("measure", "exhaustive") else None
    try:
        return _plan(problem, device=device, threads=threads, effort=effort, time_budget=time_budget, accuracy=accuracy,
                     schedule=schedule, cpu=cpu, memory_limit=memory_limit, planning_limit=planning_limit, check=check,
                     use_wisdom=use_wisdom, use_kernel_cache=use_kernel_cache, progress=progress)
    finally:
        if isinstance(progress, _Bar):
            progress.close()


def explain(problem, *, device=None, threads=1, accuracy="ordinary", schedule="", cpu="", use_wisdom=True, full=False):
    """How a problem is computed, as text: what the program prints for `swirl explain PROBLEM`.

    Args:
        problem: One line of text.
        device: As for `plan`; or a kind of GPU, "sm_90", "sm_80" or "generic", which need not be at hand.
        threads, accuracy, schedule, cpu, use_wisdom: As for `plan`.
        full: Also the intermediate representation and the code of the kernels; not of products on GPUs.

    Returns:
        Lines of text, see `Plan.explain`.

    Raises:
        ValueError, Unavailable, Unsupported: As `plan`.
    """
    return _explain(problem, device=device, threads=threads, accuracy=accuracy, schedule=schedule, cpu=cpu,
                    use_wisdom=use_wisdom, full=full)


def emit(problem, language="c++", *, gpu="generic", function="", header=False, accuracy="ordinary", schedule="", cpu="",
         use_wisdom=True):
    """A problem as source text that needs no swirl: what the program writes for `swirl emit PROBLEM`.

    Args:
        problem: One line of text.
        language: "c++" (or "cpp"), "cuda", "hip" or "opencl".
        gpu: Of a language for GPUs, the kind that kernels are chosen for: "generic", "sm_80" or "sm_90".
        function: Name of the function; "" for one made from the problem.
        header: Return the function's declaration for C and C++ instead.
        accuracy, schedule, cpu, use_wisdom: As for `plan`.

    Returns:
        The text of a file.

    Raises:
        ValueError: The problem, the language or an option cannot be, or do not fit together.
        Unsupported: The emitter lacks the problem's data types.
    """
    return _emit(problem, language, gpu=gpu, function=function, header=header, accuracy=accuracy, schedule=schedule, cpu=cpu,
                 use_wisdom=use_wisdom)


def _plan_from(problem, options):
    """What pickle calls: functions are found by name, and take arguments by position."""
    return plan(problem, **options)


def problem(kind, lengths, *, dtype="float64", backward=False, inplace=False, planar=False, strides=None, in_strides=None,
            out_strides=None, batch=None, scale=None, norm=None, load=None, store=None):
    """The text of a transform problem, for `plan`.

    Args:
        kind: "dft", "rdft", "dct1" … "dst8", "wht", "wht_dyadic", "wht_sequency", "convolution".
        lengths: One length, or several, slowest first.
        dtype: "float64", "float32", "float16" or "bfloat16": of the real numbers and of components of complex ones.
        backward, inplace, planar: Direction; placement; real and imaginary components in separate arrays.
        strides, in_strides, out_strides: Strides in elements, one for each length: of both sides, the input, the output.
        batch: A count, or a list of counts or of (count, stride) or (count, input stride, output stride), outermost first.
        scale, norm: A factor, or "backward", "ortho" or "forward".
        load, store: Callbacks: expressions such as "x * window[i] where i < 700", or functions such as
            lambda x, i, window: x * window[i]. A function is traced once. Its parameters are the element x, indices (i, i0, b …),
            and arrays that executions take by name, complex ones as h.complex[i]. `where(condition, a, b)` chooses, and
            y.where(condition) ends a callback that skips elements.

    Returns:
        One line of text.
    """
    def numbers(values):
        values = [values] if isinstance(values, int) else list(values)
        return str(values[0]) if len(values) == 1 else "(" + ",".join(map(str, values)) + ")"

    def loop(entry):
        if isinstance(entry, int):
            return str(entry)
        count, *steps = entry
        return f"{count}:{numbers(steps)}"

    lengths = [lengths] if isinstance(lengths, int) else lengths
    words = [kind, "x".join(map(str, lengths)), str(dtype)]
    words += [word for word, is_set in (("backward", backward), ("inplace", inplace), ("planar", planar)) if is_set]
    for word, values in (("strides", strides), ("in", in_strides), ("out", out_strides)):
        if values is not None:
            words.append(f"{word}={numbers(values)}")
    if batch is not None:
        words.append("batch=" + "x".join(map(loop, [batch] if isinstance(batch, int) else batch)))
    for word, value in (("scale", scale), ("norm", norm)):
        if value is not None:
            words.append(f"{word}={value}")
    for word, callback in (("load", load), ("store", store)):
        if callback is not None:
            words.append(f'{word}="{_expression(callback)}"')
    return " ".join(words)


def matmul(a, b, *, out=None, workers=1):
    """The product of two matrices, or of stacks of matrices, by the rules of numpy.matmul.

    Plans are kept: a product with the extents and strides of an earlier one finds its plan. Strided and transposed operands
    are not copied.

    Args:
        a: Array (…, m, k), or (k,).
        b: Array (…, k, n), or (k,).
        out: Contiguous array for the result; a new one if None.
        workers: The most threads.

    Returns:
        Array (…, m, n), without the dimensions that one-dimensional operands lack.

    Raises:
        TypeError: The common data type is none of float32, float64, complex64, complex128.
        ValueError: Extents do not fit together, or `out` does not fit.
    """
    return _matmul(a, b, out=out, workers=workers)
