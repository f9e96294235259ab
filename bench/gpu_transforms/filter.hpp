#pragma once

#include "bench/gpu_transforms/arrays.hpp"
#include "bench/gpu_transforms/definition.hpp"
#include "plan/plan.hpp"
#include "runtime/cuda/memory.hpp"

#include <array>
#include <complex>
#include <span>
#include <vector>

namespace swirl::bench {

/// The spectrum of a kernel of a few impulses, so that the results of a convolution are sums of a few inputs. For
/// one-dimensional problems of contiguous float32 data.
class Filter {
public:
    /// Throws UserError for other problems.
    Filter(const Transform& problem, const runtime::GpuDevice& device);

    runtime::cuda::Address address() const { return spectrum_.address(); }
    std::span<const planning::ArrayArgument> arguments() const { return arguments_; }

    std::vector<std::complex<long double>> results(const Transform& problem, const RandomNumbers& input,
                                                   std::span<const OutputIndex> outputs) const;

private:
    struct Impulse {
        Integer at;
        std::complex<long double> height;
    };
    std::array<Impulse, 3> impulses_;
    runtime::GpuBuffer spectrum_;
    std::array<planning::ArrayArgument, 1> arguments_;
};

} // namespace swirl::bench
