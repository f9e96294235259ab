"""swirl.distributed on processes of MPI, which mpirun starts; skipped without mpi4py or mpirun."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mpi4py")

PROGRAM = """
import sys
from mpi4py import MPI
import numpy as np
import pytest
import swirl.distributed as sd
from distributed_cases import run_cases

world = MPI.COMM_WORLD
if sys.argv[1] == "cases":
    run_cases(sd.on_mpi(world), seed=int(sys.argv[2]), count=8)
    half = world.Split(world.rank % 2, -world.rank)
    ranks = sd.on_mpi(half)
    assert ranks.rank == half.rank and ranks.engine == "mpi"
    run_cases(ranks, seed=int(sys.argv[2]) + world.rank % 2, count=4)
    part = ranks.split(0, -ranks.rank)
    assert part.rank == ranks.size - 1 - ranks.rank
    run_cases(part, seed=5 + world.rank % 2, count=2)
    assert len(part.gather_all(bytes(ranks.rank))) == part.size
    box = sd.slabs((6, 4), world.size)[world.rank]
    sd.plan("dft 6x4", world, box, box).execute(np.ones(box.shape) if box.lower else None)
    with pytest.raises(ValueError, match="COMM_NULL"):
        sd.on_mpi(MPI.COMM_NULL)
    with pytest.raises(ValueError, match="hold 0 of 24 elements"):
        sd.plan("dft 6x4", world, sd.Box())
else:
    ranks = sd.on_mpi(world)
    box = sd.slabs((8, 8), world.size)[world.rank]
    plan = sd.plan("dft 8x8", ranks, box, box)
    error = None
    try:
        plan.execute(np.ones((1, 1, 1)) if ranks.rank == 1 else np.ones(box.shape))
        plan.execute(np.ones(box.shape))
    except (ValueError, OSError) as raised:
        error = raised
    assert "x has shape (1, 1, 1)" in str(error) and ("rank 1 failed" in str(error)) == (ranks.rank != 1), error
print("right", flush=True)
"""


def environment():
    here = Path(__file__).parent
    return os.environ | {
        "PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(here)]),
        "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl_base_warn_component_unused": "0",
        "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_plm": "isolated", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def mpirun():
    """That of the MPI which mpi4py loads."""
    text = subprocess.run([sys.executable, "-c", "from mpi4py import MPI; print(MPI.Get_library_version())"], env=environment(),
                          capture_output=True, text=True, timeout=60).stdout
    name = "openmpi" if "Open MPI" in text else "mpich" if "MPICH" in text else None
    program = (name and shutil.which(f"mpirun.{name}")) or (text and shutil.which("mpirun"))
    if not program:
        pytest.skip("mpi4py finds no MPI, or there is no mpirun for it")
    return program


@pytest.mark.parametrize("scenario, ranks", [("cases", 1), ("cases", 2), ("cases", 3), ("cases", 5), ("abort", 3)])
def test_ranks_of_mpi(tmp_path, scenario, ranks):
    (tmp_path / "program.py").write_text(PROGRAM)
    run = subprocess.run([mpirun(), "-n", str(ranks), sys.executable, str(tmp_path / "program.py"), scenario, "7"],
                         env=environment(), capture_output=True, text=True, timeout=120)
    assert run.stdout.count("right") == ranks, run.stdout + run.stderr
    assert run.returncode == 0, run.stderr
