"""swirl.convolve against its definition and SciPy's functions."""

import numpy as np
import pytest

import swirl
from swirl import _convolution

signals = pytest.importorskip("scipy.signal")
RNG = np.random.default_rng(7)


def random(shape, dtype):
    values = RNG.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * RNG.standard_normal(shape)
    return values.astype(dtype)


def check(a, b, mode, axes=None, **options):
    result = swirl.convolve(a, b, mode, axes, **options)
    exact = [x.astype(np.complex128 if np.iscomplexobj(x) else np.float64) for x in (a, b)]
    if mode == "same":  # of axes that broadcast SciPy takes the middle, too
        exact[0] = np.broadcast_to(exact[0], [n if axes is None or d in np.ravel(axes) % a.ndim else max(n, m)
                                              for d, (n, m) in enumerate(zip(a.shape, b.shape))])
    expected = signals.fftconvolve(*exact, mode, axes)
    assert result.shape == expected.shape and result.dtype == np.result_type(a, b)
    epsilon = np.finfo(result.dtype).eps
    norms = [np.sqrt(np.sum(np.abs(x.astype(complex)) ** 2)) for x in (a, b)]
    np.testing.assert_allclose(result, expected, rtol=0, atol=20 * epsilon * norms[0] * norms[1])
    assert result.base is None and result.flags.writeable


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("n, k", [(1, 1), (5, 3), (7, 7), (100, 9), (3, 50), (1000, 100), (5000, 11), (40000, 1), (30011, 128),
                                  (30000, 4001), (65536, 500)])
def test_one_dimension(n, k, mode, dtype):
    check(random(n, dtype), random(k, dtype), mode)


def test_the_result_equals_the_definition():
    for n, k in ((40, 7), (3000, 33)):
        a, b = random(n, "float64"), random(k, "float64")
        expected = [sum(b[j] * a[m - j] for j in range(k) if 0 <= m - j < n) for m in range(n + k - 1)]
        np.testing.assert_allclose(swirl.convolve(a, b), expected, atol=1e-11)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("rows", [(1,), (2,), (3,), (4, 3), (2, 1, 5)])
@pytest.mark.parametrize("n, k", [(60, 9), (700, 100), (9000, 65), (9001, 200)])
def test_rows_with_one_kernel(rows, n, k, mode, dtype):
    check(random((*rows, n), dtype), random((*(1 for _ in rows), k), dtype), mode, axes=-1)


def test_random_cases():
    rng = np.random.default_rng(20261126)
    for case in range(150):
        dimensions = int(rng.integers(1, 4))
        axes = sorted(rng.permutation(dimensions)[:rng.integers(1, dimensions + 1)].tolist())
        longest = {1: 20000, 2: 120, 3: 30}[len(axes)]
        shapes = [[], []]
        for d in range(dimensions):
            if d in axes:
                lengths = rng.integers(1, longest, 2)
                if rng.integers(2):
                    lengths[1] = rng.integers(1, 1 + lengths[1] // 8 + 1)
            else:
                lengths = [int(rng.integers(1, 5))] * 2
                if rng.integers(2):
                    lengths[rng.integers(2)] = 1
            for shape, length in zip(shapes, lengths):
                shape.append(int(length))
        dtypes = [("float32", "float64", "complex64", "complex128")[rng.integers(4)] for _ in range(2)]
        mode = ("full", "same", "valid")[rng.integers(3)]
        a, b = (random(shape, dtype) for shape, dtype in zip(shapes, dtypes))
        if rng.integers(2):
            a = random([2 * length for length in shapes[0]], dtypes[0])[tuple(slice(None, None, -2) for _ in shapes[0])]
        fits = [all(shapes[i][d] >= shapes[1 - i][d] for d in axes) for i in range(2)]
        if mode == "valid" and not any(fits):
            with pytest.raises(ValueError, match="valid"):
                swirl.convolve(a, b, mode, axes)
            continue
        check(a, b, mode, axes if rng.integers(2) or len(axes) < dimensions else None)


def test_other_types_follow_scipy():
    for dtypes in (("int32", "int64"), ("uint8", "uint8"), ("int16", "float32"), ("float16", "float16"), ("bool", "int32")):
        a, b = (RNG.integers(0, 3, n).astype(dtype) for n, dtype in zip((500, 20), dtypes))
        for mode in ("full", "same", "valid"):
            result, expected = swirl.convolve(a, b, mode), signals.convolve(a, b, mode, method="direct")
            assert result.dtype == expected.dtype
            np.testing.assert_allclose(result, expected, rtol=0, atol=0 if result.dtype.kind in "iu" else 2e-5)
    with pytest.raises(TypeError):
        swirl.convolve(np.ones(3, np.longdouble), np.ones(2))
    assert swirl.convolve(2.0, 3.0) == 6 and swirl.convolve([], [1.0]).shape == (0,)
    np.testing.assert_array_equal(swirl.convolve([1, 2, 3], [1, 1]), [1, 3, 5, 3])


def test_arguments_that_cannot_be():
    x = np.ones((4, 5))
    for arguments in ((x, np.ones(3)), (x, x, "most"), (x, x, "full", [0, 0]), (x, x, "full", 2), (x, x, "full", []),
                      (x, np.ones((3, 5)), "full", 1), (x, np.ones((5, 3)), "valid")):
        with pytest.raises(ValueError):
            swirl.convolve(*arguments)
    with pytest.raises(ValueError, match="workers"):
        swirl.convolve(x, x, workers=0)


def test_workers_change_no_bits():
    a, b = random((8, 50000), "float32"), random((1, 300), "float32")
    np.testing.assert_array_equal(swirl.convolve(a, b, axes=1, workers=4), swirl.convolve(a, b, axes=1))


def test_one_kernel_is_a_linear_convolution(monkeypatch):
    calls = []
    execute = _convolution._core.convolve_memory
    monkeypatch.setattr(_convolution._core, "convolve_memory", lambda *given: calls.append(given[6:8]) or execute(*given))
    check(random(100000, "float64"), random(100, "float64"), "full")
    check(random((6, 300), "float64"), random((1, 100), "float64"), "same", 1)
    check(random((40, 50), "float32"), random((5, 6), "float32"), "valid")
    assert calls == [((100000,), (100,)), ((300,), (100,)), ((40, 50), (5, 6))]
    check(random((4, 300), "float64"), random((4, 100), "float64"), "full", 1)  # a kernel each
    check(random(50, "float64"), random(3000, "float64"), "same")
    assert len(calls) == 3


def test_signals_may_lie_anywhere():
    a = random((50, 3, 2000), "float32")
    check(a[::-2, :, ::3], random((1, 1, 20), "float32"), "same", 2)
    check(a[:, :, :30], random((9, 1, 1), "float32"), "full", 0)
