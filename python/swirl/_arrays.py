"""What swirl needs of array libraries besides the memory of their arrays: the stream on which work is enqueued, and new arrays.

A library is asked only if an array of it was given, so none is imported here."""

import sys


def library_of(array):
    """Name of the package that an array's type comes from."""
    return type(array).__module__.partition(".")[0]


def current_stream(array, ordinal):
    """Address of the CUDA stream on which the caller enqueues work for a GPU; 0 for the default stream."""
    library = library_of(array)
    if library == "torch":
        return sys.modules["torch"].cuda.current_stream(ordinal).cuda_stream
    if library == "cupy":
        cuda = sys.modules["cupy"].cuda
        with cuda.Device(ordinal):
            return cuda.get_current_stream().ptr
    return 0


def new_array(like, dtype, shape, strides, elements, first):
    """A new array of the library of another one, on its device.

    Args:
        like: The other array.
        dtype: Name of the data type, such as "complex64".
        shape, strides: Strides in elements.
        elements: How many there are in memory from the first to the last; those that are no element of the array are zero.
        first: Where in this memory the element with index 0 is.

    Raises:
        TypeError: The library makes no such arrays.

    Returns:
        The array. Arrays of the CPU of libraries that cannot be written come from NumPy: `handed_over` converts them when they
        have their elements.
    """
    library = library_of(like)
    size = 1
    for n in shape:
        size *= n
    is_dense = size == elements
    if library == "torch":
        torch = sys.modules["torch"]
        make = torch.empty if is_dense else torch.zeros
        memory = make(elements, dtype=getattr(torch, dtype), device=like.device)
        if min(strides, default=0) < 0:
            raise TypeError("PyTorch has no negative strides: give an array of another library as `out`")
        return torch.as_strided(memory, shape, strides, first)
    if library == "cupy":
        cupy = sys.modules["cupy"]
        with like.device:
            memory = (cupy.empty if is_dense else cupy.zeros)(elements, dtype)
        item = memory.itemsize
        return cupy.ndarray(shape, memory.dtype, memory.data + first * item, [n * item for n in strides])
    if hasattr(like, "__array_namespace__") and like.__dlpack_device__()[0] == 1:
        import numpy as np

        item = np.dtype(dtype).itemsize
        return np.ndarray(shape, dtype, (np.empty if is_dense else np.zeros)(elements, dtype), first * item,
                          [n * item for n in strides])
    raise TypeError(f"swirl makes no arrays of {library} for this result: give one as `out`")


def handed_over(like, array):
    """A NumPy array that `new_array` made in place of one of another library: as an array of that library."""
    return like.__array_namespace__().from_dlpack(array)
