/// Linear convolutions of arrays given by address and strides, with plans that are kept.
#include "convolution.hpp"

#include "plan_cache.hpp"
#include "planning.hpp"

#include <swirl/convolution.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace swirl::python {
namespace {

constexpr std::size_t cached_convolutions = 128;

PlanCache<Convolution>& cached() {
    static auto* const convolutions =
        new PlanCache<Convolution>(cached_convolutions); // never destroyed: plans may be in use at exit
    return *convolutions;
}

std::vector<Integer> list_of(std::span<const std::int64_t> values) { return {values.begin(), values.end()}; }

/// Operations, about: to decide whether another thread may run.
double flops_of(const ConvolutionProblem& problem) {
    double points = 1;
    for (const Integer length : problem.signal) points *= static_cast<double>(length);
    for (const Batch& batch : problem.batches) points *= static_cast<double>(batch.count);
    return 10 * points * std::log2(points + 2);
}

void convolve(bool is_float32, bool is_complex, int mode, std::uintptr_t data, std::uintptr_t kernel,
              std::uintptr_t out, nb::handle signal, nb::handle taps, nb::handle signal_strides,
              nb::handle result_strides, nb::handle count, nb::handle input_strides,
              nb::handle output_strides, int threads) {
    CallKey key;
    for (const Integer value : {Integer{is_float32}, Integer{is_complex}, Integer{mode}, Integer{threads}})
        key.add(value);
    ConvolutionProblem problem;
    problem.signal = list_of(key.add_tuple(signal));
    problem.kernel = list_of(key.add_tuple(taps));
    problem.signal_strides = list_of(key.add_tuple(signal_strides));
    problem.result_strides = list_of(key.add_tuple(result_strides));
    const auto counts = key.add_tuple(count), in = key.add_tuple(input_strides),
               output = key.add_tuple(output_strides);
    if (in.size() != counts.size() || output.size() != counts.size())
        throw nb::value_error("each loop over signals has a stride on both sides");
    for (std::size_t k = 0; k < counts.size(); ++k)
        if (counts[k] != 1) problem.batches.push_back({counts[k], in[k], output[k]});
    problem.mode = static_cast<ConvolutionMode>(mode);
    problem.is_complex = is_complex;
    problem.precision = is_float32 ? DataType::float32 : DataType::float64;
    std::shared_ptr<const Convolution> planned = cached().find(key);
    if (planned == nullptr) {
        Options options;
        options.threads = threads;
        {
            nb::gil_scoped_release released;
            planned = std::make_shared<const Convolution>(problem, options);
        }
        cached().insert(key, planned);
    }
    execute_unlocked(flops_of(problem) > least_flops_to_release_lock, [&] {
        Convolution own = *planned; // with a kernel of its own
        own.set_kernel(reinterpret_cast<const void*>(kernel));
        own.execute(reinterpret_cast<const void*>(data), reinterpret_cast<void*>(out));
    });
}

} // namespace

void define_convolutions(nb::module_& module) {
    using nb::arg;
    module.def("convolve_memory", convolve, arg("is_float32"), arg("is_complex"), arg("mode"), arg("data"),
               arg("kernel"), arg("out"), arg("signal"), arg("taps"), arg("signal_strides"),
               arg("result_strides"), arg("count"), arg("input_strides"), arg("output_strides"),
               arg("threads"));
    module.def("clear_convolutions", [] { cached().clear(); });
}

} // namespace swirl::python
