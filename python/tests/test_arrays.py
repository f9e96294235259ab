"""swirl.plan on arrays of other libraries: DLPack and the CUDA array interface, without copies."""

import ctypes
import pickle

import numpy as np
import pytest

import swirl


class Foreign:
    """An array of a library that swirl does not know, with DLPack of version 1 or of before."""

    def __init__(self, array, knows_versions=True):
        self.array, self.knows_versions = array, knows_versions

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        if not self.knows_versions and options.pop("max_version", None):
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**options)

    def __array_namespace__(self):
        return self

    def from_dlpack(self, array):
        return Foreign(array)


@pytest.fixture
def x():
    rng = np.random.default_rng(1)
    return rng.standard_normal((3, 16)) + 1j * rng.standard_normal((3, 16))


@pytest.mark.parametrize("knows_versions", [True, False])
def test_arrays_of_any_library(x, knows_versions):
    plan, y = swirl.plan("dft 16 batch=3"), np.zeros_like(x)
    given = Foreign(y, knows_versions)
    assert plan.execute(Foreign(x, knows_versions), out=given) is given
    np.testing.assert_array_equal(y, plan.execute(x))
    result = plan.execute(Foreign(x, knows_versions))
    assert isinstance(result, Foreign)
    np.testing.assert_array_equal(result.array, y)
    windowed = swirl.plan('dft 16 batch=3 load="x * w[i]"').execute(x, w=Foreign(np.ones(16)))
    np.testing.assert_array_equal(windowed, y)


def test_arrays_are_released(x):
    released = []

    class Watched(Foreign):
        def __del__(self):
            released.append(True)

    swirl.plan("dft 16 batch=3").execute(Watched(x.copy()), out=Watched(np.zeros_like(x)))
    assert len(released) == 2


def test_what_cannot_be_written_is_refused(x):
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        swirl.plan("dft 16 batch=3 inplace").execute(x)
    with pytest.raises(TypeError, match="__dlpack__"):
        swirl.plan("dft 16 batch=3").execute([1, 2, 3])
    with pytest.raises(ValueError, match="must have shape"):
        swirl.plan("dft 17 batch=3").execute(Foreign(np.zeros((3, 16), complex)))
    with pytest.raises(TypeError, match="data type"):
        swirl.plan("dft 16").execute(Foreign(np.zeros(16, np.uint64)))
    with pytest.raises(TypeError, match="stream"):
        swirl.plan("dft 16 batch=3").execute(x, stream=0)


def test_devices_have_names():
    assert swirl.plan("dft 16", device="cpu").device == "cpu"
    for device in ("gpu0", "cuda:", "cuda:x", -1, "tpu", "cuda:0:1", ""):
        with pytest.raises(ValueError, match="device"):
            swirl.plan("dft 16", device=device)
    assert pickle.loads(pickle.dumps(swirl.plan("dft 16"))).device == "cpu"


class OnGpu:
    """Memory of a GPU, as its array interface says; it is never touched."""

    memory = ctypes.create_string_buffer(4096)

    def __init__(self, typestr="<c16"):
        self.__cuda_array_interface__ = {"shape": (3, 16), "typestr": typestr, "data": (ctypes.addressof(self.memory), False),
                                         "strides": None, "version": 3}


def test_arrays_of_another_device_are_refused(x):
    with pytest.raises(ValueError, match="GPU 0, but the plan is for that of the CPU"):
        swirl.plan("dft 16 batch=3").execute(OnGpu())
    with pytest.raises(TypeError, match="data type"):
        swirl.plan("dft 16 batch=3").execute(OnGpu(">c16"))


def test_tensors_of_pytorch(x):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    plan, t = swirl.plan("dft 16 batch=3"), torch.from_numpy(x)
    result = plan.execute(t)
    assert isinstance(result, torch.Tensor) and result.dtype == torch.complex128
    np.testing.assert_array_equal(result.numpy(), plan.execute(x))
    out = torch.empty_like(t)
    assert plan.execute(t, out=out) is out and torch.equal(out, result)
    u = t.clone()
    assert swirl.plan("dft 16 batch=3 inplace").execute(u) is u and torch.equal(u, result)
    half = torch.randn(3, 16).bfloat16()
    spectrum = swirl.plan("rdft 16 float32 batch=3 load=\"bfloat16: x\"")
    with pytest.raises(ValueError):
        plan.execute(t[:, ::2])
    with pytest.raises(TypeError, match="negative"):
        swirl.plan("dft 16 out=-1").execute(t[0].clone())
    product = swirl.plan("gemm 3x4x16 float32 a=rows,bfloat16 b=rows,bfloat16 c=rows")
    b = torch.randn(16, 4).bfloat16()
    torch.testing.assert_close(product.execute(half, b), half.float() @ b.float(), rtol=1e-5, atol=1e-5)
    del spectrum


def test_arrays_of_jax(x):
    jnp = pytest.importorskip("jax.numpy", reason="JAX is not installed")
    x = x.astype(np.complex64)
    plan = swirl.plan("dft 16 batch=3 float32")
    result = plan.execute(jnp.asarray(x))
    assert isinstance(result, type(jnp.asarray(x)))
    np.testing.assert_array_equal(np.asarray(result), plan.execute(x))
    with pytest.raises(ValueError, match="read-only"):
        plan.execute(x, out=jnp.asarray(x))
