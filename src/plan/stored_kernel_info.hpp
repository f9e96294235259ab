#pragma once

#include "base/byte_stream.hpp"
#include "ir/kernel_info.hpp"

/// Descriptions of kernels as stored plans hold them.
namespace swirl::planning {

void write(ByteWriter& writer, const ir::KernelInfo& info);
ir::KernelInfo read_kernel_info(ByteReader& reader);

} // namespace swirl::planning
