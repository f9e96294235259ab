#pragma once

#include "emit/gpu_transforms.hpp"

#include <optional>
#include <string>
#include <vector>

namespace swirl::emit {

using Bytes = std::vector<unsigned char>;

/// Why no OpenCL program runs here; nothing where one does: there are a C compiler, the headers, and a device.
std::optional<std::string> opencl_is_missing();

/// A transform and what its memories that are no workspace hold before; `run_opencl` changes them to what they hold after.
struct OpenclRun {
    const GpuTransform* transform;
    std::vector<Bytes> memories;
};

/// Runs all in one program of C99 that is made of nothing but what emit_gpu says and calls to OpenCL. Returns what went
/// wrong, if anything.
std::string run_opencl(std::vector<OpenclRun>& runs);

} // namespace swirl::emit
