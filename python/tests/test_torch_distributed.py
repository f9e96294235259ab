"""swirl.distributed on process groups of torch.distributed; skipped without PyTorch."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

PROGRAM = """
import sys
import numpy as np
import torch.distributed as dist
import swirl.distributed as sd
from distributed_cases import run_cases

rank, size, scenario, store = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
dist.init_process_group("gloo", store=dist.FileStore(store, size), rank=rank, world_size=size)
ranks = sd.on_torch()
assert (ranks.rank, ranks.size, ranks.engine) == (rank, size, "torch")
if scenario == "cases":
    run_cases(ranks, seed=3, count=8)
    part = ranks.split(rank % 2, -rank)
    run_cases(part, seed=4 + rank % 2, count=3)
    groups = [dist.new_group(list(range(first, size, 2))) for first in range(min(size, 2))]
    run_cases(sd.on_torch(groups[rank % 2]), seed=6 + rank % 2, count=2)
    assert ranks.split(-1) is None
    box = sd.slabs((6, 4), size)[rank]
    sd.plan("dft 6x4", dist.group.WORLD, box, box)
    dist.barrier()
else:
    box = sd.slabs((8, 8), size)[rank]
    plan = sd.plan("dft 8x8", ranks, box, box)
    error = None
    try:
        plan.execute(np.ones((1, 1, 1)) if rank == 1 else np.ones(box.shape))
    except (ValueError, OSError) as raised:
        error = raised
    assert error is not None and (isinstance(error, ValueError) == (rank == 1)), error
    assert "x has shape (1, 1, 1)" in str(error) or "torch.distributed failed" in str(error), error
print("right", flush=True)
"""


@pytest.mark.parametrize("scenario, size", [("cases", 1), ("cases", 2), ("cases", 3), ("abort", 3)])
def test_ranks_of_a_process_group(tmp_path, scenario, size):
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(Path(__file__).parent)]),
                                "OMP_NUM_THREADS": "1"}
    processes = [subprocess.Popen([sys.executable, str(tmp_path / "program.py"), str(rank), str(size), scenario, str(tmp_path / "store")],
                                  env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                 for rank in range(size)]
    outputs = [process.communicate(timeout=150)[0] for process in processes]
    for output in outputs:
        assert output.splitlines()[-1:] == ["right"], "\n".join(outputs)


def test_groups_must_be_there():
    import swirl.distributed as sd

    with pytest.raises(ValueError, match="not initialised"):
        sd.on_torch()
