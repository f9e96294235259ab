"""Ranks of MPI by mpi4py: as src/mpi, in Python, so that any MPI which mpi4py was built for will do."""

import atexit
import struct
import time
import weakref

from mpi4py import MPI

from swirl.distributed import _engine

_TAG_OF_ABORT, _FIRST_TAG = 0, 1
_BYTES_OF_REASON = 1000
_POLLS_BEFORE_SLEEP, _POLLS_FOR_ABORT = 50, 16
_SECONDS_TO_ABORT = 2.0
_SECONDS_FOR_TRANSFERS = 1.0


class _World:
    """What all groups share that were split from one: the news that a rank has failed."""

    living = weakref.WeakSet()

    def __init__(self, comm):
        self.comm = comm.Dup()
        self.rank = self.comm.Get_rank()
        self.largest_tag = self.comm.Get_attr(MPI.TAG_UB) or 32767
        self.aborted = None
        self._reason = bytearray(_BYTES_OF_REASON)
        self._news = self.comm.Irecv([self._reason, MPI.BYTE], MPI.ANY_SOURCE, _TAG_OF_ABORT)
        _World.living.add(self)

    def check(self):
        if self.aborted is None and self._news is not None:
            status = MPI.Status()
            if self._news.Test(status):
                self._news = None
                reason = bytes(self._reason).rstrip(b"\0").decode(errors="replace")
                self.aborted = f"rank {status.Get_source()} failed: {reason}"
        if self.aborted is not None:
            raise OSError(self.aborted)

    def abort(self, reason):
        if self.aborted is not None:
            return
        self.aborted = f"rank {self.rank} failed: {reason}"
        text = reason.encode()[:_BYTES_OF_REASON].ljust(_BYTES_OF_REASON, b"\0")
        requests = [self.comm.Isend([text, MPI.BYTE], other, _TAG_OF_ABORT) for other in range(self.comm.Get_size())
                    if other != self.rank]
        end = time.monotonic() + _SECONDS_TO_ABORT
        while requests and not MPI.Request.Testall(requests) and time.monotonic() < end:
            time.sleep(0)

    def close(self):
        """Before MPI ends, which would wait for what is left."""
        if self.comm == MPI.COMM_NULL:
            return
        if self._news is not None:
            self._news.Cancel()
            self._news.Wait()
            self._news = None
        if self.aborted is None:
            self.comm.Free()


@atexit.register
def _close_all():
    if MPI.Is_initialized() and not MPI.Is_finalized():
        for world in list(_World.living):
            world.close()


class _Transfers:
    """Requests of MPI, and the bytes that each is to receive; None for those that send."""

    def __init__(self, world):
        self._world, self._requests, self._expected, self._from = world, [], [], []

    def receive(self, comm, address, count, source, tag):
        self._requests.append(comm.Irecv([_engine.memory(address, count), MPI.BYTE], source, tag))
        self._expected.append(count)
        self._from.append(source)

    def add(self, request):
        self._requests.append(request)
        self._expected.append(None)
        self._from.append(None)

    def wait(self):
        if not self._requests:
            return
        statuses = [MPI.Status() for _ in self._requests]
        polls = 0
        try:
            while not MPI.Request.Testall(self._requests, statuses):
                polls += 1
                if polls % _POLLS_FOR_ABORT == 0:
                    self._world.check()
                if polls > _POLLS_BEFORE_SLEEP:
                    time.sleep(0)
            for status, expected, source in zip(statuses, self._expected, self._from, strict=True):
                if expected is not None and status.Get_count(MPI.BYTE) != expected:
                    raise ValueError(f"rank {source} sends fewer bytes to rank {self._world.rank} than the {expected} that it expects")
        except MPI.Exception as error:
            self._world.abort(f"MPI failed: {error}")
            self._release()
            raise OSError(f"MPI failed: {error}") from error
        except BaseException as error:
            self._world.abort(str(error))
            self._release()
            raise
        self._requests = []

    def _release(self):
        """Gives up what has not arrived."""
        end = time.monotonic() + _SECONDS_FOR_TRANSFERS
        for request, expected in zip(self._requests, self._expected, strict=True):
            if expected is not None and request != MPI.REQUEST_NULL:
                request.Cancel()
        try:
            while not MPI.Request.Testall(self._requests) and time.monotonic() < end:
                time.sleep(0)
        except MPI.Exception:
            pass
        self._requests = []


class MpiEngine:
    name = "mpi"

    @classmethod
    def of(cls, comm):
        if comm == MPI.COMM_NULL:
            raise ValueError("the communicator is MPI.COMM_NULL; give one of this process")
        if comm.Is_inter():
            raise ValueError("the communicator is an intercommunicator; make one group of its two by Merge()")
        world = _World(comm)
        return cls(world, world.comm)

    def __init__(self, world, comm):
        self._world, self._comm = world, comm
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        self._tag = _FIRST_TAG

    def start_exchange(self, send, receive, send_bytes, send_offsets, receive_bytes, receive_offsets):
        self._world.check()
        tag = self._tag
        self._tag = _FIRST_TAG if tag >= self._world.largest_tag else tag + 1
        transfers = _Transfers(self._world)
        # in an order in which each pair of ranks meets at the same time
        before = [(self.rank - k) % self.size for k in range(1, self.size)]
        after = [(self.rank + k) % self.size for k in range(1, self.size)]
        for source, address, count in _engine.messages(receive, receive_bytes, receive_offsets, before):
            transfers.receive(self._comm, address, count, source, tag)
        for target, address, count in _engine.messages(send, send_bytes, send_offsets, after):
            transfers.add(self._comm.Isend([_engine.memory(address, count), MPI.BYTE], target, tag))
        _engine.copy_own(self.rank, send, receive, send_bytes, send_offsets, receive_bytes, receive_offsets)
        return transfers

    def _finish(self, request):
        transfers = _Transfers(self._world)
        transfers.add(request)
        transfers.wait()

    def gather_all(self, mine):
        self._world.check()
        lengths = bytearray(8 * self.size)
        self._finish(self._comm.Iallgather([struct.pack("q", len(mine)), MPI.BYTE], [lengths, 8, MPI.BYTE]))
        counts = list(struct.unpack(f"{self.size}q", lengths))
        offsets = [sum(counts[:rank]) for rank in range(self.size)]
        gathered = bytearray(sum(counts))
        self._finish(self._comm.Iallgatherv([mine, MPI.BYTE], [gathered, counts, offsets, MPI.BYTE]))
        return [bytes(gathered[offset:offset + count]) for offset, count in zip(offsets, counts, strict=True)]

    def barrier(self):
        self._world.check()
        self._finish(self._comm.Ibarrier())

    def split(self, color, key):
        for given in self.gather_all(struct.pack("q", color)):  # MPI's own function waits for all, and cannot be ended
            if struct.unpack("q", given)[0] < -1:
                raise ValueError(f"color is {struct.unpack('q', given)[0]}; it must be 0 or more, or -1 for no group")
        part = self._comm.Split(MPI.UNDEFINED if color < 0 else color, key)
        return None if part == MPI.COMM_NULL else MpiEngine(self._world, part)

    def abort(self, reason):
        self._world.abort(reason)

    def check_aborted(self):
        self._world.check()
