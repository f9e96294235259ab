#include "peers/peer.hpp"

#if defined(SWIRL_HAVE_POCKETFFT)
#define POCKETFFT_NO_MULTITHREADING
// Plans it keeps; by default none, so that each call would compute its tables again.
#define POCKETFFT_CACHE_SIZE 16
#include <pocketfft_hdronly.h>
#endif

namespace swirl::peers {
namespace {

#if defined(SWIRL_HAVE_POCKETFFT)

/// Its notion of a problem: shape and byte strides over all axes, and which of them to transform.
struct Call {
    pocketfft::shape_t shape, transformed;
    pocketfft::stride_t input_strides, output_strides;
};

Call call_for(const Transform& problem) {
    Call call;
    const auto add = [&](const Dimension& loop) {
        call.shape.push_back(static_cast<std::size_t>(loop.length));
        call.input_strides.push_back(loop.input_stride * element_bytes(problem, Side::input));
        call.output_strides.push_back(loop.output_stride * element_bytes(problem, Side::output));
    };
    for (const Dimension& loop : problem.batches) add(loop);
    for (const Dimension& loop : problem.dimensions) {
        call.transformed.push_back(call.shape.size());
        add(loop);
    }
    return call;
}

template <class T>
std::function<void()> run_of(const Transform& problem, const planning::Arguments& arguments) {
    const T scale = static_cast<T>(problem.scale);
    const bool forward = problem.direction == Direction::forward;
    const void* const in = const_cast<void*>(arguments.input);
    void* const out = arguments.output;
    const Call call = call_for(problem);
    using Number = std::complex<T>;
    if (problem.kind == TransformKind::dft)
        return [=] {
            pocketfft::c2c(call.shape, call.input_strides, call.output_strides, call.transformed, forward,
                           static_cast<const Number*>(in), static_cast<Number*>(out), scale);
        };
    if (forward)
        return [=] {
            pocketfft::r2c(call.shape, call.input_strides, call.output_strides, call.transformed, true,
                           static_cast<const T*>(in), static_cast<Number*>(out), scale);
        };
    return [=] {
        pocketfft::c2r(call.shape, call.input_strides, call.output_strides, call.transformed, false,
                       static_cast<const Number*>(in), static_cast<T*>(out), scale);
    };
}

PeerPlan plan_pocketfft(const Transform& problem, const planning::Arguments& arguments,
                        const PeerOptions& options) {
    if (options.threads != 1) return {{}, "pocketfft is compared on one thread only"};
    if (problem.kind != TransformKind::dft && problem.kind != TransformKind::real_dft)
        return {{}, "pocketfft is compared for dft and rdft only"};
    if (problem.layout == ComplexLayout::planar) return {{}, "pocketfft has no planar layout"};
    if (problem.precision == DataType::float32) return {run_of<float>(problem, arguments), "", "pocketfft"};
    return {run_of<double>(problem, arguments), "", "pocketfft"};
}

#else

PeerPlan plan_pocketfft(const Transform&, const planning::Arguments&, const PeerOptions&) {
    return {{}, "pocketfft_hdronly.h was not found when swirl was built; HACKING.md tells how to name it"};
}

#endif

} // namespace

const Peer pocketfft{"pocketfft", "pocketfft", plan_pocketfft};

} // namespace swirl::peers
