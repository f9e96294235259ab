#include "bench/gpu_products/swirl_product.hpp"

#include "base/error.hpp"

namespace swirl::bench {

SwirlProduct swirl_product(const peers::GpuMatrixCall& call, const std::string&, const runtime::GpuStream&,
                           bool) {
    throw UserError("swirl has no plan on GPUs for {}", word(call.arithmetic));
}

std::vector<std::string> swirl_schedules(const peers::GpuMatrixCall& call, std::size_t,
                                         const runtime::GpuStream&) {
    throw UserError("swirl has no schedules on GPUs for {}", word(call.arithmetic));
}

} // namespace swirl::bench
