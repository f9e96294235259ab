"""swirl.torch and swirl.plan on a GPU, with tensors of PyTorch: streams, graphs, compilation, any data type."""

import random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
if not torch.cuda.is_available():
    pytest.skip("PyTorch finds no GPU", allow_module_level=True)

import swirl.torch  # noqa: E402
from torch_cases import TOLERANCE, draw, error_of, of_torch, seed, values  # noqa: E402

T = swirl.torch
DTYPES = (torch.float32, torch.float64, torch.complex64, torch.complex128, torch.float16, torch.bfloat16, torch.complex32)


def test_a_plan_on_a_tensor():
    plan = swirl.plan("dft 1024 float32 batch=100", device="cuda:0")
    assert plan.device == "cuda:0"
    x = torch.randn(100, 1024, dtype=torch.complex64, device="cuda")
    y = plan.execute(x)
    assert y.is_cuda and error_of(y, torch.fft.fft(x.to(torch.complex128))) < 1e-5
    out = torch.empty_like(x)
    assert plan.execute(x, out=out) is out and torch.equal(out, y)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        assert torch.equal(plan.execute(x), y)
    plan.execute(x, out=out.zero_(), stream=torch.cuda.current_stream())
    assert torch.equal(out, y)
    for wrong in (x.cpu(), x.cpu().numpy(), x[:, ::2], x.real, x[:50]):
        with pytest.raises((ValueError, TypeError)):
            plan.execute(wrong)
    with pytest.raises(ValueError):
        plan.execute(x, out=x)  # it is out of place
    product = swirl.plan("gemm 64x48x32 float32 a=rows b=rows c=rows epilogue=max(0, x + bias[i])", device=torch.device("cuda", 0))
    a, b, bias = (torch.randn(*shape, device="cuda") for shape in ((64, 32), (32, 48), (64,)))
    torch.testing.assert_close(product.execute(a, b, bias=bias), (a.double() @ b.double() + bias[:, None]).clamp_min(0).float(),
                               rtol=1e-4, atol=1e-4)


def test_a_plan_on_an_array_of_cupy():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    plan = swirl.plan("dft 64 float32 batch=8", device=0)
    x = cupy.random.standard_normal((8, 64), dtype=cupy.float32).astype(cupy.complex64)
    with cupy.cuda.Stream():
        y = plan.execute(x)
        assert isinstance(y, cupy.ndarray)
        np.testing.assert_allclose(cupy.asnumpy(y), np.fft.fft(cupy.asnumpy(x)), rtol=0, atol=1e-3)

    class Interface:
        __cuda_array_interface__ = x.__cuda_array_interface__

    out = cupy.zeros_like(x)
    plan.execute(Interface(), out=out)
    assert (out == y).all()


def test_scipys_functions_of_arrays_of_cupy():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    import scipy.fft

    rng = np.random.default_rng(1)
    with scipy.fft.set_backend(swirl.fft):
        for name, options in (("fft", {}), ("ifft", {"n": 7, "axis": 0}), ("rfft", {"norm": "ortho"}), ("irfft", {"n": 20}),
                              ("hfft", {}), ("ihfft", {"norm": "forward"}), ("fft2", {}), ("rfftn", {"s": (5, 6), "axes": (1, 0)}),
                              ("irfftn", {}), ("fftn", {"axes": (1,)})):
            for dtype in ("float32", "float64", "complex64", "complex128", "int32"):
                x = (10 * rng.standard_normal((8, 9, 3))).astype(dtype)[..., 1]
                if name in ("rfft", "ihfft", "rfftn") and x.dtype.kind == "c":
                    continue
                result = getattr(scipy.fft, name)(cupy.asarray(x)[:, ::-1], **options)
                assert isinstance(result, cupy.ndarray)
                expected = getattr(swirl.fft, name)(x[:, ::-1], **options)
                assert result.dtype == expected.dtype
                np.testing.assert_allclose(cupy.asnumpy(result), expected, rtol=0, atol=1e-4 * abs(expected).max())
        with pytest.raises(ValueError):
            scipy.fft.fft(cupy.ones(4), 0)


def test_drawn_calls_equal_those_of_torch():
    number = seed()
    rng = random.Random(number)
    for call in range(120):
        name, x, options = draw(rng, "cuda", DTYPES[:5])
        if x.dtype == torch.float16:
            options["norm"] = "ortho"
        case = f"SEED={number}, call {call}: {name}, {x.dtype}, {tuple(x.shape)}, strides {x.stride()}, {options}"
        expected = of_torch(name, x, options)
        if isinstance(expected, Exception):
            with pytest.raises((RuntimeError, IndexError)):
                getattr(T, name)(x, **options)
            continue
        result = getattr(T, name)(x, **options)
        assert result.shape == expected.shape and result.is_cuda, case
        assert error_of(result, expected) < TOLERANCE[result.dtype], case


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_at_any_length(dtype):
    rng = random.Random(3)
    for n in (1, 2, 15, 97, 250, 1000, 1024, 4099, 65536):
        x = values(rng, (3, n, 2), dtype, "cuda")
        z = torch.view_as_complex(x.double().contiguous())
        result = T.fft(x, norm="ortho", pairs=True)
        assert result.dtype == dtype
        assert error_of(result, torch.view_as_real(torch.fft.fft(z, norm="ortho"))) < TOLERANCE[dtype], n
        r = x[..., 0]
        half = T.rfft(r, norm="ortho", pairs=True)
        assert error_of(half, torch.view_as_real(torch.fft.rfft(r.double(), norm="ortho"))) < TOLERANCE[dtype], n
        assert error_of(T.irfft(half, n, norm="ortho", pairs=True), r.double()) < TOLERANCE[dtype], n
        wide = T.rfft(r, norm="ortho")
        assert wide.dtype == (torch.complex64 if dtype is torch.bfloat16 else torch.complex32)
        assert error_of(wide, torch.fft.rfft(r.double(), norm="ortho")) < TOLERANCE[wide.dtype], n


def test_misaligned_reals_and_lazy_conjugates():
    x = torch.randn(1001, device="cuda")
    assert error_of(T.rfft(x[1:]), torch.fft.rfft(x[1:].double())) < 1e-5
    z = torch.randn(1000, device="cuda", dtype=torch.complex64)
    assert error_of(T.fft(z.conj()), torch.fft.fft(z.conj().to(torch.complex128))) < 1e-5


def test_executions_are_ordered_by_their_streams():
    x = torch.randn(64, 4096, dtype=torch.complex64, device="cuda")
    expected = torch.fft.fft(x)
    T.fft(x)
    stream = torch.cuda.Stream()
    for _ in range(20):
        y = torch.zeros_like(x)
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            torch.cuda._sleep(1_000_000)
            y.copy_(x)
            z = T.fft(y)
        torch.cuda.current_stream().wait_stream(stream)
        assert error_of(z, expected) < 1e-5


def test_graphs_capture_calls():
    x = torch.randn(10, 1000, device="cuda")
    big = torch.randn(3, 300007, device="cuda")  # needs a workspace

    def model():
        return T.irfft(T.rfft(x) * 2, 1000), T.rfft(big)

    model()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        first, second = model()
    x.normal_()
    big.normal_()
    graph.replay()
    torch.cuda.synchronize()
    torch.testing.assert_close(first, 2 * x, rtol=1e-4, atol=1e-4)
    assert error_of(second, torch.fft.rfft(big.double())) < 1e-4
    unplanned = torch.randn(7, 77, device="cuda")
    with pytest.raises(ValueError, match="before the capture"):
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            T.rfft(unplanned)


def test_gradients():
    for name, x in (("rfft", torch.randn(3, 10, dtype=torch.float64)), ("fft", torch.randn(3, 10, dtype=torch.complex128)),
                    ("fft", torch.randn(3, 10, dtype=torch.float64)), ("irfft", torch.randn(3, 6, dtype=torch.complex128))):
        x = x.cuda().requires_grad_()
        assert torch.autograd.gradcheck(getattr(T, name), x)
        assert torch.autograd.gradcheck(lambda x: getattr(T, name + "2")(x, (4, 7)), x)


def test_compile():
    def model(x):
        return T.irfft(T.rfft(x) * 2, x.shape[-1]) + 1

    x = torch.randn(5, 240, device="cuda", requires_grad=True)
    try:
        y = torch.compile(model, fullgraph=True)(x)
    except torch._inductor.exc.InductorError as error:
        pytest.skip(f"torch.compile cannot compile here: {error}")
    torch.testing.assert_close(y, 2 * x + 1, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(torch.autograd.grad(y.sum(), x)[0], torch.full_like(x, 2), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128])
def test_products(dtype):
    rng = random.Random(4)
    for _ in range(6):
        m, n, k = (rng.randint(1, 200) for _ in range(3))
        a, b = values(rng, (3, m, k), dtype, "cuda"), values(rng, (n, k), dtype, "cuda").mT
        wide = torch.complex128 if dtype.is_complex else torch.float64
        result = T.matmul(a, b)
        assert result.dtype == dtype
        assert error_of(result, a.to(wide) @ b.to(wide)) < max(TOLERANCE[dtype] / 5, 1e-13), (m, n, k)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64])
@pytest.mark.parametrize("n_fft, hop, win", [(400, 160, None), (512, 128, 400), (1024, 256, None), (63, 20, None), (64, 7, None)])
def test_short_time_transforms(n_fft, hop, win, dtype):
    x = torch.randn(3, 20000, dtype=dtype, device="cuda")
    window = torch.hann_window(win or n_fft, dtype=x.real.dtype, device="cuda") + 0.1
    epsilon = torch.finfo(dtype).eps
    for center, start in ((True, 0), (False, 0), (True, 1)):
        arguments = dict(hop_length=hop, win_length=win, window=window, center=center)
        given = x[:, start:]
        result, expected = (stft(given, n_fft, return_complex=True, **arguments) for stft in (T.stft, torch.stft))
        assert (result - expected).abs().max() < 100 * epsilon * expected.abs().max()
        if center or not win:
            options = {**arguments, "return_complex": dtype.is_complex}
            result, expected = (istft(expected, n_fft, **options) for istft in (T.istft, torch.istft))
            assert (result - expected).abs().max() < 1000 * epsilon * max(1, expected.abs().max())
    gradients = []
    for stft in (T.stft, torch.stft):
        y = x.clone().requires_grad_()
        stft(y, n_fft, hop, win, window, return_complex=True).abs().square().sum().backward()
        gradients.append(y.grad)
    assert (gradients[0] - gradients[1]).abs().max() < 1000 * epsilon * gradients[1].abs().max()


def test_a_graph_captures_a_short_time_transform():
    x, window = torch.randn(4, 16000, device="cuda"), torch.hann_window(400, device="cuda")
    stft = lambda: T.stft(x, 400, 160, window=window, return_complex=True)  # noqa: E731
    stft()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = stft()
    x.normal_()
    graph.replay()
    expected = torch.stft(x, 400, 160, window=window, return_complex=True)
    assert (result - expected).abs().max() < 1e-4 * expected.abs().max()


def test_functions_of_arrays_of_cupy_take_plans():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    scipy_fft = pytest.importorskip("scipy.fft", reason="SciPy is not installed")
    x = cupy.random.standard_normal((8, 64)) + 1j
    with scipy_fft.set_backend(swirl.fft, only=True):
        with pytest.raises(ValueError, match="dft 64 batch=8") as error:
            scipy_fft.fft(x, plan=swirl.plan("dft 32", device=0))
        assert "dft 32" in str(error.value)
        plan = swirl.plan("dft 64 batch=8", device=0, effort="measure", time_budget=0.2)
        np.testing.assert_allclose(cupy.asnumpy(scipy_fft.fft(x, plan=plan)), np.fft.fft(cupy.asnumpy(x)), rtol=0, atol=1e-11)
        with pytest.raises(ValueError, match="cpu"):
            scipy_fft.fft(x, plan=swirl.plan("dft 64 batch=8"))
