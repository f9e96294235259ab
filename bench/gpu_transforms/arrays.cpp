#include "bench/gpu_transforms/arrays.hpp"

#include "base/error.hpp"

namespace swirl::bench {
namespace {

constexpr std::size_t alignment = 256;

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

bool is_planar(const Transform& problem, Side side) {
    return problem.layout == ComplexLayout::planar && is_complex(problem, side);
}

/// Size of one array of a side.
std::size_t array_bytes(const Transform& problem, Side side) {
    const Extent reach = extent(problem, side);
    ensure(reach.lowest == 0, "the benchmark has no negative strides");
    return static_cast<std::size_t>((reach.highest + 1) * element_bytes(problem, side));
}

} // namespace

Components components_at(const Transform& problem, Side side, Integer offset) {
    if (!is_complex(problem, side)) return {offset, -1};
    if (!is_planar(problem, side)) return {2 * offset, 2 * offset + 1};
    const std::size_t imaginary = aligned(array_bytes(problem, side));
    return {offset, offset + static_cast<Integer>(imaginary) / bytes_of(problem.precision)};
}

std::size_t bytes_of(const Transform& problem, Side side) {
    const std::size_t bytes = array_bytes(problem, side);
    return is_planar(problem, side) ? aligned(bytes) + bytes : bytes;
}

Arrays::Arrays(const runtime::GpuStream& stream, std::size_t input_bytes, std::size_t output_bytes)
    : stream_(stream) {
    for (std::size_t k = 0; k < sets; ++k) {
        inputs_.emplace_back(stream.device(), input_bytes);
        outputs_.emplace_back(stream.device(), output_bytes);
    }
}

void Arrays::fill(const Transform& problem) {
    const StoredType& type = stored(problem.precision);
    const auto capacity = static_cast<Integer>(inputs_[0].bytes() / type.bytes);
    if (!pattern_ || !pattern_->serves(type, capacity)) {
        pattern_.reset();
        pattern_.emplace(stream_, type, capacity);
    }
    for (std::size_t set = 0; set < sets; ++set) {
        pattern_->fill(stream_, input(set), bytes_of(problem, Side::input));
        fill_on_gpu(stream_, output(set), 0xff, bytes_of(problem, Side::output));
    }
    stream_.synchronize();
}

planning::Arguments Arrays::arguments(const Transform& problem, std::size_t set) const {
    const auto at = [](runtime::cuda::Address address, Integer reals, const Transform& of) {
        return reals < 0 ? nullptr
                         : reinterpret_cast<void*>(address +
                                                   static_cast<std::size_t>(reals * bytes_of(of.precision)));
    };
    planning::Arguments result{reinterpret_cast<const void*>(input(set)),
                               reinterpret_cast<void*>(output(set))};
    if (is_planar(problem, Side::input))
        result.input_imaginary = at(input(set), components_at(problem, Side::input, 0).imaginary, problem);
    if (is_planar(problem, Side::output))
        result.output_imaginary = at(output(set), components_at(problem, Side::output, 0).imaginary, problem);
    return result;
}

} // namespace swirl::bench
