"""swirl.jax against jax.numpy.fft: values, jit, vmap, derivatives, arrays divided among devices."""

import os
import random

import numpy as np
import pytest

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
jax = pytest.importorskip("jax", reason="JAX is not installed")
jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
from jax.sharding import NamedSharding, PartitionSpec  # noqa: E402

import swirl  # noqa: E402

if not swirl._core.xla_handlers:
    pytest.skip("swirl was built without XLA's headers", allow_module_level=True)

import swirl.jax as J  # noqa: E402

ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")


def values(shape, dtype, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return jnp.asarray(x.astype(dtype))


def sample(name, shape):
    return values(shape, "float64" if name.startswith(("rfft", "ihfft")) else "complex128")


def close(result, expected, tolerance=1e-11):
    assert result.shape == expected.shape and result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance * max(1, float(jnp.abs(expected).max(initial=0))))


def test_drawn_calls_equal_those_of_jax():
    seed = int(os.environ.get("SEED", random.SystemRandom().randrange(2**32)))
    print("SEED =", seed)
    rng = random.Random(seed)
    for call in range(40):
        dimensions = rng.randint(1, 3)
        shape = [rng.randint(2, (60, 12, 7)[dimensions - 1]) for _ in range(dimensions)]
        name = rng.choice(ONE)
        dtype = rng.choice(("float32", "float64") if name in ("rfft", "ihfft") else ("complex64", "complex128", "float32"))
        options = {"norm": rng.choice((None, "ortho", "forward"))}
        if name in ("fft", "ifft", "rfft", "irfft") and rng.random() < 0.4:
            count = rng.randint(1, dimensions)
            name += "n"
            options["axes"] = rng.sample(range(dimensions), count)
            if rng.random() < 0.5:
                options["s"] = [rng.randint(2, 9) for _ in range(count)]
        else:
            options["axis"] = rng.randrange(-dimensions, dimensions)
            if rng.random() < 0.5:
                options["n"] = rng.randint(2, 40)
        x = values(shape, dtype, call)
        expected = getattr(np.fft, name)(np.asarray(x, "complex128" if np.dtype(dtype).kind == "c" else "float64"), **options)
        result = getattr(J, name)(x, **options)
        case = f"SEED={seed}, call {call}: {name} {dtype} {shape} {options}"
        assert result.shape == expected.shape and result.dtype == getattr(jnp.fft, name)(x, **options).dtype, case
        tolerance = 1e-12 if dtype.endswith(("float64", "128")) else 1e-5
        assert np.abs(result - expected).max(initial=0) < tolerance * max(1, np.abs(expected).max(initial=0)), case


def test_half_precision():
    x = values((3, 30), "float32").astype(jnp.bfloat16)
    close(J.rfft(x), jnp.fft.rfft(x.astype(jnp.float32)), 1e-5)


@pytest.mark.parametrize("name", ONE)
def test_transformations(name):
    x, ours, theirs = sample(name, (4, 3, 6)), getattr(J, name), getattr(jnp.fft, name)
    close(jax.jit(ours)(x), theirs(x))
    for axis in (0, 1, 2):
        close(jax.vmap(ours, axis)(x), jax.vmap(theirs, axis)(x))
    close(jax.vmap(jax.vmap(ours))(x), theirs(x))
    for n in (None, 9):
        def loss(function):
            return lambda x: (jnp.abs(function(x, n) + 0.3)**2).sum()

        close(jax.grad(loss(ours))(x[0]), jax.grad(loss(theirs))(x[0]))
        close(jax.jit(jax.vmap(jax.grad(loss(ours))))(x), jax.vmap(jax.grad(loss(theirs)))(x))
        for a, b in zip(jax.jvp(lambda x: ours(x, n), (x,), (x[::-1],)), jax.jvp(lambda x: theirs(x, n), (x,), (x[::-1],))):
            close(a, b)

        def curvature(function):
            return jax.grad(lambda x: jnp.abs(jax.grad(loss(function))(x)).sum())

        close(curvature(ours)(x[0]), curvature(theirs)(x[0]))


def test_errors():
    x = jnp.ones(4)
    for call in (lambda: J.fft(x, 0), lambda: J.fft(x, axis=1), lambda: J.fft(x, norm="other"), lambda: J.fftn(x, axes=(0, 0)),
                 lambda: J.fftn(x, (2, 2), (0,))):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        J.rfft(x + 0j)


@pytest.mark.parametrize("name", ["fft", "rfft", "irfft"])
def test_divided_batches_stay_where_they_are(name):
    assert jax.device_count() == 8
    mesh = jax.make_mesh((8,), ("batch",))
    x = sample(name, (16, 3, 30))
    divided = jax.device_put(x, NamedSharding(mesh, PartitionSpec("batch")))
    function = jax.jit(getattr(J, name))
    compiled = function.lower(divided).compile()
    text = compiled.as_text()
    assert "all-gather" not in text and "all-to-all" not in text and "collective" not in text
    result = function(divided)
    assert result.sharding.is_equivalent_to(divided.sharding, result.ndim)
    close(result, getattr(jnp.fft, name)(x))
    gradient = jax.jit(jax.grad(lambda x: (jnp.abs(getattr(J, name)(x))**2).sum()))
    assert "all-gather" not in gradient.lower(divided).compile().as_text()
    close(gradient(divided), jax.grad(lambda x: (jnp.abs(getattr(jnp.fft, name)(x))**2).sum())(x))
    x = sample(name, (16, 3, 32))  # divided along the transformed axis, it is gathered
    close(function(jax.device_put(x, NamedSharding(mesh, PartitionSpec(None, None, "batch")))), getattr(jnp.fft, name)(x))
