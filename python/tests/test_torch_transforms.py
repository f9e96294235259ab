"""swirl.torch under what observes calls: autograd, forward mode, vmap, fake tensors, torch.compile."""

import itertools
import random

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch.autograd import forward_ad, gradcheck, gradgradcheck  # noqa: E402

import swirl.torch  # noqa: E402
from torch_cases import ONE, TOLERANCE, draw, error_of, of_torch, seed, values  # noqa: E402

T = swirl.torch
REAL_INPUT = ("rfft", "ihfft")


def sample(name, shape, dtype=None):
    dtype = dtype or (torch.float64 if name.startswith(REAL_INPUT) else torch.complex128)
    return values(random.Random(9), shape, dtype, "cpu")


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("n, norm", [(None, None), (3, "ortho"), (8, "forward"), (9, None)])
def test_derivatives_in_one_dimension(name, n, norm):
    x = sample(name, (2, 6)).requires_grad_()

    def function(x):
        return getattr(T, name)(x, n, norm=norm)

    assert gradcheck(function, x, check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True)
    assert gradgradcheck(function, x)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("s, dim", [((4, 5), (0, 2)), ((3, 6), (2, 1)), ((2, 3, 4), (2, 0, 1))])
def test_derivatives_in_several_dimensions(name, s, dim):
    x = sample(name, (2, 4, 3)).requires_grad_()

    def function(x):
        return getattr(T, name + "n")(x, s, dim)

    assert gradcheck(function, x, check_forward_ad=True)
    assert gradgradcheck(function, x)


@pytest.mark.parametrize("name", ("fft", "ifft"))
def test_derivatives_of_the_whole_spectrum_of_reals(name):
    x = sample("rfft", (3, 5)).requires_grad_()
    for n in (None, 4, 7):
        assert gradcheck(lambda x: getattr(T, name)(x, n), x, check_forward_ad=True)
        assert gradgradcheck(lambda x: getattr(T, name)(x, n), x)


@pytest.mark.parametrize("name", ONE)
def test_derivatives_with_pairs(name):
    shape = (2, 6) if name in REAL_INPUT else (2, 6, 2)
    x = sample("rfft", shape).requires_grad_()
    for n in (None, 4, 9):
        assert gradcheck(lambda x: getattr(T, name)(x, n, pairs=True), x, check_forward_ad=True)


def test_gradients_have_the_inputs_type():
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        x = torch.randn(3, 10, dtype=dtype, requires_grad=True)
        T.rfft(x).abs().float().sum().backward()
        assert x.grad.dtype == dtype
        wide = x.detach().double().requires_grad_()
        torch.fft.rfft(wide).abs().sum().backward()
        torch.testing.assert_close(x.grad.double(), wide.grad, rtol=0.05, atol=0.2)


def test_drawn_gradients_equal_those_of_torch():
    number = seed()
    rng = random.Random(number)
    for call in range(60):
        name, x, options = draw(rng, dtypes=(torch.float64, torch.complex128))
        if isinstance(of_torch(name, x, options), Exception):
            continue
        gradients = []
        for module in (torch.fft, T):
            leaf = x.detach().clone().requires_grad_()
            result = getattr(module, name)(leaf, **options)
            weights = torch.arange(1, result.numel() + 1, dtype=torch.float64).reshape(result.shape) / result.numel()
            gradients += torch.autograd.grad((result * weights).abs().square().sum(), leaf)
        torch.testing.assert_close(*gradients, msg=lambda text: f"SEED={number}, call {call}: {name} {x.shape} {options}: {text}")


def test_forward_mode():
    x, t = sample("fft", (2, 9)), sample("fft", (2, 9)).flip(0)
    with forward_ad.dual_level():
        result = forward_ad.unpack_dual(T.fft(forward_ad.make_dual(x, t)))
    torch.testing.assert_close(result.tangent, torch.fft.fft(t))


@pytest.mark.parametrize("name", ONE)
def test_vmap_and_functional_derivatives(name):
    x = sample(name, (4, 3, 6))
    ours, theirs = getattr(T, name), getattr(torch.fft, name)
    for in_dim, out_dim in itertools.product((0, 1, 2), (0, 1)):
        torch.testing.assert_close(torch.vmap(ours, in_dim, out_dim)(x), torch.vmap(theirs, in_dim, out_dim)(x))

    def loss(function):
        return lambda x: function(x).abs().square().sum()

    y = x.real.clone() if x.is_complex() else x  # torch.func.jacfwd takes no complex input
    if name in ("irfft", "hfft"):
        ours, theirs = (lambda y, f=f: f(torch.complex(y, y)) for f in (ours, theirs))
    expected = torch.stack([torch.func.grad(loss(theirs))(part) for part in y])
    for transform in (torch.func.grad, torch.func.jacfwd, torch.func.jacrev):
        torch.testing.assert_close(transform(loss(ours))(y[0]), expected[0])
    torch.testing.assert_close(torch.vmap(torch.func.grad(loss(ours)))(y), expected)


def test_operators_pass_pytorchs_checks():
    for kind, x, n in (("c2c", sample("fft", (3, 6)), 8), ("c2c", sample("rfft", (3, 6)), 6), ("r2c", sample("rfft", (3, 6)), 7),
                       ("c2r", sample("fft", (3, 6)), 10)):
        for weighted in ((False, True) if kind != "c2c" else (False,)):
            x = x.detach().requires_grad_()
            torch.library.opcheck(getattr(torch.ops.swirl, kind).default, (x, [n], [1], 1, True, weighted, False, torch.float64))


def test_fake_tensors_have_shapes_and_types():
    from torch._subclasses import FakeTensorMode

    number = seed()
    rng = random.Random(number)
    for call in range(60):
        name, x, options = draw(rng, dtypes=(torch.float16, torch.bfloat16, torch.float32, torch.complex64))
        try:
            real = getattr(T, name)(x, **options)
        except (RuntimeError, IndexError):
            continue
        with FakeTensorMode() as mode:
            fake = getattr(T, name)(mode.from_tensor(x), **options)
        meta = getattr(T, name)(x.to("meta"), **options)
        assert (fake.shape, fake.dtype, fake.stride()) == (real.shape, real.dtype, real.stride()), (number, call)
        assert (meta.shape, meta.dtype) == (real.shape, real.dtype)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compile_without_graph_breaks(backend):
    def model(x, w):
        spectrum = T.rfft(x, norm="ortho")
        y = T.irfft(spectrum * w, x.shape[-1], norm="ortho")
        return y + T.fft2(x[None]).real.sum(0) + T.fftn(T.ifftn(x, dim=(0,)), dim=0).real

    compiled = torch.compile(model, fullgraph=True, backend=backend)
    x, w = torch.randn(4, 24, requires_grad=True), torch.randn(13, dtype=torch.complex64, requires_grad=True)
    try:
        result = compiled(x, w)
    except torch._inductor.exc.InductorError as error:
        pytest.skip(f"torch.compile cannot compile here: {error}")
    torch.testing.assert_close(result, model(x, w), rtol=1e-4, atol=1e-4)
    for a, b in zip(torch.autograd.grad(result.square().sum(), (x, w)), torch.autograd.grad(model(x, w).square().sum(), (x, w))):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-3)


def test_compile_with_dynamic_shapes_and_the_mode():
    def model(x):
        return torch.fft.irfft(torch.fft.rfft(x) * 2, x.shape[-1])

    with T.as_torch_fft():
        compiled = torch.compile(model, fullgraph=True, backend="aot_eager", dynamic=True)
        for n in (16, 18, 25):
            x = torch.randn(3, n)
            torch.testing.assert_close(compiled(x), 2 * x, rtol=1e-4, atol=1e-4)
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph.code)
        return graph

    torch._dynamo.reset()
    with T.as_torch_fft():
        torch.compile(model, fullgraph=True, backend=backend)(torch.randn(3, 16))
    assert "swirl.r2c" in graphs[0] and "swirl.c2r" in graphs[0], graphs[0]
    torch._dynamo.reset()
    T.enable()
    try:
        torch.compile(model, fullgraph=True, backend=backend)(torch.randn(3, 16))
    finally:
        T.disable()
    assert "swirl.r2c" in graphs[1], graphs[1]


def test_reals_of_16_bits_may_begin_at_any_element():
    for dtype in (torch.float16, torch.bfloat16):
        x = torch.arange(1, 12).to(dtype)
        for part in (x[1:9], x[:8], x[3:8]):
            for _ in range(2):  # the second call is known
                result = T.fft(part)
                assert error_of(result, torch.fft.fft(part.double())) < TOLERANCE[torch.float16]
