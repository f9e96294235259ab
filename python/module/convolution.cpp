/// Circular convolutions of blocks of memory given by address and strides: one pass over the memory. Pairs of real blocks are the
/// real and the imaginary components of complex ones, because the kernel is real: then the results are, too.
#include "convolution.hpp"

#include "plan_cache.hpp"
#include "planning.hpp"

#include <nanobind/stl/pair.h>

#include <swirl/plan.hpp>

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace swirl::python {
namespace {

constexpr std::size_t cached_convolutions = 512;

PlanCache<Plan>& cached_blocks() {
    static auto* const plans =
        new PlanCache<Plan>(cached_convolutions); // never destroyed: plans may be in use at exit
    return *plans;
}

/// x where i is below a bound; nothing beyond is read or written.
Expression first_elements(Integer count, Integer n) {
    if (count >= n) return {};
    return Expression::x().where(
        Expression::less(Expression::index("i"), Expression::constant(static_cast<double>(count))));
}

/// What is convolved: blocks of n elements, of which the first `loaded` are read and the first `kept` results written.
struct Blocks {
    bool is_float32 = false;
    bool is_planar = false;
    Integer n = 0, loaded = 0, kept = 0;
    Integer input_stride = 1, output_stride = 1; ///< of a block's elements
    std::span<const std::int64_t> count = {}, input_strides = {}, output_strides = {}; ///< loops over blocks
};

Transform problem_of(const Blocks& blocks) {
    Transform problem;
    problem.kind = TransformKind::convolution;
    problem.precision = blocks.is_float32 ? DataType::float32 : DataType::float64;
    problem.layout = blocks.is_planar ? ComplexLayout::planar : ComplexLayout::interleaved;
    problem.dimensions.push_back({blocks.n, blocks.input_stride, blocks.output_stride});
    for (std::size_t k = 0; k < blocks.count.size(); ++k)
        if (blocks.count[k] != 1)
            problem.batches.push_back({blocks.count[k], blocks.input_strides[k], blocks.output_strides[k]});
    problem.load = first_elements(blocks.loaded, blocks.n);
    problem.store = first_elements(blocks.kept, blocks.n);
    return problem;
}

template <class Real> Real* address(std::uintptr_t memory, Integer offset = 0) {
    return reinterpret_cast<Real*>(memory) + offset;
}

/// `second_input` and `second_output`: of planar blocks, elements from the real to the imaginary components.
template <class Real>
void convolve_blocks(const Plan& plan, bool is_planar, std::uintptr_t data, Integer second_input,
                     std::uintptr_t out, Integer second_output, std::uintptr_t spectrum, Integer n) {
    const Real* const values = address<const Real>(spectrum);
    const auto count = static_cast<std::size_t>(n);
    if (is_planar) {
        const Plan bound = plan.with("spectrum", std::span(values, count), std::span(values + n, count));
        return bound.execute(address<const Real>(data), address<const Real>(data, second_input),
                             address<Real>(out), address<Real>(out, second_output));
    }
    using Complex = std::complex<Real>;
    const Plan bound = plan.with("spectrum", std::span(reinterpret_cast<const Complex*>(values), count));
    bound.execute(address<const Complex>(data), address<Complex>(out));
}

void convolve(bool is_float32, std::uintptr_t data, std::uintptr_t out, std::uintptr_t spectrum, Integer n,
              Integer loaded, Integer kept, Integer input_stride, Integer output_stride, nb::handle second,
              nb::handle count, nb::handle input_strides, nb::handle output_strides, int threads) {
    CallKey key;
    Blocks blocks{.is_float32 = is_float32,
                  .is_planar = !second.is_none(),
                  .n = n,
                  .loaded = loaded,
                  .kept = kept,
                  .input_stride = input_stride,
                  .output_stride = output_stride};
    for (const Integer value : {Integer{is_float32}, Integer{blocks.is_planar}, n, loaded, kept, input_stride,
                                output_stride, Integer{threads}})
        key.add(value);
    blocks.count = key.add_tuple(count);
    blocks.input_strides = key.add_tuple(input_strides);
    blocks.output_strides = key.add_tuple(output_strides);
    if (blocks.input_strides.size() != blocks.count.size() ||
        blocks.output_strides.size() != blocks.count.size())
        throw nb::value_error("each loop over blocks has a stride on both sides");
    std::shared_ptr<const Plan> plan = cached_blocks().find(key);
    if (plan == nullptr) {
        plan = std::make_shared<const Plan>(make_estimated_plan(problem_of(blocks), threads));
        cached_blocks().insert(key, plan);
    }
    const auto seconds =
        blocks.is_planar ? nb::cast<std::pair<Integer, Integer>>(second) : std::pair<Integer, Integer>(0, 0);
    execute_unlocked(plan->flops() > least_flops_to_release_lock, [&] {
        if (is_float32)
            convolve_blocks<float>(*plan, blocks.is_planar, data, seconds.first, out, seconds.second,
                                   spectrum, n);
        else
            convolve_blocks<double>(*plan, blocks.is_planar, data, seconds.first, out, seconds.second,
                                    spectrum, n);
    });
}

} // namespace

void define_convolutions(nb::module_& module) {
    using nb::arg;
    module.def("convolve_memory", convolve, arg("is_float32"), arg("data"), arg("out"), arg("spectrum"),
               arg("n"), arg("loaded"), arg("kept"), arg("input_stride"), arg("output_stride"),
               arg("second").none(), arg("count"), arg("input_strides"), arg("output_strides"),
               arg("threads"));
    module.def("clear_convolutions", [] { cached_blocks().clear(); });
}

} // namespace swirl::python
