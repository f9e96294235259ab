/// What calls with memory given by address have in common: where they run, and on whose memory.
#pragma once

#include "numpy.hpp"

#include <swirl/arrays.hpp>
#include <swirl/data_type.hpp>
#include <swirl/device.hpp>
#include <swirl/error.hpp>
#include <swirl/stream.hpp>

#include <cstddef>
#include <cstdint>

namespace swirl::python {

/// Where a call runs.
struct MemoryCall {
    int threads = 1;
    int gpu = -1; ///< −1: the CPU
    std::uintptr_t stream = 0;
    bool is_capturing = false; ///< a CUDA graph records the stream
    nb::handle
        allocate; ///< of a number of bytes makes an object with `data_ptr`; None: the library takes memory itself

    Device device() const { return gpu < 0 ? Device() : Device::gpu(gpu); }
    gpu::Stream queue() const { return gpu::Stream(reinterpret_cast<void*>(stream)); }
};

/// Workspace on a GPU by the caller's allocator, which keeps the order of the stream, so it may be freed before it was used.
class TakenWorkspace {
public:
    TakenWorkspace(const MemoryCall& call, std::size_t bytes) {
        if (call.gpu < 0 || bytes == 0 || call.allocate.is_none()) return;
        owner_ = call.allocate(bytes);
        memory_ = {reinterpret_cast<void*>(nb::cast<std::uintptr_t>(owner_.attr("data_ptr")())), bytes};
    }
    Workspace memory() const { return memory_; }

private:
    nb::object owner_;
    Workspace memory_;
};

/// The data type that `data_types` gives this number.
inline DataType data_type_numbered(int number) {
    if (number < 0 || number > static_cast<int>(DataType::complex128))
        throw nb::value_error("no such data type");
    return static_cast<DataType>(number);
}

[[noreturn]] inline void refuse_planning_in_capture() {
    throw UserError(
        "this call has no plan yet, and planning cannot be captured in a CUDA graph; make a call with the "
        "same extents and strides before the capture");
}

} // namespace swirl::python
