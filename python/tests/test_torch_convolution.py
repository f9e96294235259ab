"""swirl.torch.fft_convolve against the definition: modes, dimensions, broadcasting, types, derivatives, compilation."""

import random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import swirl.torch  # noqa: E402
from torch_cases import TOLERANCE, error_of, seed, values  # noqa: E402

T = swirl.torch


def by_definition(signal, kernel, mode):
    """Along the last dimension."""
    shape = torch.broadcast_shapes(signal.shape[:-1], kernel.shape[:-1])
    rows = (x.expand(*shape, -1).reshape(-1, x.shape[-1]).numpy() for x in (signal, kernel))
    result = np.array([np.convolve(a, b, "valid" if mode == "valid" else "full") for a, b in zip(*rows)])
    result = torch.from_numpy(result).reshape(*shape, -1)
    return result.narrow(-1, (kernel.shape[-1] - 1) // 2, signal.shape[-1]) if mode == "same" else result


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128])
def test_drawn_convolutions_equal_their_definition(dtype):
    number = seed()
    rng = random.Random(number)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    for call in range(20):
        long, short, mode = rng.randint(1, 90), rng.randint(1, 30), rng.choice(("full", "same", "valid"))
        if mode == "valid":
            long = max(long, short)
        stack = [rng.randint(1, 4) for _ in range(rng.randint(0, 2))]
        signal = values(rng, [*(n if rng.random() < 0.7 else 1 for n in stack), long], dtype, "cpu")
        kernel = values(rng, [*(n if rng.random() < 0.7 else 1 for n in stack), short], dtype, "cpu")
        expected = by_definition(signal.to(wide), kernel.to(wide), mode)
        dim = rng.randint(-len(stack) - 1, -1)
        result = T.fft_convolve(signal.movedim(-1, dim), kernel.movedim(-1, dim), mode, dim).movedim(dim, -1)
        case = f"SEED={number}, call {call}: {signal.shape} {kernel.shape} {mode} {dim}"
        assert result.shape == expected.shape and result.dtype == dtype, case
        assert error_of(result, expected) < TOLERANCE[dtype], case


def test_several_dimensions():
    rng = random.Random(3)
    signal, kernel = values(rng, (3, 9, 14), torch.float64, "cpu"), values(rng, (1, 4, 5), torch.float64, "cpu")
    expected = torch.nn.functional.conv2d(signal[:, None], kernel.flip(1, 2)[None], padding=(3, 4))[:, 0]
    torch.testing.assert_close(T.fft_convolve(signal, kernel, dim=(1, 2)), expected)
    torch.testing.assert_close(T.fft_convolve(signal, kernel, "valid", dim=(-1, -2)), expected[:, 3:-3, 4:-4])


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_derivatives(dtype):
    rng = random.Random(1)
    signal = values(rng, (2, 1, 7), dtype, "cpu").requires_grad_()
    kernel = values(rng, (1, 3, 4), dtype, "cpu").requires_grad_()
    for mode in ("full", "same", "valid"):
        assert torch.autograd.gradcheck(lambda x, h: T.fft_convolve(x, h, mode), (signal, kernel), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(T.fft_convolve, (signal, kernel))
    first = [x.detach().movedim(-1, 0).requires_grad_() for x in (signal, kernel)]
    assert torch.autograd.gradcheck(lambda x, h: T.fft_convolve(x, h, "same", 0), first, check_batched_grad=True)


def test_vmap_compile_and_pytorchs_checks():
    rng = random.Random(2)
    signal, kernel = values(rng, (5, 3, 20), torch.float32, "cpu"), values(rng, (3, 7), torch.float32, "cpu")
    expected = T.fft_convolve(signal, kernel[None])
    torch.testing.assert_close(torch.vmap(T.fft_convolve, (0, None))(signal, kernel), expected)
    compiled = torch.compile(lambda x, h: T.fft_convolve(x, h) + 1, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(signal, kernel[None]), expected + 1)
    spectrum = torch.fft.rfft(kernel.double(), 30)[None].requires_grad_()
    torch.library.opcheck(torch.ops.swirl.filter.default, (signal.double().requires_grad_(), spectrum, [30], [2], False))


def test_errors():
    x, h = torch.ones(3, 8), torch.ones(1, 3)
    for call in (lambda: T.fft_convolve(x, h, "other"), lambda: T.fft_convolve(x, h[0]), lambda: T.fft_convolve(x, h + 0j),
                 lambda: T.fft_convolve(h, x, "valid"), lambda: T.fft_convolve(x[:, :0], h), lambda: T.fft_convolve(x, h.expand(2, 3))):
        with pytest.raises(RuntimeError):
            call()
