"""swirl.torch.stft and istft against torch's, with their derivatives."""

import itertools
import warnings

import pytest

torch = pytest.importorskip("torch")

import swirl.torch  # noqa: E402


def random(*shape, dtype=torch.float64, seed=1):
    return torch.randn(*shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def close(result, expected, factor=300):
    epsilon = torch.finfo(expected.dtype).eps
    torch.testing.assert_close(result, expected, rtol=0, atol=factor * epsilon * max(1, expected.abs().max().item()),
                               check_stride=False)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128])
@pytest.mark.parametrize("n_fft, hop, win", [(400, 160, None), (64, 16, 50), (63, 20, 63), (128, 200, None), (16, 1, None)])
def test_arguments_of_torch(n_fft, hop, win, dtype):
    for shape, center, pad_mode in itertools.product([(1000,), (3, 777)], [True, False], ["reflect", "constant", "replicate", "circular"]):
        if pad_mode != "reflect" and not center:
            continue
        x = random(*shape, dtype=dtype)
        window = random(win or n_fft, dtype=x.real.dtype).abs() if hop != 200 else None
        for normalized, onesided in itertools.product([True, False], [None, False]):
            arguments = dict(hop_length=hop, win_length=win, window=window, center=center, pad_mode=pad_mode, normalized=normalized,
                             onesided=onesided, return_complex=True)
            result, expected = swirl.torch.stft(x, n_fft, **arguments), torch.stft(x, n_fft, **arguments)
            assert result.shape == expected.shape and result.stride(-2) == 1
            close(result, expected)


def test_signals_of_few_frames():
    for n in (3, 9, 33, 47, 64, 65, 130):
        for n_fft in (4, 16, 64):
            for hop in (1, 3, 16, 50):
                if n_fft // 2 >= n:
                    continue
                x, window = random(n), random(n_fft)
                close(swirl.torch.stft(x, n_fft, hop, window=window, return_complex=True),
                      torch.stft(x, n_fft, hop, window=window, return_complex=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128])
def test_the_inverse_is_torchs(dtype):
    for n_fft, hop, win in ((64, 16, None), (63, 20, 60), (400, 160, None)):
        window = torch.hann_window(win or n_fft, dtype=torch.empty(0, dtype=dtype).real.dtype) + 0.1
        for shape, center, normalized in itertools.product([(2000,), (2, 3000)], [True] if win else [True, False], [True, False]):
            x = random(*shape, dtype=dtype)
            arguments = dict(hop_length=hop, win_length=win, window=window, center=center, normalized=normalized)
            spectra = torch.stft(x, n_fft, return_complex=True, **arguments)
            for length in (None, 1500) if win else (None, 1500, 4000):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    expected = torch.istft(spectra, n_fft, length=length, return_complex=dtype.is_complex, **arguments)
                    result = swirl.torch.istft(spectra, n_fft, length=length, return_complex=dtype.is_complex, **arguments)
                close(result, expected, 1000)
            close(swirl.torch.istft(spectra.contiguous(), n_fft, return_complex=dtype.is_complex, **arguments),
                  torch.istft(spectra, n_fft, return_complex=dtype.is_complex, **arguments), 1000)


def test_any_two_sided_spectra_give_torchs_signals():
    for n_fft in (10, 9):
        spectra, window = random(3, n_fft, 7, dtype=torch.complex128), torch.ones(n_fft, dtype=torch.float64)
        for return_complex in (True, False):
            close(swirl.torch.istft(spectra, n_fft, window=window, return_complex=return_complex),
                  torch.istft(spectra, n_fft, window=window, return_complex=return_complex))


def test_a_missing_window_is_warned_about():
    with pytest.warns(UserWarning, match="A window was not provided"):
        swirl.torch.stft(random(100), 16, return_complex=True)


def test_errors_are_those_of_torch():
    x, z = random(100), random(9, 20, dtype=torch.complex128)
    for arguments in (dict(n_fft=0), dict(n_fft=16, hop_length=0), dict(n_fft=16, win_length=17), dict(n_fft=16, window=random(15)),
                      dict(n_fft=16, return_complex=None), dict(n_fft=300), dict(n_fft=101, center=False), dict(n_fft=16, pad_mode="x")):
        arguments = {"return_complex": True, **arguments}
        for stft in (swirl.torch.stft, torch.stft):
            with pytest.raises((RuntimeError, NotImplementedError)):
                stft(x, **arguments)
    for arguments in (dict(n_fft=15, onesided=False), dict(n_fft=16, hop_length=17), dict(n_fft=16, return_complex=True),
                      dict(n_fft=16, hop_length=16, window=torch.zeros(16, dtype=torch.float64))):
        for istft in (swirl.torch.istft, torch.istft):
            with pytest.raises(RuntimeError):
                istft(z, **arguments)


def test_derivatives_of_any_order():
    x, window = random(2, 50).requires_grad_(), (random(16).abs() + 0.5).requires_grad_()
    options = dict(fast_mode=True, check_forward_ad=True)
    for arguments in (dict(), dict(center=False, normalized=True), dict(onesided=False), dict(pad_mode="constant", hop_length=5)):
        def stft(x, window):
            return swirl.torch.stft(x, 16, window=window, return_complex=True, **arguments)

        assert torch.autograd.gradcheck(stft, (x, window), **options)
    assert torch.autograd.gradgradcheck(stft, (x, window), fast_mode=True)
    z = random(2, 60, dtype=torch.complex128).requires_grad_()
    assert torch.autograd.gradcheck(lambda z, w: swirl.torch.stft(z, 16, window=w, return_complex=True), (z, window), **options)

    for dtype, bins in ((torch.float64, 9), (torch.complex128, 16)):
        spectra = random(2, bins, 12, dtype=torch.complex128).requires_grad_()

        def istft(spectra, window):
            return swirl.torch.istft(spectra, 16, window=window, return_complex=dtype.is_complex)

        assert torch.autograd.gradcheck(istft, (spectra, window), **options)
        assert torch.autograd.gradgradcheck(istft, (spectra, window), fast_mode=True)


def test_gradients_are_those_of_torch():
    gradients = []
    for stft, istft in ((swirl.torch.stft, swirl.torch.istft), (torch.stft, torch.istft)):
        x = random(3, 2000).requires_grad_()
        window = (torch.hann_window(64, dtype=torch.float64) + 0.2).requires_grad_()
        spectra = stft(x, 64, window=window, return_complex=True)
        signal = istft(spectra * spectra.abs(), 64, window=window)
        (signal ** 2).sum().backward()
        gradients.append((x.grad, window.grad))
    for result, expected in zip(*gradients):
        close(result, expected, 10000)


def test_vmap_and_functional_gradients():
    x, window = random(3, 2, 200), torch.hann_window(32, dtype=torch.float64)

    def loss(x):
        return swirl.torch.stft(x, 32, window=window, return_complex=True).abs().square().sum()

    def expected(x):
        return torch.stft(x, 32, window=window, return_complex=True).abs().square().sum()

    close(torch.func.grad(loss)(x[0]), torch.func.grad(expected)(x[0]), 1000)
    close(torch.vmap(loss)(x), torch.stack([expected(each) for each in x]), 10000)


def test_compilation_makes_one_graph():
    window = torch.hann_window(32, dtype=torch.float64)

    def f(x):
        spectra = swirl.torch.stft(x, 32, window=window, return_complex=True)
        return swirl.torch.istft(spectra, 32, window=window)

    x = random(2, 500)
    compiled = torch.compile(f, fullgraph=True, backend="aot_eager")
    close(compiled(x), f(x))
    grads = []
    for function in (compiled, f):
        y = x.clone().requires_grad_()
        function(y).square().sum().backward()
        grads.append(y.grad)
    close(*grads, 1000)


def test_torchs_functions_are_swirls_inside_the_mode(monkeypatch):
    from swirl.torch import _stft

    calls = []
    transformed = _stft._transformed
    monkeypatch.setattr(_stft, "_transformed", lambda *given, **named: calls.append(1) or transformed(*given, **named))
    x, window = random(500), torch.hann_window(64, dtype=torch.float64)
    expected = torch.stft(x, 64, window=window, return_complex=True)
    with swirl.torch.as_torch_fft():
        close(torch.stft(x, 64, window=window, return_complex=True), expected)
        close(x.stft(64, window=window, return_complex=True), expected)
        close(torch.istft(expected, 64, window=window), x[:torch.istft(expected, 64, window=window).shape[0]])
        with pytest.raises(RuntimeError, match="n_fft"):
            torch.stft(x, 0, return_complex=True)
    assert len(calls) >= 2
    calls.clear()
    swirl.torch.enable()
    try:
        close(torch.stft(x, 64, window=window, return_complex=True), expected)
    finally:
        swirl.torch.disable()
    assert calls and torch.stft is torch.functional.stft


def test_types_of_16_bits_are_computed_in_float32():
    x, window = random(300, dtype=torch.float32), torch.hann_window(32)
    expected = torch.stft(x, 32, window=window, return_complex=True)
    for dtype in (torch.float16, torch.bfloat16):
        result = swirl.torch.stft(x.to(dtype), 32, window=window.to(dtype), return_complex=True)
        assert result.dtype == torch.complex64
        torch.testing.assert_close(result, expected, rtol=0.05, atol=0.2, check_stride=False)
    with pytest.raises(RuntimeError):
        swirl.torch.stft(torch.arange(100), 16, return_complex=True)
