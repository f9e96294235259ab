"""Plans for a GPU, with a driver without a GPU: SWIRL_TEST_CUDA_DRIVER names it. It plans, and computes nothing."""

import os
import pickle
import subprocess
import sys

import pytest

DRIVER = os.environ.get("SWIRL_TEST_CUDA_DRIVER", "")
SMALL = "dft 64 float32 batch=4"


def test_plans_for_a_gpu():
    if not os.path.exists(DRIVER):
        pytest.skip("SWIRL_TEST_CUDA_DRIVER names no driver")
    environment = dict(os.environ, SWIRL_CUDA_DRIVER=DRIVER)
    run = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "done" in run.stdout


def main():
    import numpy as np

    import swirl

    options = dict(check=False, time_budget=0)
    for device in (0, "cuda", "cuda:0", "gpu:0"):
        plan = swirl.plan(SMALL, device=device, **options)
        assert plan.device == "cuda:0" and "sm_90" in plan.schedule and "cuda:0" in repr(plan)
    copy = pickle.loads(pickle.dumps(plan))
    assert (copy.device, copy.schedule) == (plan.device, plan.schedule)
    x = np.zeros((4, 64), np.complex64)
    for call, text in ((lambda: plan.execute(x), "CPU, but the plan is for that of GPU 0"),
                       (lambda: plan.execute(x, stream=1), "CPU, but the plan is for that of GPU 0")):
        with pytest.raises(ValueError, match=text):
            call()
    with pytest.raises(swirl.Unavailable):
        swirl.plan(SMALL, device=7)

    class OnGpu:
        __cuda_array_interface__ = {"shape": (4, 64), "typestr": "<c8", "data": (x.ctypes.data, False), "version": 3}

    with pytest.raises(TypeError, match="give one as `out`"):
        plan.execute(OnGpu())
    with pytest.raises(ValueError):  # the driver knows no such memory
        plan.execute(OnGpu(), out=OnGpu())
    print("done")


if __name__ == "__main__":
    main()
