"""Transforms and matrix products of arrays that are divided among ranks.

    from mpi4py import MPI
    import swirl.distributed as sd

    ranks = sd.on_mpi(MPI.COMM_WORLD)
    mine = sd.pencils((512, 512, 512), ranks.size, 2)[ranks.rank]
    forward = sd.plan("dft 512x512x512", ranks, mine)
    y = forward.execute(x)                 # x: this rank's box, y: that of forward.output_box

Functions marked collective are called by all ranks of a communicator in the same order. Planning that fails on one rank fails on
all, with the same exception, whose message names the rank. Arrays are NumPy's, in the host's memory.
"""

from typing import NamedTuple

import numpy as np

from swirl import _core
from swirl.distributed._communicators import Communicator, nccl_id, on_mpi, on_nccl, on_threads, on_torch, run_ranks

_native = _core.distributed

__all__ = ["Box", "Communicator", "DistributedPlan", "DistributedProduct", "MatrixBoxes", "bricks", "divide", "fftw_blocks", "matmul",
           "nccl_id", "on_mpi", "on_nccl", "on_threads", "on_torch", "pencils", "plan", "plan_product", "product_boxes", "run_ranks",
           "slabs"]


class Box(NamedTuple):
    """The elements of an array whose index along each axis is in lower … upper − 1. A box without elements, such as Box(), is of a
    rank without data.

    Attributes:
        lower, upper: One index for each axis.
        order: The axes from the slowest to the fastest in the rank's memory; () for row-major. Shapes are those of the axes as
            they are numbered, whatever the order in memory.
    """

    lower: tuple = ()
    upper: tuple = ()
    order: tuple = ()

    @property
    def shape(self):
        """That of the rank's array."""
        return tuple(max(high - low, 0) for low, high in zip(self.lower, self.upper, strict=True)) if self.lower else (0,)

    @property
    def slices(self):
        """Of the whole array."""
        return tuple(slice(low, high) for low, high in zip(self.lower, self.upper, strict=True))


class MatrixBoxes(NamedTuple):
    """The elements of A, B and C that a rank holds: lists of boxes of (row, column)."""

    a: list
    b: list
    c: list


def slabs(lengths, ranks, axis=0):
    """Boxes of all ranks: one axis divided."""
    return _boxes(_native.slab_boxes(list(lengths), ranks, axis))


def pencils(lengths, ranks, whole_axis):
    """Boxes of all ranks: all axes divided but one, of which each rank has all indices."""
    return _boxes(_native.pencil_boxes(list(lengths), ranks, whole_axis))


def bricks(lengths, ranks):
    """Boxes of all ranks: all axes divided, by the grid whose boxes have the least surface."""
    return _boxes(_native.brick_boxes(list(lengths), ranks))


def divide(lengths, parts, ranks):
    """Boxes of all ranks: each axis divided into so many parts."""
    return _boxes(_native.grid_boxes(list(lengths), list(parts), ranks))


def fftw_blocks(lengths, ranks, axis=0):
    """Boxes of all ranks, as FFTW's default: an axis divided into blocks of ⌈n/ranks⌉, the last ones smaller or empty."""
    return _boxes(_native.fftw_block_boxes(list(lengths), ranks, axis))


def product_boxes(problem, ranks):
    """Boxes of all ranks that leave the least to send, as `MatrixBoxes`, for a product such as "gemm 4096x4096x4096 float32"."""
    return [MatrixBoxes(*(_boxes(each) for each in rank)) for rank in _native.product_boxes(problem, ranks)]


def plan(problem, communicator, input, output=None, *, threads=1, effort="estimate", time_budget=None, schedule="", machine=None):
    """Collective: plans a rank's share of a transform.

    Args:
        problem: One line of text, such as "rdft 512x512x512 float32", the same on all ranks. Its axes are its batch loops, then its
            dimensions; of the half spectrum of reals n//2+1 along the last.
        communicator: One of this module's, a communicator of mpi4py, or a process group of torch.distributed.
        input: The `Box` of the input that this rank holds.
        output: That of the output; None, on all ranks, for boxes that save an exchange: see `DistributedPlan.output_box`.
        threads, effort, time_budget: Of each rank's own plans, as for `swirl.plan`.
        schedule: Every choice, as `DistributedPlan.schedule` states them.
        machine: A dictionary of figures for the model: ranks_per_node, node_latency, node_bandwidth, network_latency,
            network_bandwidth, memory_bandwidth, flops.

    Returns:
        A `DistributedPlan`, used by one thread at a time.

    Raises:
        ValueError: The problem, a box or an option cannot be, or ranks disagree.
        Unsupported: The problem is not divided among ranks: convolutions, formulas, callbacks, planar data, 16-bit types.
        OSError: A rank was lost.
    """
    return DistributedPlan(_native.plan_distributed(
        problem, _communicator(communicator), _tuple(input), None if output is None else _tuple(output), threads, effort,
        -1 if time_budget is None else time_budget, schedule, machine))


def plan_product(problem, communicator, boxes, *, threads=1, effort="estimate", time_budget=None, schedule="", machine=None):
    """Collective: plans a rank's share of a product C = alpha·A·B + beta·C.

    Args:
        problem: Such as "gemm 100x80x60 float64": rows, columns, k. Strides are ignored, as boxes say where elements are.
        communicator: As for `plan`.
        boxes: `MatrixBoxes`; each member may be one `Box`.
        threads, effort, time_budget, machine: As for `plan`.
        schedule: A grid of ranks, such as "2x2x1": rows, columns, k.

    Returns:
        A `DistributedProduct`.

    Raises:
        ValueError, Unsupported, OSError: As `plan`.
    """
    lists = [[each] if isinstance(each, Box) else list(each) for each in boxes]
    return DistributedProduct(
        _native.plan_distributed_product(problem, _communicator(communicator), *([_tuple(box) for box in each] for each in lists),
                                         threads, effort, -1 if time_budget is None else time_budget, schedule, machine), *lists)


def matmul(a, b, communicator, *, a_box, b_box, c_box=None, workers=1):
    """Collective: the product of two matrices that are divided among ranks. Plans each time: keep `plan_product`'s for many.

    Args:
        a, b: This rank's parts, of the shapes of their boxes.
        communicator: As for `plan`.
        a_box, b_box: Their boxes.
        c_box: That of the result; None, on all ranks, for `bricks`.
        workers: The most threads of each rank.

    Returns:
        This rank's part of the product.

    Raises:
        TypeError: The common data type of all ranks' parts is none of float32, float64, complex64, complex128.
        ValueError: Boxes and parts do not fit together.
        OSError: A rank was lost.
    """
    ranks = _communicator(communicator)
    a, b = np.asarray(a), np.asarray(b)
    told = [text.decode() for text in ranks.gather_all(" ".join(map(str, [
        *(a_box.upper or (0, 0)), *(b_box.upper or (0, 0)), np.result_type(a, b).name])).encode())]
    ends = [text.split() for text in told]
    m, k, columns = (max(int(rank[at]) for rank in ends) for at in (0, 1, 3))
    dtype = np.result_type(*(rank[4] for rank in ends))
    if dtype.name not in ("float32", "float64", "complex64", "complex128"):
        if dtype.kind not in "iub":
            raise TypeError(f"a and b are {dtype.name}; use float32, float64, complex64 or complex128")
        dtype = np.dtype(np.float64)
    if c_box is None:
        c_box = bricks((m, columns), ranks.size)[ranks.rank]
    product = plan_product(f"gemm {m}x{columns}x{k} {dtype.name}", ranks, MatrixBoxes([a_box], [b_box], [c_box]), threads=workers)
    return product.execute(a.astype(dtype, copy=False), b.astype(dtype, copy=False))


class DistributedPlan:
    """A rank's share of a transform, ready to run. Made by `plan`."""

    def __init__(self, native):
        self._native = native

    input_box = property(lambda self: Box(*map(tuple, self._native.input_box)), doc="The elements that this rank gives.")
    output_box = property(lambda self: Box(*map(tuple, self._native.output_box)), doc="The elements that it gets.")
    input_dtype = property(lambda self: np.dtype(self._native.input_type))
    output_dtype = property(lambda self: np.dtype(self._native.output_type))
    problem = property(lambda self: self._native.problem)
    schedule = property(lambda self: self._native.schedule, doc="One line that `plan` accepts.")
    description = property(lambda self: self._native.description, doc="The steps of this rank.")
    derivation = property(lambda self: self._native.derivation, doc="How rewriting made local factors and exchanges.")
    seconds = property(lambda self: self._native.seconds, doc="Of an execution, as the model predicts it.")
    exchanges = property(lambda self: self._native.exchanges)
    bytes_sent = property(lambda self: self._native.bytes_sent, doc="By this rank to others, in one execution.")
    messages_sent = property(lambda self: self._native.messages_sent)
    workspace_bytes = property(lambda self: self._native.workspace_bytes)

    def execute(self, x=None, out=None):
        """Collective. Releases the interpreter's lock.

        Args:
            x: Array of the shape of `input_box`, in any layout: another one than that of the box is copied. None for an empty box.
            out: Array for the result, of the shape and the layout of `output_box`; None for a new one.

        Returns:
            Array of the shape of `output_box`, with its order of axes in memory.

        Raises:
            ValueError, TypeError: An array does not fit. The calls of other ranks end with OSError.
            OSError: A rank was lost.
        """
        with _aborting(self._native.abort):
            given = _array("x", x, self.input_box, self.input_dtype)
            result = _result(out, self.output_box, self.output_dtype)
        self._native.execute(_address(given), _address(result))
        return result

    def __repr__(self):
        return f"<swirl.distributed.DistributedPlan {self.problem}: {self.schedule}>"


class DistributedProduct:
    """A rank's share of a product, ready to run. Made by `plan_product`."""

    def __init__(self, native, a, b, c):
        self._native, self._a, self._b, self._c = native, a, b, c

    dtype = property(lambda self: np.dtype(self._native.dtype))
    grid = property(lambda self: tuple(self._native.grid), doc="Ranks along rows, columns and k.")
    description = property(lambda self: self._native.description)
    bytes_sent = property(lambda self: self._native.bytes_sent)
    messages_sent = property(lambda self: self._native.messages_sent)

    def execute(self, a=None, b=None, c=None, alpha=1, beta=0):
        """Collective: alpha·A·B + beta·C. Releases the interpreter's lock.

        Args:
            a, b: Of one box, an array of its shape; of several, one flat array of their elements, one box after the other.
            c: Array of the same kind, which is overwritten; None for a new one, if beta is 0.
            alpha, beta: The same on all ranks.

        Returns:
            c.

        Raises:
            ValueError, TypeError: An array does not fit. The calls of other ranks end with OSError.
            OSError: A rank was lost.
        """
        with _aborting(self._native.abort):
            if c is None and beta != 0:
                raise ValueError("beta is not 0, but there is no c")
            given = [_parts(name, array, boxes, self.dtype) for name, array, boxes in (("a", a, self._a), ("b", b, self._b))]
            result = _result(c, self._c[0], self.dtype) if len(self._c) == 1 else _flat_result(c, self._c, self.dtype)
        self._native.execute(alpha, _address(given[0]), _address(given[1]), beta, _address(result))
        return result


class _aborting:
    """An error before a collective call ends the calls of the other ranks."""

    def __init__(self, abort):
        self._abort = abort

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if error is not None:
            self._abort(str(error))
        return False


def _boxes(tuples):
    return [Box(*map(tuple, each)) for each in tuples]


def _tuple(box):
    return [list(map(int, box[0])), list(map(int, box[1])), list(map(int, box[2])) if len(box) > 2 else []]


def _communicator(given):
    if isinstance(given, Communicator):
        return given
    for module, make in (("mpi4py", on_mpi), ("torch", on_torch)):
        if any(base.__module__.startswith(module) for base in type(given).__mro__):
            return make(given)
    raise TypeError(f"communicator is a {type(given).__name__}; make one by on_mpi, on_torch, on_nccl or on_threads")


def _address(array):
    return 0 if array is None or array.size == 0 else array.ctypes.data


def _in_memory(array, box):
    """A view with axes in the order of memory."""
    return array.transpose(box.order) if box.order else array


def _count(boxes):
    return sum(int(np.prod(box.shape)) for box in boxes)


def _array(name, array, box, dtype):
    """Contiguous in the order of the box."""
    if _count([box]) == 0 and (array is None or np.size(array) == 0):
        return None
    array = np.asarray(array)
    if array.shape != box.shape:
        raise ValueError(f"{name} has shape {array.shape}; the box {box.lower} to {box.upper} has {box.shape}")
    return np.ascontiguousarray(_in_memory(_of_type(name, array, dtype), box))


def _of_type(name, array, dtype):
    if not np.can_cast(array.dtype, dtype, "same_kind"):
        raise TypeError(f"{name} is {array.dtype}; the plan takes {dtype}")
    return array.astype(dtype, copy=False)


def _parts(name, array, boxes, dtype):
    if len(boxes) == 1:
        return _array(name, array, boxes[0], dtype)
    count = _count(boxes)
    if count == 0:
        return None
    array = np.asarray(array)
    if array.shape != (count,):
        raise ValueError(f"{name} has shape {array.shape}; {len(boxes)} boxes are a flat array of {count} elements")
    return np.ascontiguousarray(_of_type(name, array, dtype))


def _result(out, box, dtype):
    if out is None:
        order = box.order or tuple(range(len(box.shape)))
        return np.empty([box.shape[axis] for axis in order], dtype).transpose(np.argsort(order))
    if not isinstance(out, np.ndarray) or out.shape != box.shape or out.dtype != dtype:
        raise ValueError(f"out must be a NumPy array of shape {box.shape} and type {dtype}")
    if not _in_memory(out, box).flags.c_contiguous or not out.flags.writeable:
        raise ValueError(f"out must be writeable, and contiguous with the order of axes {box.order or 'that is row-major'}")
    return out


def _flat_result(out, boxes, dtype):
    count = _count(boxes)
    if out is None:
        return np.empty(count, dtype)
    if not isinstance(out, np.ndarray) or out.shape != (count,) or out.dtype != dtype or not out.flags.c_contiguous:
        raise ValueError(f"c must be a contiguous NumPy array of shape {(count,)} and type {dtype}")
    return out
