// DUCC0's FFT behind the functions of plugin.hpp. DUCC0 keeps its last plans by itself.

#include "peers/ducc0/plugin.hpp"

#include <ducc0/fft/fft.h>
#include <ducc0/fft/fftnd_impl.h>

#include <complex>
#include <exception>
#include <functional>
#include <memory>

namespace swirl::peers {
namespace {

using Call = std::function<void()>;
using Shape = ducc0::fmav_info::shape_t;
using Strides = ducc0::fmav_info::stride_t;

template <class Real> Call call_for(const Ducc0Request& request) {
    using Complex = std::complex<Real>;
    using Kind = Ducc0Request::Kind;
    const Shape shape(request.lengths, request.lengths + request.rank);
    const Shape axes(request.axes, request.axes + request.axis_count);
    Shape half = shape;
    if (request.kind != Kind::complex_to_complex) half[axes.back()] = shape[axes.back()] / 2 + 1;
    const Strides from(request.input_strides, request.input_strides + request.rank);
    const Strides to(request.output_strides, request.output_strides + request.rank);
    const auto scale = static_cast<Real>(request.scale);
    const bool is_forward = request.is_forward;
    const std::size_t threads = request.threads;
    switch (request.kind) {
    case Kind::complex_to_complex: {
        const ducc0::cfmav<Complex> input(static_cast<const Complex*>(request.input), shape, from);
        const ducc0::vfmav<Complex> output(static_cast<Complex*>(request.output), shape, to);
        return [=] { ducc0::c2c(input, output, axes, is_forward, scale, threads); };
    }
    case Kind::real_to_complex: {
        const ducc0::cfmav<Real> input(static_cast<const Real*>(request.input), shape, from);
        const ducc0::vfmav<Complex> output(static_cast<Complex*>(request.output), half, to);
        return [=] { ducc0::r2c(input, output, axes, is_forward, scale, threads); };
    }
    case Kind::complex_to_real: {
        const ducc0::cfmav<Complex> input(static_cast<const Complex*>(request.input), half, from);
        const ducc0::vfmav<Real> output(static_cast<Real*>(request.output), shape, to);
        return [=] { ducc0::c2r(input, output, axes, is_forward, scale, threads); };
    }
    }
    return {};
}

} // namespace
} // namespace swirl::peers

extern "C" {

__attribute__((visibility("default"))) void* swirl_ducc0_plan(const swirl::peers::Ducc0Request* request) {
    using namespace swirl::peers;
    try {
        auto call = std::make_unique<Call>(request->is_double ? call_for<double>(*request)
                                                              : call_for<float>(*request));
        (*call)();
        return call.release();
    } catch (const std::exception&) {
        return nullptr;
    }
}

__attribute__((visibility("default"))) void swirl_ducc0_execute(void* plan) {
    (*static_cast<swirl::peers::Call*>(plan))();
}

__attribute__((visibility("default"))) void swirl_ducc0_destroy(void* plan) {
    delete static_cast<swirl::peers::Call*>(plan);
}
}
