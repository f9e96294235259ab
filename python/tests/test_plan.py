"""swirl.plan: what executions take and give, and what is refused."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import swirl


def random(*shape, dtype="complex128", seed=1):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


@pytest.mark.parametrize("dtype, word, tolerance", [("complex128", "float64", 1e-13), ("complex64", "float32", 1e-5)])
def test_a_transform_equals_its_definition(dtype, word, tolerance):
    x = random(12, dtype=dtype)
    k = np.arange(12)
    expected = np.exp(-2j * np.pi * np.outer(k, k) / 12) @ x
    result = swirl.plan(f"dft 12 {word}").execute(x)
    assert result.dtype == x.dtype
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance * 12)


def test_transforms_of_odd_period_and_walsh_functions_equal_their_definitions():
    n = 9
    j, k = np.arange(n), np.arange(n)[:, None]
    x = random(n, dtype="float64")
    weights = np.where(j == 0, 1, 2)
    np.testing.assert_allclose(swirl.plan("dct5 9").execute(x), (weights * np.cos(2 * np.pi * j * k / (2 * n - 1))) @ x, atol=1e-13)
    sines = 2 * np.sin(np.pi * (2 * j + 1) * (k + 1) / (2 * n + 1))
    np.testing.assert_allclose(swirl.plan("dst6 9").execute(x), sines @ x, atol=1e-13)
    rows = swirl.plan("wht_sequency 16 batch=16").execute(np.eye(16))
    np.testing.assert_array_equal(np.count_nonzero(np.diff(rows, axis=1), axis=1), np.arange(16))


def test_chirp_z_transforms_have_outputs_of_their_own_number():
    n, m, start, step = 40, 12, 0.2, 0.003
    x = random(3, n)
    expected = x @ np.exp(-2j * np.pi * np.outer(np.arange(n), start + step * np.arange(m)))
    result = swirl.plan(f"formula CZT({n}, {m}, {start}, {step}) batch=3").execute(x)
    assert result.shape == (3, m)
    np.testing.assert_allclose(result, expected, atol=1e-12)


def test_store_expressions_make_reals_of_complex_results():
    x = random(3, 16)
    result = swirl.plan('dft 16 batch=3 store="real: abs2(x)"').execute(x)
    assert result.dtype == np.float64
    np.testing.assert_allclose(result, np.abs(np.fft.fft(x))**2, rtol=1e-13)
    half = swirl.plan('rdft 16 float32 batch=3 planar store="real: re(x)"').execute(x.real.astype("float32"))
    np.testing.assert_allclose(half, np.fft.rfft(x.real).real, rtol=0, atol=1e-5)


def test_the_result_goes_to_out_or_to_a_new_array():
    x, y = random(3, 16), np.zeros((3, 16), complex)
    plan = swirl.plan("dft 16 batch=3")
    assert plan.execute(x, out=y) is y
    assert plan.execute(x, y) is y
    np.testing.assert_array_equal(plan.execute(x), y)


def test_contiguous_memory_of_any_shape_fits():
    x = random(3, 16)
    plan = swirl.plan("dft 16 batch=3")
    np.testing.assert_array_equal(plan.execute(x.ravel()), plan.execute(x))


def test_strided_arrays_fit_a_problem_with_their_strides():
    x = random(16, 3)
    transposed = x.T
    result = swirl.plan("dft 16 in=3 batch=3:(1,16)").execute(transposed)
    np.testing.assert_allclose(result, np.fft.fft(transposed), atol=1e-12)
    backwards = random(16)[::-1]
    np.testing.assert_allclose(swirl.plan("dft 16 in=-1").execute(backwards), np.fft.fft(backwards), atol=1e-12)
    with pytest.raises(ValueError, match="strides"):
        swirl.plan("dft 16 batch=3").execute(transposed)


def test_new_arrays_have_the_output_strides():
    result = swirl.plan("dft 4x3 out=(1,-8)").execute(random(4, 3))
    assert result.shape == (4, 3) and result.strides == (16, -128)
    np.testing.assert_allclose(result, np.fft.fft2(random(4, 3)), atol=1e-12)


def test_a_plan_in_place_overwrites_its_input():
    x = random(16)
    expected = np.fft.fft(x)
    assert swirl.plan("dft 16 inplace").execute(x) is x
    np.testing.assert_allclose(x, expected, atol=1e-12)
    padded = np.zeros(18)
    padded[:16] = random(16, dtype="float64")
    expected = np.fft.rfft(padded[:16])
    spectrum = swirl.plan("rdft 16 inplace").execute(padded)
    np.testing.assert_allclose(spectrum, expected, atol=1e-12)
    assert np.shares_memory(spectrum, padded)


def test_planar_data_are_pairs_of_arrays():
    x = random(16)
    real, imaginary = swirl.plan("dft 16 planar").execute((x.real.copy(), x.imag.copy()))
    np.testing.assert_allclose(real + 1j * imaginary, np.fft.fft(x), atol=1e-12)
    r = random(16, dtype="float64")
    real, imaginary = swirl.plan("rdft 16 planar").execute(r)
    np.testing.assert_allclose(real + 1j * imaginary, np.fft.rfft(r), atol=1e-12)


def test_named_arrays_are_those_of_callbacks():
    x, window, h = random(64), random(64, dtype="float64"), random(64)
    result = swirl.plan('dft 64 load="x * window[i]"').execute(x, window=window)
    np.testing.assert_allclose(result, np.fft.fft(x * window), atol=1e-12)
    result = swirl.plan("convolution 64").execute(x, spectrum=h)
    np.testing.assert_allclose(result, np.fft.ifft(np.fft.fft(x) * h), atol=1e-12)
    half = np.fft.rfft(random(64, dtype="float64"))
    result = swirl.plan("rconvolution 64").execute(window, spectrum=half)
    np.testing.assert_allclose(result, np.fft.irfft(np.fft.rfft(window) * half), atol=1e-12)
    with pytest.raises(ValueError, match="window"):
        swirl.plan('dft 64 load="x * window[i]"').execute(x)


def test_products_take_a_b_and_factors():
    a, b, c = (random(*shape, dtype="float64") for shape in ((5, 7), (7, 6), (5, 6)))
    plan = swirl.plan("gemm 5x6x7 a=rows b=rows c=rows")
    np.testing.assert_allclose(plan.execute(a, b), a @ b, atol=1e-13)
    expected = 2 * a @ b - 3 * c
    assert plan.execute(a, b, out=c, alpha=2, beta=-3) is c
    np.testing.assert_allclose(c, expected, atol=1e-13)
    columns = swirl.plan("gemm 5x6x7").execute(np.asfortranarray(a), np.asfortranarray(b))
    np.testing.assert_allclose(columns, a @ b, atol=1e-13)
    with pytest.raises(ValueError, match="beta"):
        plan.execute(a, b, beta=1)


def test_low_precision_products_have_wide_accumulators():
    a, b = np.arange(12, dtype=np.int8).reshape(3, 4), np.arange(8, dtype=np.int8).reshape(4, 2)
    result = swirl.plan("gemm 3x2x4 int32 a=rows,int8 b=rows,int8 c=rows").execute(a, b)
    np.testing.assert_array_equal(result, a.astype(np.int32) @ b.astype(np.int32))


@pytest.mark.parametrize("problem, error, text", [
    ("dft", ValueError, "dft"), ("dft 0", ValueError, "0"), ("dtf 16", ValueError, "dft"),
    ("dft 16x8 out=(3,1)", ValueError, "stride"), ("dft 9223372036854775807", ValueError, "64")])
def test_what_cannot_be_is_a_value_error(problem, error, text):
    with pytest.raises(error, match=text):
        swirl.plan(problem)


def test_options_that_cannot_be_are_value_errors():
    for options in ({"effort": "much"}, {"accuracy": "none"}, {"schedule": "nonsense"}, {"cpu": "8086"}, {"threads": -1}):
        with pytest.raises(ValueError):
            swirl.plan("dft 16", **options)
    with pytest.raises(MemoryError, match="limit"):
        swirl.plan("dft 2^20", memory_limit=1000)
    with pytest.raises(swirl.OutOfTime):
        swirl.plan("dft 2^20", planning_limit=1e-9)
    with pytest.raises(TimeoutError):
        swirl.plan("dft 2^20", planning_limit=1e-9)
    assert issubclass(swirl.Unavailable, RuntimeError) and issubclass(swirl.Unsupported, NotImplementedError)


def test_arrays_that_do_not_fit_are_refused():
    plan = swirl.plan("dft 16")
    for wrong in (random(15), random(16, dtype="complex64"), random(16, dtype="float64"), random(16).astype(">c16"),
                  np.frombuffer(bytes(16 * 16 + 1), np.uint8)[1:].view(np.complex128)):
        with pytest.raises((ValueError, TypeError)):
            plan.execute(wrong)
    with pytest.raises(TypeError):
        plan.execute([1, 2, 3])
    with pytest.raises(TypeError):
        plan.execute()
    x = random(16)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        plan.execute(random(16), out=x)
    y = random(17)
    with pytest.raises(ValueError, match="overlap"):
        plan.execute(y[:16], out=y[1:])


def test_a_plan_is_pickled_as_text():
    plan = swirl.plan("dft 64 float32 batch=3", threads=2)
    copy = pickle.loads(pickle.dumps(plan))
    assert (copy.problem, copy.schedule) == (plan.problem, plan.schedule)
    x = random(3, 64, dtype="complex64")
    np.testing.assert_array_equal(copy.execute(x), plan.execute(x))
    assert len(pickle.dumps(plan)) < 1000


def test_a_schedule_is_taken_back():
    plan = swirl.plan("dft 256")
    assert swirl.plan("dft 256", schedule=plan.schedule).schedule == plan.schedule
    assert "checked" in plan.description and plan.flops > 0


def test_problems_are_written_from_keywords():
    assert swirl.problem("dft", 1024) == "dft 1024 float64"
    text = swirl.problem("dft", (16, 8), dtype="float32", backward=True, in_strides=(1, 16), batch=[(10, 128)], norm="ortho",
                         load="x * window[i0]")
    assert text == 'dft 16x8 float32 backward in=(1,16) batch=10:128 norm=ortho load="x * window[i0]"'
    x, window = random(10, 8, 16, dtype="complex64"), random(16, dtype="float32")
    result = swirl.plan(text).execute(x.ravel(), window=window)
    expected = np.fft.ifft2(x.transpose(0, 2, 1) * window[:, None], norm="ortho")
    np.testing.assert_allclose(result, expected, atol=1e-5)


def test_an_interrupt_ends_a_search():
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        swirl.plan("dft 360360", effort="exhaustive")
    assert time.monotonic() - start < 60
    lines = []
    swirl.plan("dft 48", effort="measure", time_budget=0.2, progress=lines.append)
    assert all(isinstance(line, str) for line in lines)


def test_an_exception_of_progress_ends_a_search():
    def refuse(line):
        raise LookupError(line)

    with pytest.raises(LookupError):
        swirl.plan("dft 360360", effort="exhaustive", progress=refuse)


def test_transforms_of_memory_take_plans_of_their_problem():
    from swirl import _core

    x, y = random(8, 64), np.zeros((8, 64), complex)

    def transform(plan, x=x):
        number = _core.data_types["complex128"]
        _core.transform_memory(_core.FFT, 0, False, x.ctypes.data, number, (8, 64), (64, 1), (64,), (1,), y.ctypes.data,
                               _core.data_types["float64"], (64, 1), None, 1, -1, 0, False, None, None, plan)

    for plan in (None, swirl.plan("dft 64 batch=8", schedule="avx2: 0 stockham(4,4,4)", cpu="avx2")):
        y[:] = 0
        transform(plan)
        np.testing.assert_allclose(y, np.fft.fft(x), atol=1e-11)
    with pytest.raises(ValueError, match="dft 64 batch=8") as error:
        transform(swirl.plan("dft 32"))
    assert "dft 32" in str(error.value)
    with pytest.raises(TypeError, match="swirl.Plan"):
        transform("dft 64")
