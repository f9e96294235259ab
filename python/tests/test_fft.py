"""swirl.fft against the definition, and against SciPy for arguments drawn at random."""

import inspect
import os

import numpy as np
import pytest

import swirl

F = swirl.fft
ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
COSINES = ("dct", "idct", "dst", "idst")


def values(*shape, dtype="complex128", seed=7):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return (10 * x).astype(dtype)


def matrix(n, sign=-1):
    k = np.arange(n)
    return np.exp(sign * 2j * np.pi * (np.outer(k, k) % n) / n)


@pytest.mark.parametrize("n", [*range(1, 20), 97, 128, 1000])
def test_transforms_equal_their_definitions(n):
    x, r = values(n), values(n, dtype="float64")
    close = dict(rtol=0, atol=1e-11 * n)
    np.testing.assert_allclose(F.fft(x), matrix(n) @ x, **close)
    np.testing.assert_allclose(F.fft(r), matrix(n) @ r, **close)
    np.testing.assert_allclose(F.ifft(r, norm="forward"), matrix(n, 1) @ r, **close)
    np.testing.assert_allclose(F.rfft(r), (matrix(n) @ r)[:n // 2 + 1], **close)
    np.testing.assert_allclose(F.irfft(F.rfft(r), n), r, **close)
    np.testing.assert_allclose(F.hfft(F.ihfft(r), n), r, **close)
    np.testing.assert_allclose(F.ihfft(r), (matrix(n, 1) @ r / n)[:n // 2 + 1], **close)


@pytest.mark.parametrize("n", [2, 3, 8, 15, 100])
def test_cosine_and_sine_transforms_equal_their_definitions(n):
    x, j, k = values(n, dtype="float64"), np.arange(n), np.arange(n)[:, None]
    ends = np.where((j == 0) | (j == n - 1), 1, 2)
    definitions = {
        ("dct", 1): ends * np.cos(np.pi * k * j / (n - 1)),
        ("dct", 2): 2 * np.cos(np.pi * k * (2 * j + 1) / (2 * n)),
        ("dct", 3): np.where(j == 0, 1, 2) * np.cos(np.pi * (2 * k + 1) * j / (2 * n)),
        ("dct", 4): 2 * np.cos(np.pi * (2 * k + 1) * (2 * j + 1) / (4 * n)),
        ("dst", 1): 2 * np.sin(np.pi * (k + 1) * (j + 1) / (n + 1)),
        ("dst", 2): 2 * np.sin(np.pi * (k + 1) * (2 * j + 1) / (2 * n)),
        ("dst", 3): np.where(j == n - 1, (-1.0)**k, 2 * np.sin(np.pi * (2 * k + 1) * (j + 1) / (2 * n))),
        ("dst", 4): 2 * np.sin(np.pi * (2 * k + 1) * (2 * j + 1) / (4 * n))}
    for (name, type), definition in definitions.items():
        transform, inverse = getattr(F, name), getattr(F, "i" + name)
        result = transform(x, type)
        np.testing.assert_allclose(result, definition @ x, rtol=0, atol=1e-10 * n, err_msg=f"{name} {type}")
        np.testing.assert_allclose(inverse(result, type), x, rtol=0, atol=1e-11 * n)
        np.testing.assert_allclose(inverse(transform(x, type, norm="ortho"), type, norm="ortho"), x, rtol=0, atol=1e-11 * n)
        np.testing.assert_allclose(np.linalg.norm(transform(x, type, norm="ortho")), np.linalg.norm(x), rtol=1e-12)


def draw(rng):
    """A function, an array of any layout and data type, arguments."""
    name = rng.choice(ONE + COSINES)
    kind = rng.choice(["", "", "n", "n", "2"] if name in ONE else ["", "n"])
    dimensions = int(rng.integers(2 if kind == "2" else 1, 5))
    shape = rng.integers(1, [0, 200, 20, 9, 6][dimensions] + 1, dimensions)
    dtype = rng.choice(["f4", "f8", "c8", "c16", "i4", "u1", "f2", ">f8", ">c8"])
    if name in ("rfft", "ihfft") and "c" in dtype:
        dtype = "f8"
    x = values(*(2 * shape), dtype="c16" if "c" in dtype else "f8", seed=rng).astype(dtype)
    steps = [(slice(n), slice(None, None, 2), slice(None, None, -2))[rng.integers(3)] for n in shape]
    x = x[tuple(steps)].transpose(rng.permutation(dimensions))
    options = {}
    if rng.integers(2):
        options["norm"] = str(rng.choice(["ortho", "backward", "forward"]))
    if rng.integers(3) == 0:
        options["overwrite_x"] = True
    if rng.integers(3) == 0:
        options["workers"] = 2
    count = {"": 1, "2": 2, "n": int(rng.integers(1, dimensions + 1))}[kind]
    axes = [int(axis) for axis in rng.permutation(dimensions)[:count] - dimensions * rng.integers(2)]
    lengths = [int(n) for n in rng.integers(2, 14, count)]
    if kind == "":
        axes, lengths = axes[0], lengths[0]
    if rng.integers(2):
        options["axes" if kind else "axis"] = axes
    if rng.integers(2):
        options["s" if kind else "n"] = lengths
    if name in COSINES:
        options["type"] = int(rng.integers(1, 5))
        if rng.integers(2) and x.dtype.kind != "c":  # SciPy ignores it for complex data
            options["orthogonalize"] = bool(rng.integers(2))
    return name + kind, x, options


def result_or_error(function, x, options):
    try:
        return function(x.copy() if options.get("overwrite_x") else x, **options)
    except (ValueError, IndexError, RuntimeError) as error:
        return error


def test_drawn_calls_equal_those_of_scipy():
    scipy_fft = pytest.importorskip("scipy.fft")
    seed = int(os.environ.get("SEED", np.random.SeedSequence().entropy % 2**32))
    print("SEED =", seed)
    rng = np.random.default_rng(seed)
    for number in range(300):
        name, x, options = draw(rng)
        case = f"SEED={seed}, call {number}: {name}, {x.dtype}, {x.shape}, strides {x.strides}, {options}"
        expected, result = (result_or_error(getattr(module, name), x, options) for module in (scipy_fft, F))
        if isinstance(expected, Exception):
            assert isinstance(result, Exception), case
            continue
        assert not isinstance(result, Exception), f"{case}: {result!r}"
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape), case
        size = np.abs(expected).max(initial=1e-30)
        tolerance = 3e-6 if result.dtype in (np.float32, np.complex64) else 1e-13
        assert np.abs(result - expected).max(initial=0) < 10 * tolerance * size, case


def test_signatures_are_those_of_scipy():
    scipy_fft = pytest.importorskip("scipy.fft")
    names = set(scipy_fft.__all__) - {"set_backend", "skip_backend", "set_global_backend", "register_backend"}
    assert names <= set(F.__all__)
    for name in names:
        theirs, ours = (list(inspect.signature(getattr(module, name)).parameters) for module in (scipy_fft, F))
        assert ours[:len(theirs)] == theirs, name
        assert getattr(F, name).__doc__, name


def test_data_types_are_those_of_scipy():
    for given, complex_type, real_type in (("f2", "c8", "f4"), ("f4", "c8", "f4"), ("f8", "c16", "f8"), ("i2", "c16", "f8"),
                                           ("?", "c16", "f8"), (">f4", "c8", "f4")):
        x = np.ones(6, given)
        assert F.fft(x).dtype == complex_type and F.rfft(x).dtype == complex_type and F.dct(x).dtype == real_type
        assert F.irfft(x).dtype == real_type
    assert F.fft([1, 2, 3]).dtype == "c16"
    assert type(F.fft(np.matrix([[1.0, 2]]))) is np.ndarray
    for function in (F.fft, F.rfft, F.dct, F.dctn, F.fht):
        with pytest.raises(TypeError, match="longdouble"):
            function(np.ones(4, np.longdouble), *((1, 1) if function is F.fht else ()))


def test_strided_arrays_are_read_where_they_are():
    base = values(40, 30)
    for x in (base.T, base[::-1, ::2], base[3:20].T[::-3], np.broadcast_to(base[0], (5, 30))):
        for axis in (0, 1):
            before = F.fft(np.ascontiguousarray(x), axis=axis)
            np.testing.assert_allclose(F.fft(x, axis=axis), before, atol=1e-10)
        np.testing.assert_allclose(F.fft2(x), np.fft.fft2(x), atol=1e-9)
    records = np.zeros(10, [("flag", "u1"), ("value", "f8")])
    records["value"] = np.arange(10)
    np.testing.assert_allclose(F.rfft(records["value"]), np.fft.rfft(np.arange(10)), atol=1e-12)


def test_only_overwrite_x_lets_the_input_change():
    for name in ONE + COSINES:
        x = values(64, dtype="float64" if name in ("rfft", "ihfft", *COSINES) else "complex128")
        kept = x.copy()
        first = getattr(F, name)(x)
        np.testing.assert_array_equal(x, kept)
        np.testing.assert_allclose(getattr(F, name)(x, overwrite_x=True), first, atol=1e-11)
    x = values(64)
    assert np.shares_memory(F.fft(x, overwrite_x=True), x)
    x.flags.writeable = False
    assert not np.shares_memory(F.fft(x, overwrite_x=True), x)


@pytest.mark.parametrize("call, error", [
    (lambda: F.fft([]), ValueError), (lambda: F.fft(np.ones(4), 0), ValueError), (lambda: F.irfft(np.ones(1)), ValueError),
    (lambda: F.fftn(np.ones((0, 3))), ValueError), (lambda: F.fft(np.ones(4), axis=1), IndexError),
    (lambda: F.fft(np.float64(1)), IndexError), (lambda: F.fft2(np.ones(4)), ValueError),
    (lambda: F.fftn(np.ones((4, 4)), axes=(0, 0)), ValueError), (lambda: F.fftn(np.ones((4, 4)), (1, 2, 3)), ValueError),
    (lambda: F.fftn(np.ones((4, 4)), (1, 2), (0,)), ValueError), (lambda: F.fftn(np.ones(4), "a"), ValueError),
    (lambda: F.fft(np.ones(4), norm="other"), ValueError), (lambda: F.fft(np.ones(4), workers=0), ValueError),
    (lambda: F.fft(np.ones(4), workers=-1000), ValueError), (lambda: F.rfft(np.ones(4) * 1j), TypeError),
    (lambda: F.rfftn(np.ones(4), axes=()), ValueError), (lambda: F.dct(np.ones(4), 5), ValueError),
    (lambda: F.dct(np.ones(1), 1), ValueError), (lambda: F.fft(np.ones(4), 2.5), TypeError),
    (lambda: F.fft(np.ones(4), plan="dft 4"), TypeError), (lambda: F.fft(["a"]), ValueError)])
def test_errors(call, error):
    with pytest.raises(error):
        call()


def test_arrays_without_elements_beside_the_axis_are_answered():
    assert F.fft(np.ones((0, 3)), axis=1).shape == (0, 3)
    assert F.rfft(np.ones((0, 4)), axis=1).shape == (0, 3)
    x = np.ones((2, 3))
    assert F.fftn(x, axes=()) is x


def test_a_plan_is_used_if_it_fits():
    x = values(3, 16)
    plan = swirl.plan("dft 16 batch=3", effort="measure", time_budget=0.05)
    np.testing.assert_allclose(F.fft(x, plan=plan), np.fft.fft(x), atol=1e-10)
    with pytest.raises(ValueError, match="needs 'dft 17'"):
        F.fft(values(17), plan=plan)


def test_lengths_without_large_prime_factors():
    def largest_factor(n):
        return max(p for p in range(1, n + 1) if n % p == 0 and all(p % q for q in range(2, p)))

    for is_real, largest in ((False, 11), (True, 5)):
        fast = [n for n in range(1, 500) if largest_factor(n) <= largest]
        for n in range(1, 450):
            assert F.next_fast_len(n, is_real) == min(m for m in fast if m >= n)
            assert F.prev_fast_len(n, is_real) == max(m for m in fast if m <= n)
    assert F.next_fast_len(0) == 0 and F.next_fast_len(2**40 + 1) > 2**40
    for function, wrong in ((F.next_fast_len, -1), (F.prev_fast_len, 0)):
        with pytest.raises(ValueError):
            function(wrong)


def test_the_cache_keeps_plans():
    F.clear_cache()
    for _ in range(3):
        F.fft(np.ones(12))
    assert swirl._core.cached_plans() == 1
    for n in range(1, 700):
        F.rfft(np.ones(8), n=n)
    assert swirl._core.cached_plans() == 512
    F.clear_cache()
    assert swirl._core.cached_plans() == 0


def test_frequencies_are_numpys_of_any_floating_type():
    for name in ("fftfreq", "rfftfreq"):
        ours, theirs = getattr(swirl.fft, name), getattr(np.fft, name)
        for n in (1, 2, 7, 100):
            np.testing.assert_array_equal(ours(n, 0.3), theirs(n, 0.3))
            result = ours(n, 0.3, dtype=np.float32, device="cpu")
            assert result.dtype == np.float32
            np.testing.assert_array_equal(result, theirs(n, 0.3).astype(np.float32))
        with pytest.raises(ValueError, match="int64"):
            ours(4, dtype=np.int64)
