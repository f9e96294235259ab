"""swirl.torch.matmul against torch.matmul: shapes, strides, types, derivatives, vmap, compilation."""

import random

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import swirl.torch  # noqa: E402
from torch_cases import TOLERANCE, error_of, seed, values  # noqa: E402

T = swirl.torch
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128)


def draw(rng, dtype):
    """Two operands of any layout whose shapes fit together."""
    m, n, k = (rng.randint(1, 40) for _ in range(3))
    stack = [rng.randint(1, 4) for _ in range(rng.randint(0, 2))]
    operands = []
    for rows, columns in ((m, k), (k, n)):
        shape = [n if rng.random() < 0.7 else 1 for n in stack][rng.randint(0, len(stack)):]
        x = values(rng, [*shape, 2 * columns, rows] if rng.random() < 0.5 else [*shape, rows, 2 * columns], dtype, "cpu")
        x = x.mT if x.shape[-1] == rows and x.shape[-2] == 2 * columns else x
        x = x[..., :columns] if rng.random() < 0.5 else x[..., ::2]
        operands.append(x.conj() if dtype.is_complex and rng.random() < 0.3 else x)
    if rng.random() < 0.1:
        operands[0] = operands[0][..., 0, :]
    if rng.random() < 0.1:
        operands[1] = operands[1][..., 0]
    return operands


@pytest.mark.parametrize("dtype", DTYPES)
def test_drawn_products_equal_those_of_torch(dtype):
    number = seed()
    rng = random.Random(number)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    for call in range(40):
        a, b = draw(rng, dtype)
        try:
            expected = torch.matmul(a.to(wide), b.to(wide))
        except RuntimeError:  # a stack of rows times a matrix, which do not fit
            with pytest.raises(RuntimeError):
                T.matmul(a, b)
            continue
        result = T.matmul(a, b)
        case = f"SEED={number}, call {call}: {a.shape} {a.stride()} · {b.shape} {b.stride()}"
        assert result.shape == expected.shape and result.dtype == dtype, case
        assert error_of(result, expected) < TOLERANCE[dtype], case


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("a, b", [((3, 4), (4, 2)), ((2, 3, 4), (4, 2)), ((2, 1, 3, 4), (5, 4, 2)), ((4,), (4, 2)), ((3, 4), (4,)),
                                  ((4,), (4,))])
def test_derivatives(dtype, a, b):
    rng = random.Random(1)
    operands = [values(rng, shape, dtype, "cpu").requires_grad_() for shape in (a, b)]
    assert torch.autograd.gradcheck(T.matmul, operands, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(T.matmul, operands)
    if dtype.is_complex:
        assert torch.autograd.gradcheck(lambda x, y: T.matmul(x.conj(), y), operands)
        assert torch.autograd.gradcheck(lambda x, y: T.matmul(x, y.conj()), operands)


def test_vmap_compile_and_pytorchs_checks():
    rng = random.Random(2)
    a, b = values(rng, (5, 3, 4), torch.float32, "cpu"), values(rng, (5, 4, 2), torch.float32, "cpu")
    torch.testing.assert_close(torch.vmap(T.matmul)(a, b), a @ b)
    torch.testing.assert_close(torch.vmap(T.matmul, (0, None))(a, b[0]), a @ b[0])
    torch.testing.assert_close(torch.vmap(T.matmul, (None, 0))(a, b), torch.stack([a @ part for part in b]))
    compiled = torch.compile(lambda x, y: T.matmul(x, y).relu(), fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(a, b), (a @ b).relu())
    torch.library.opcheck(torch.ops.swirl.matmul.default, (a.double().requires_grad_(), b.double().requires_grad_(), False, False))


def test_autocast_out_and_errors():
    a, b = torch.randn(3, 4), torch.randn(4, 2)
    with torch.autocast("cpu", torch.bfloat16):
        assert T.matmul(a, b).dtype == torch.bfloat16
    out = torch.empty(2, 3).T
    assert T.matmul(a, b, out=out) is out
    torch.testing.assert_close(out, a @ b)
    for x, y in ((a, b.double()), (a, b.T), (a.int(), b.int()), (torch.tensor(1.0), b)):
        with pytest.raises(RuntimeError):
            T.matmul(x, y)
    assert T.matmul(torch.ones(2, 0), torch.ones(0, 3)).tolist() == [[0] * 3] * 2
    assert T.matmul(torch.ones(0, 2), torch.ones(2, 3)).shape == (0, 3)
