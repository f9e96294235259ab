"""swirl.matmul against numpy.matmul."""

import numpy as np
import pytest

import swirl


@pytest.mark.parametrize("dtype, tolerance", [("f4", 1e-4), ("f8", 1e-12), ("c8", 1e-4), ("c16", 1e-12)])
@pytest.mark.parametrize("a, b", [
    ((5, 7), (7, 3)), ((7,), (7, 3)), ((5, 7), (7,)), ((7,), (7,)), ((4, 5, 7), (4, 7, 3)), ((4, 5, 7), (7, 3)),
    ((5, 7), (4, 7, 3)), ((2, 1, 5, 7), (3, 7, 2)), ((2, 3, 5, 7), (2, 3, 7, 4)), ((0, 7), (7, 3)), ((5, 0), (0, 3)),
    ((1, 1), (1, 1)), ((130, 70), (70, 90))])
def test_products_equal_those_of_numpy(a, b, dtype, tolerance):
    rng = np.random.default_rng(3)
    x, y = (rng.standard_normal(shape).astype(dtype) for shape in (a, b))
    if dtype[0] == "c":
        x = x * (1 + 2j)
    x, y = x.astype(dtype), y.astype(dtype)
    expected = x @ y
    result = swirl.matmul(x, y)
    assert result.shape == np.shape(expected) and result.dtype == np.dtype(dtype)
    np.testing.assert_allclose(result, expected, atol=tolerance, rtol=tolerance)


def test_strides_of_any_sign_are_not_copied():
    rng = np.random.default_rng(4)
    x, y = rng.standard_normal((6, 9)), rng.standard_normal((8, 6))
    for a, b in ((x.T, y.T), (x.T[::-1], y.T[:, ::-2]), (x[::2].T, y[:, ::2].T)):
        np.testing.assert_allclose(swirl.matmul(a, b), a @ b, atol=1e-13)
    stacks = rng.standard_normal((3, 4, 6, 5)).transpose(1, 0, 3, 2)
    np.testing.assert_allclose(swirl.matmul(stacks, y.T), stacks @ y.T, atol=1e-13)


def test_the_result_goes_to_out():
    a, b, c = np.ones((3, 4)), np.ones((4, 5)), np.empty((3, 5))
    assert swirl.matmul(a, b, out=c) is c and (c == 4).all()
    with pytest.raises(ValueError, match="out"):
        swirl.matmul(a, b, out=np.empty((5, 3)))
    with pytest.raises(ValueError):
        swirl.matmul(np.ones((4, 4)), a.T, out=a.T)


def test_mixed_types_have_numpys_common_type():
    result = swirl.matmul(np.ones((2, 2), "f4"), np.ones((2, 2), "f8"))
    assert result.dtype == np.float64
    assert swirl.matmul([[1.5, 2]], [[2], [3]]).tolist() == [[9.0]]


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="fit"):
        swirl.matmul(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match="fit"):
        swirl.matmul(np.ones((2, 2, 3)), np.ones((3, 3, 2)))
    with pytest.raises(ValueError):
        swirl.matmul(1.0, np.ones((2, 3)))
    with pytest.raises(TypeError, match="float32"):
        swirl.matmul(np.ones((2, 2), int), np.ones((2, 2), int))
