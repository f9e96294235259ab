"""The transforms as a primitive of JAX, with derivatives, batching and partitioning.

They are linear, and the family is closed under transposition (see swirl.torch._operators, which has the same one)."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.custom_partitioning import custom_partitioning
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jax.sharding import NamedSharding, PartitionSpec

from swirl import _core

if not _core.xla_handlers:
    raise ImportError("swirl was built without XLA's headers, which jaxlib has: build it where jaxlib is installed")
for _platform, _handler in _core.xla_handlers.items():
    jax.ffi.register_ffi_target("swirl_transform", _handler, platform=_platform)

_FUNCTION = {("c2c", True): _core.FFT, ("c2c", False): _core.IFFT, ("r2c", True): _core.RFFT, ("r2c", False): _core.IHFFT,
             ("c2r", True): _core.HFFT, ("c2r", False): _core.IRFFT}
_TRANSPOSED = {"c2c": "c2c", "r2c": "c2r", "c2r": "r2c"}
_BACKWARD, _ORTHO, _FORWARD = range(3)

primitive = Primitive("swirl_transform")


def transform(x, kind, n, axes, scaled, forward, weighted=False, dtype=None):
    """A transform of a complex array (kind "c2c" or "c2r") or a real one ("r2c").

    Args:
        n, axes: Lengths, and the axes counted from 0, the last of which is that of a half spectrum. x is cropped or padded.
        scaled: 0, 1 or 2: no factor, 1/√(product of n), or its square.
        forward: Whether the exponent's sign is −.
        weighted: Whether entries of a half spectrum that stand for their mirror image, too, are doubled (r2c) or halved (c2r).
        dtype: Component type of the result; None for that of x.
    """
    dtype = np.dtype(dtype or component_of(x.dtype))
    return primitive.bind(x, kind=kind, n=tuple(n), axes=tuple(axes), scaled=scaled, forward=forward, weighted=weighted, dtype=dtype)


def component_of(dtype):
    return np.dtype({"complex64": "float32", "complex128": "float64"}.get(np.dtype(dtype).name, dtype))


def _result(shape, kind, n, axes, dtype):
    shape = list(shape)
    for length, axis in zip(n, axes):
        shape[axis] = length
    if kind == "r2c":
        shape[axes[-1]] = n[-1] // 2 + 1
    return tuple(shape), dtype if kind == "c2r" else np.result_type(dtype, np.complex64)


@primitive.def_abstract_eval
def _abstract(x, *, kind, n, axes, dtype, **others):
    shape, dtype = _result(x.shape, kind, n, axes, dtype)
    return jax.core.ShapedArray(shape, dtype)


def _call(x, *, kind, n, axes, scaled, forward, weighted, dtype):
    """The call of swirl's handler."""
    scaled_direction = _FORWARD if forward else _BACKWARD
    unscaled = _BACKWARD if forward else _FORWARD
    norm = (unscaled, _ORTHO, scaled_direction)[scaled]
    result = jax.ShapeDtypeStruct(*_result(x.shape, kind, n, axes, dtype))
    return jax.ffi.ffi_call("swirl_transform", result)(
        x, function=np.int64(_FUNCTION[kind, forward]), norm=np.int64(norm), is_weighted=np.int64(weighted),
        lengths=np.array(n, np.int64), axes=np.array(axes, np.int64))


@functools.lru_cache(4096)
def _partitioned(rank, **parameters):
    """The call, which each device makes for its part: all axes but the transformed ones may be divided."""
    axes = parameters["axes"]

    @custom_partitioning
    def call(x):
        return _call(x, **parameters)

    def divided(x):
        spec = [*x.sharding.spec, *[None] * (rank - len(x.sharding.spec))]
        return NamedSharding(x.sharding.mesh, PartitionSpec(*(None if d in axes else part for d, part in enumerate(spec))))

    def partition(mesh, shapes, result):
        sharding = divided(shapes[0])
        return mesh, functools.partial(_call, **parameters), sharding, (sharding,)

    names = [f"i{d}" for d in range(rank)]
    results = [f"o{d}" if d in axes else name for d, name in enumerate(names)]
    call.def_partition(partition, infer_sharding_from_operands=lambda mesh, shapes, result: divided(shapes[0]),
                       sharding_rule=f"{' '.join(names)} -> {' '.join(results)}",
                       need_replication_factors=tuple(name for d in axes for name in (f"i{d}", f"o{d}")))
    return call


def _lowered(x, **parameters):
    return _partitioned(x.ndim, **parameters)(x) if _knows_devices else _call(x, **parameters)


# What is partitioned needs to know the devices when it is lowered. JAX has no public way to say so for a primitive; without this
# one calls work, but gather the arrays that are divided.
try:
    from jax._src.dispatch import prim_requires_devices_during_lowering

    prim_requires_devices_during_lowering.add(primitive)
    _knows_devices = True
except ImportError:
    _knows_devices = False

primitive.def_impl(lambda x, **parameters: jax.jit(functools.partial(primitive.bind, **parameters))(x))
mlir.register_lowering(primitive, mlir.lower_fun(_lowered, multiple_results=False))


def _transpose(g, x, *, kind, n, axes, scaled, forward, weighted, dtype):
    if type(g) is ad.Zero:
        return (ad.Zero(x.aval),)
    # JAX's transposes are without conjugation: that of the adjoint's conjugate.
    result = transform(g, _TRANSPOSED[kind], n, axes, scaled, forward, kind != "c2c" and not weighted, component_of(x.aval.dtype))
    return (resized(result, [x.aval.shape[axis] for axis in axes], axes),)


def resized(x, n, axes):
    """x, cropped or padded with zeros to lengths n."""
    for length, axis in zip(n, axes):
        if x.shape[axis] > length:
            x = jax.lax.slice_in_dim(x, 0, length, axis=axis)
        elif x.shape[axis] < length:
            x = jnp.pad(x, [(0, length - x.shape[axis] if d == axis else 0) for d in range(x.ndim)])
    return x


def _batched(arguments, dims, *, axes, **parameters):
    x = jnp.moveaxis(arguments[0], dims[0], 0)
    return primitive.bind(x, axes=tuple(axis + 1 for axis in axes), **parameters), 0


ad.deflinear2(primitive, _transpose)
batching.primitive_batchers[primitive] = _batched
