#include <swirl/convolution.hpp>

#include "api/c.hpp"
#include "api/executable.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

struct swirl_convolution {
    swirl::Convolution convolution;
};

namespace swirl::api {
namespace {

std::vector<Integer> lengths_of(const int64_t* lengths, const char* name, std::size_t rank) {
    const auto all = list_of(lengths, name, rank, most_convolution_dimensions, "a convolution");
    return {all.begin(), all.end()};
}

ConvolutionProblem problem_of(const swirl_convolution_problem* problem) {
    require(problem, "problem");
    const swirl_convolution_problem given =
        versioned<swirl_convolution_problem>(problem, SWIRL_CONVOLUTION_PROBLEM_INIT, "argument 'problem'");
    constexpr std::array modes = {ConvolutionMode::full, ConvolutionMode::same, ConvolutionMode::valid,
                                  ConvolutionMode::causal};
    constexpr std::array sharings = {Sharing::shared, Sharing::each};
    ConvolutionProblem result;
    result.signal = lengths_of(given.signal, "problem.signal", given.rank);
    result.kernel = lengths_of(given.kernel, "problem.kernel", given.rank);
    result.mode = value_of(given.mode, modes, "problem.mode");
    result.precision = component_named(given.data_type);
    result.is_complex =
        given.is_complex != 0 || given.data_type == SWIRL_COMPLEX64 || given.data_type == SWIRL_COMPLEX128;
    result.is_correlation = given.is_correlation != 0;
    if (given.batch != 1) result.batches.push_back({given.batch, {}, {}});
    result.kernels = value_of(given.kernels, sharings, "problem.kernels");
    if (given.transform != nullptr)
        result.transform = lengths_of(given.transform, "problem.transform", given.rank);
    return result;
}

template <class Make>
swirl_status make(const swirl_convolution* of, swirl_convolution** result, Make&& gradient) {
    return guarded([&] {
        require(result, "gradient");
        *result = nullptr;
        require(of, "convolution");
        *result = new swirl_convolution{gradient(of->convolution)};
    });
}

} // namespace
} // namespace swirl::api

using namespace swirl::api;

extern "C" {

swirl_status swirl_convolution_create(const swirl_convolution_problem* problem, const swirl_options* options,
                                      swirl_convolution** convolution) {
    return guarded([&] {
        require(convolution, "convolution");
        *convolution = nullptr;
        *convolution = new swirl_convolution{swirl::Convolution(problem_of(problem), options_of(options))};
    });
}

void swirl_convolution_destroy(swirl_convolution* convolution) { delete convolution; }

swirl_status swirl_convolution_set_kernel(swirl_convolution* convolution, const void* kernel,
                                          const swirl_execution* execution) {
    return guarded([&] {
        require(convolution, "convolution");
        convolution->convolution.set_kernel(kernel, launch_of(execution).stream);
    });
}

swirl_status swirl_convolution_set_spectrum(swirl_convolution* convolution, const void* spectrum) {
    return guarded([&] {
        require(convolution, "convolution");
        convolution->convolution.set_spectrum(spectrum);
    });
}

swirl_status swirl_convolution_execute(const swirl_convolution* convolution, const void* signal, void* result,
                                       const swirl_execution* execution) {
    return guarded([&] {
        require(convolution, "convolution");
        const auto launch = launch_of(execution);
        convolution->convolution.execute(signal, result, launch.stream, launch.workspace);
    });
}

swirl_status swirl_convolution_result_lengths(const swirl_convolution* convolution, int64_t* lengths) {
    return guarded([&] {
        require(convolution, "convolution");
        require(lengths, "lengths");
        std::ranges::copy(convolution->convolution.result_lengths(), lengths);
    });
}

swirl_status swirl_convolution_transform_lengths(const swirl_convolution* convolution, int64_t* lengths) {
    return guarded([&] {
        require(convolution, "convolution");
        require(lengths, "lengths");
        std::ranges::copy(convolution->convolution.transform_lengths(), lengths);
    });
}

swirl_status swirl_convolution_description(const swirl_convolution* convolution, char* text, size_t size,
                                           size_t* length) {
    return guarded([&] {
        require(convolution, "convolution");
        copy_text(convolution->convolution.description(), text, size, length);
    });
}

size_t swirl_convolution_workspace_bytes(const swirl_convolution* convolution) {
    return convolution == nullptr ? 0 : convolution->convolution.workspace_bytes();
}

swirl_status swirl_convolution_signal_gradient(const swirl_convolution* convolution,
                                               swirl_convolution** gradient) {
    return make(convolution, gradient, [](const swirl::Convolution& of) { return of.signal_gradient(); });
}

swirl_status swirl_convolution_kernel_gradient(const swirl_convolution* convolution,
                                               swirl_convolution** gradient) {
    return make(convolution, gradient, [](const swirl::Convolution& of) { return of.kernel_gradient(); });
}

} // extern "C"
