"""Ranks of a process group of torch.distributed, which exchanges the host's memory, as gloo does."""

import itertools
import struct

import torch
import torch.distributed as dist

from swirl.distributed import _engine

#: Names in stores: the same on all ranks, which make engines in the same order.
_names = itertools.count()


def _checked(group):
    if not dist.is_available() or not dist.is_initialized():
        raise ValueError("torch.distributed is not initialised; call init_process_group")
    if dist.get_rank(group) < 0:
        raise ValueError("this process does not belong to the group")
    return group if group is not None else dist.group.WORLD


def rank_size_id(group, make_id):
    """Rank, size, and the id that rank 0 makes, which the group tells the others."""
    group = _checked(group)
    told = [make_id() if dist.get_rank(group) == 0 else None]
    dist.broadcast_object_list(told, dist.get_global_rank(group, 0), group=group)
    return dist.get_rank(group), dist.get_world_size(group), told[0]


class _Works:
    def __init__(self, engine):
        self._engine, self._works, self._kept = engine, [], []

    def add(self, work, tensor):
        self._works.append(work)
        self._kept.append(tensor)

    def wait(self):
        works, self._works = self._works, []
        try:
            for work in works:
                work.wait()
        except RuntimeError as error:  # that of a rank which left, or the group's time limit
            self._engine.check_aborted()
            raise OSError(f"torch.distributed failed: {error}") from error
        self._kept = []


class TorchEngine:
    name = "torch"

    @classmethod
    def of(cls, group):
        return cls(_checked(group))

    def __init__(self, group):
        self._group = group
        self.rank, self.size = dist.get_rank(group), dist.get_world_size(group)
        self._global = [dist.get_global_rank(group, rank) for rank in range(self.size)]
        self._tag = 0
        # news of a rank that failed: the default store is everyone's
        self._store = dist.distributed_c10d._get_default_store()
        self._key = f"swirl/{'-'.join(map(str, self._global))}/{next(_names)}"
        self._aborted = None

    def _bytes(self, address, count):
        return torch.frombuffer(_engine.memory(address, count), dtype=torch.uint8)

    def start_exchange(self, send, receive, send_bytes, send_offsets, receive_bytes, receive_offsets):
        self.check_aborted()
        self._tag += 1
        works = _Works(self)
        before = [(self.rank - k) % self.size for k in range(1, self.size)]
        after = [(self.rank + k) % self.size for k in range(1, self.size)]
        for source, address, count in _engine.messages(receive, receive_bytes, receive_offsets, before):
            tensor = self._bytes(address, count)
            works.add(dist.irecv(tensor, self._global[source], self._group, self._tag), tensor)
        for target, address, count in _engine.messages(send, send_bytes, send_offsets, after):
            tensor = self._bytes(address, count)
            works.add(dist.isend(tensor, self._global[target], self._group, self._tag), tensor)
        _engine.copy_own(self.rank, send, receive, send_bytes, send_offsets, receive_bytes, receive_offsets)
        return works

    def gather_all(self, mine):
        self.check_aborted()
        lengths = [torch.zeros(1, dtype=torch.int64) for _ in range(self.size)]
        self._finish(dist.all_gather(lengths, torch.tensor([len(mine)]), self._group, async_op=True))
        counts = [int(length) for length in lengths]
        longest = max(max(counts), 1)
        own = torch.frombuffer(bytearray(mine.ljust(longest, b"\0")), dtype=torch.uint8)
        gathered = [torch.empty(longest, dtype=torch.uint8) for _ in range(self.size)]
        self._finish(dist.all_gather(gathered, own, self._group, async_op=True))
        return [bytes(part[:count].numpy()) for part, count in zip(gathered, counts, strict=True)]

    def _finish(self, work):
        works = _Works(self)
        works.add(work, None)
        works.wait()

    def barrier(self):
        self.gather_all(b"")

    def split(self, color, key):
        given = [struct.unpack("qq", each) for each in self.gather_all(struct.pack("qq", color, key))]
        for each, _ in given:
            if each < -1:
                raise ValueError(f"color is {each}; it must be 0 or more, or -1 for no group")
        if color < 0:
            return None
        ranks = sorted((rank for rank in range(self.size) if given[rank][0] == color), key=lambda rank: (given[rank][1], rank))
        part = dist.new_group([self._global[rank] for rank in ranks], use_local_synchronization=True, sort_ranks=False)
        return TorchEngine(part)

    def abort(self, reason):
        if self._aborted is None:
            self._aborted = f"rank {self.rank} failed: {reason}"
            self._store.set(self._key, self._aborted)

    def check_aborted(self):
        if self._aborted is None and self._store.check([self._key]):
            self._aborted = self._store.get(self._key).decode()
        if self._aborted is not None:
            raise OSError(self._aborted)
