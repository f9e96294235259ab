"""Ranks by what a program runs on."""

import threading

from swirl import _core

_native = _core.distributed

Communicator = _native.Communicator


def on_mpi(comm):
    """Collective: the ranks of a communicator of mpi4py, which is duplicated.

    Any MPI will do, as mpi4py makes the calls. A rank that fails ends the calls of the others.

    Args:
        comm: An intracommunicator, such as MPI.COMM_WORLD.

    Returns:
        A `Communicator`, used by one thread at a time.

    Raises:
        ValueError: It is null, or an intercommunicator.
    """
    from swirl.distributed._mpi import MpiEngine

    return _native.communicator_on_engine(MpiEngine.of(comm))


def on_torch(group=None, *, gpu=None):
    """Collective: the ranks of a process group of torch.distributed.

    Args:
        group: One with a backend for the CPU's memory, such as gloo; None for the default group.
        gpu: An ordinal, of this process's GPU, for exchanges of its memory by NCCL: the group's store tells the others NCCL's id.
            None for exchanges of the host's memory by the group itself.

    Returns:
        A `Communicator`.

    Raises:
        ValueError: The process does not belong to the group, or torch.distributed is not initialised.
        Unavailable: `gpu` is given, and NCCL or the GPU is missing.
    """
    from swirl.distributed import _torch

    if gpu is not None:
        rank, size, id = _torch.rank_size_id(group, nccl_id)
        return on_nccl(id, rank, size, gpu)
    return _native.communicator_on_engine(_torch.TorchEngine.of(group))


def nccl_id():
    """Bytes that name a group of NCCL which is being made: one rank makes them, and the program passes them on to the others."""
    return _native.make_nccl_id()


def on_nccl(id, rank, size, gpu):
    """Collective: this process is one rank of a group of NCCL, and uses the GPU of this ordinal.

    Plans compute on CPUs and exchange the host's memory, which NCCL does not take: such a communicator is for `split`, `barrier`
    and `gather_all`.

    Args:
        id: From `nccl_id` of one rank.
        rank, size: This rank, and how many there are.
        gpu: The ordinal.
    """
    return _native.communicator_on_nccl(id, rank, size, gpu)


def on_threads(ranks):
    """Communicators of a group of ranks that are threads of this process: element r is for the thread that is rank r."""
    return _native.communicators_on_threads(ranks)


def run_ranks(ranks, body):
    """Runs body(communicator) as each rank of a group, on a thread of its own.

    Where a rank raises, the calls of the others end, and its exception is raised here: that of the rank which failed first.

    Returns:
        What the ranks returned, in their order.
    """
    results, errors = [None] * ranks, []

    def run(communicator):
        try:
            results[communicator.rank] = body(communicator)
        except BaseException as error:  # raised by the caller's thread
            errors.append(error)
            communicator.abort(str(error))

    threads = [threading.Thread(target=run, args=(each,)) for each in on_threads(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
