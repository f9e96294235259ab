"""What engines in Python share.

An engine has rank, size and name, and these methods, which raise where a rank was lost:

    start_exchange(send, receive, send_bytes, send_offsets, receive_bytes, receive_offsets)
                        addresses, and four lists with an entry for each rank; returns an object with wait()
    gather_all(mine)    bytes of all ranks, in their order
    barrier()
    split(color, key)   an engine, or None for a color of −1
    abort(reason)       ends the calls of the others
    check_aborted()     raises if a rank has failed
"""

import ctypes

#: Longer blocks are several messages.
BYTES_OF_MESSAGE = 1 << 30


def memory(address, count):
    """A writeable buffer of these bytes."""
    return (ctypes.c_char * count).from_address(address)


def messages(address, counts, offsets, partners):
    """(rank, address, bytes) of the messages of a side, in the order of these ranks."""
    for partner in partners:
        for first in range(0, counts[partner], BYTES_OF_MESSAGE):
            yield partner, address + offsets[partner] + first, min(BYTES_OF_MESSAGE, counts[partner] - first)


def copy_own(rank, send, receive, send_bytes, send_offsets, receive_bytes, receive_offsets):
    if send_bytes[rank] != receive_bytes[rank]:
        raise ValueError(f"rank {rank} sends {send_bytes[rank]} bytes to itself, and expects {receive_bytes[rank]}")
    if send_bytes[rank] > 0:
        ctypes.memmove(receive + receive_offsets[rank], send + send_offsets[rank], send_bytes[rank])
