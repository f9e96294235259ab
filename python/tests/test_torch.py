"""swirl.torch against torch.fft, for calls drawn at random; arguments, errors, data types."""

import inspect
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import swirl.torch  # noqa: E402
from torch_cases import ONE, TOLERANCE, draw, error_of, of_torch, seed, values  # noqa: E402

T = swirl.torch
NAMES = [name + kind for kind in ("", "2", "n") for name in ONE]


def result_or_error(name, x, options):
    try:
        return getattr(T, name)(x, **options)
    except (RuntimeError, IndexError) as error:
        return error


def test_drawn_calls_equal_those_of_torch():
    number, rng = seed(), None
    rng = random.Random(number)
    for call in range(300):
        name, x, options = draw(rng)
        case = f"SEED={number}, call {call}: {name}, {x.dtype}, {tuple(x.shape)}, strides {x.stride()}, {options}"
        expected, result = of_torch(name, x, options), result_or_error(name, x, options)
        if isinstance(expected, Exception):
            assert isinstance(result, Exception), f"{case}: {expected!r}"
            continue
        assert not isinstance(result, Exception), f"{case}: {result!r}"
        assert result.dtype == getattr(torch.fft, name)(x, **options).dtype, case
        assert result.shape == expected.shape and result.is_contiguous(), case
        assert error_of(result, expected) < TOLERANCE[result.dtype], case


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.complex32])
def test_half_precision_at_any_length(dtype):
    number = seed()
    rng = random.Random(number)
    for call in range(60):
        name, x, options = draw(rng, dtypes=(torch.float16, torch.float32))
        real = name.startswith(("rfft", "ihfft"))
        if dtype is torch.bfloat16:
            if not real and rng.random() < 0.5:
                continue
            x = x.bfloat16()
        elif dtype is torch.complex32:
            if real:
                continue
            x = torch.view_as_complex(torch.stack([x, x.flip(0)], -1).half())
        else:
            x = x.half()
        options["norm"] = "ortho"
        case = f"SEED={number}, call {call}: {name}, {x.dtype}, {tuple(x.shape)}, strides {x.stride()}, {options}"
        wide = torch.view_as_real(x).double() if x.is_complex() else x.double()
        expected = of_torch(name, torch.view_as_complex(wide) if x.is_complex() else wide, options)
        result = result_or_error(name, x, options)
        if isinstance(expected, Exception):
            assert isinstance(result, Exception), case
            continue
        assert not isinstance(result, Exception), f"{case}: {result!r}"
        assert result.shape == expected.shape, case
        gives_reals = name.startswith(("irfft", "hfft"))
        kept = torch.float32 if dtype is torch.bfloat16 else torch.float16
        if dtype is torch.bfloat16 and gives_reals:
            assert result.dtype in (torch.bfloat16, torch.float32)
        else:
            assert result.dtype == (kept if gives_reals else {torch.float32: torch.complex64, torch.float16: torch.complex32}[kept])
        assert error_of(result, expected) < TOLERANCE[result.dtype], case


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_pairs_are_complex_data_of_real_types(dtype):
    rng = random.Random(5)
    for n in (1, 8, 17, 60, 97, 256):
        x = values(rng, (3, n, 2), dtype, "cpu")
        z = torch.view_as_complex(x.double().contiguous())
        for name in ("fft", "ifft"):
            result = getattr(T, name)(x, norm="ortho", pairs=True)
            assert result.dtype == dtype and result.shape == (3, n, 2)
            expected = torch.view_as_real(getattr(torch.fft, name)(z, norm="ortho"))
            assert error_of(result, expected) < TOLERANCE[dtype], (name, n)
        r = values(rng, (3, n), dtype, "cpu")
        half = T.rfft(r, norm="ortho", pairs=True)
        assert half.dtype == dtype and half.shape == (3, n // 2 + 1, 2)
        assert error_of(half, torch.view_as_real(torch.fft.rfft(r.double(), norm="ortho"))) < TOLERANCE[dtype]
        back = T.irfft(half, n, norm="ortho", pairs=True)
        assert back.dtype == dtype and error_of(back, r.double()) < TOLERANCE[dtype]
        spread = torch.zeros(2, n, 3, dtype=dtype).permute(2, 1, 0).copy_(x)  # components far apart
        assert torch.equal(T.fft(spread, norm="ortho", pairs=True), T.fft(x, norm="ortho", pairs=True))
    with pytest.raises(RuntimeError, match="pairs"):
        T.fft(torch.ones(4, 3), pairs=True)


def test_signatures_and_documents():
    for name in NAMES:
        ours = inspect.signature(getattr(T, name)).parameters
        assert list(ours)[:4] == ["input", "n" if name in ONE else "s", "dim", "norm"] and ours["out"].kind is ours["out"].KEYWORD_ONLY
        assert getattr(T, name).__doc__
    assert set(NAMES) < set(T.__all__)


def test_out_of_any_strides():
    x = values(random.Random(1), (5, 12), torch.complex128, "cpu")
    expected = torch.fft.fft(x)
    for out in (torch.empty(5, 12, dtype=x.dtype), torch.empty(12, 5, dtype=x.dtype).T, torch.empty(10, 24, dtype=x.dtype)[::2, ::2],
                torch.empty(3, dtype=x.dtype), x.clone()):
        assert T.fft(x, out=out) is out
        torch.testing.assert_close(out, expected)
    y = x.clone()
    torch.testing.assert_close(T.fft(y, out=y), expected)
    r = torch.empty(5, 12, dtype=torch.float64)
    torch.testing.assert_close(T.irfft(torch.fft.rfft(x.real), 12, out=r), x.real)
    half = torch.empty(7, 5, 2, dtype=torch.float64).transpose(0, 1)
    T.rfft(x.real, out=half, pairs=True)
    torch.testing.assert_close(torch.view_as_complex(half), torch.fft.rfft(x.real))
    with pytest.raises(RuntimeError, match="cast"):
        T.fft(x, out=torch.empty(5, 12))


@pytest.mark.parametrize("call", [
    lambda F: F.fft(torch.ones(4), 0), lambda F: F.fft(torch.ones(4), dim=1), lambda F: F.fft(torch.ones(4), norm="other"),
    lambda F: F.irfft(torch.ones(1)), lambda F: F.rfft(torch.ones(4) * 1j), lambda F: F.fftn(torch.ones(4, 4), dim=(0, 0)),
    lambda F: F.fftn(torch.ones(4, 4), (2, 2, 2)), lambda F: F.fftn(torch.ones(4, 4), (2, 2), (0,)), lambda F: F.rfftn(torch.ones(4), dim=()),
    lambda F: F.fft2(torch.ones(4)), lambda F: F.fft(torch.ones(0)), lambda F: F.fft(torch.tensor(1.0)), lambda F: F.fftn(torch.ones(4), 5, dim=(0, 1))])
def test_errors_are_those_of_torch(call):
    with pytest.raises(Exception) as theirs:
        call(torch.fft)
    with pytest.raises(type(theirs.value)):
        call(T)


def test_empty_batches_and_no_dimensions():
    for name, shape, result in (("fft", (0, 8), (0, 8)), ("rfft", (0, 8), (0, 5)), ("irfft", (0, 5), (0, 8))):
        assert getattr(T, name)(torch.ones(shape)).shape == result
    x = torch.ones(3, dtype=torch.complex64)
    assert torch.equal(T.fftn(x, dim=()), x) and T.fftn(torch.ones(3), dim=()).dtype == torch.complex64


def test_results_do_not_depend_on_threads():
    x = values(random.Random(2), (64, 1024), torch.complex64, "cpu")
    former = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        one = T.fft(x)
        torch.set_num_threads(2)
        assert torch.equal(T.fft(x), one)
    finally:
        torch.set_num_threads(former)


def test_autocast_gives_float32():
    x = torch.ones(8, dtype=torch.float16)
    assert T.rfft(x).dtype == torch.complex32
    with torch.autocast("cpu", torch.bfloat16):
        assert T.rfft(x).dtype == torch.complex64 and T.rfft(x.bfloat16()).dtype == torch.complex64


def test_the_mode_replaces_the_functions_of_torch():
    x = values(random.Random(3), (4, 30), torch.float32, "cpu")
    ours, theirs = T.rfft(x), torch.fft.rfft(x)
    swirl._core.clear_memory_plans()
    with T.as_torch_fft():
        assert torch.equal(torch.fft.rfft(x), ours)
        assert torch.fft.rfft(x.bfloat16()).dtype == torch.complex64
        with pytest.raises(RuntimeError, match="Invalid number"):
            torch.fft.rfft(x, 0)
        assert torch.fft.fftshift(x).shape == x.shape
    assert swirl._core.memory_plans() == 2
    assert torch.equal(torch.fft.rfft(x), theirs)
    former = torch.fft.rfft
    T.enable()
    try:
        assert torch.fft.rfft is not former and torch.equal(torch.fft.rfft(x), ours)
    finally:
        T.disable()
    assert torch.fft.rfft is former


def test_numpy_shares_the_values():
    x = np.random.default_rng(1).standard_normal((3, 20))
    np.testing.assert_array_equal(T.rfft(torch.from_numpy(x)).numpy(), swirl.fft.rfft(x))
