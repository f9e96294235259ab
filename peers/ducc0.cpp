#include "peers/ducc0/plugin.hpp"
#include "peers/peer.hpp"
#include "peers/shared_library.hpp"

#include <memory>

namespace swirl::peers {
namespace {

struct Ducc0Plugin {
    Ducc0Plugin() : library(files_beside_program("SWIRL_DUCC0", {"libswirl_ducc0.so"})) {
        is_complete = library.load(plan, ducc0_plan_name) && library.load(execute, ducc0_execute_name) &&
                      library.load(destroy, ducc0_destroy_name);
    }

    SharedLibrary library;
    bool is_complete = false;
    Ducc0PlanFunction* plan = nullptr;
    Ducc0ExecuteFunction* execute = nullptr;
    Ducc0DestroyFunction* destroy = nullptr;
};

Ducc0Request::Kind kind_of(const Transform& problem) {
    if (problem.kind == TransformKind::dft) return Ducc0Request::Kind::complex_to_complex;
    return problem.direction == Direction::forward ? Ducc0Request::Kind::real_to_complex
                                                   : Ducc0Request::Kind::complex_to_real;
}

PeerPlan plan_ducc0(const Transform& problem, const planning::Arguments& arguments,
                    const PeerOptions& options) {
    if (problem.kind != TransformKind::dft && problem.kind != TransformKind::real_dft)
        return {{}, "DUCC0 is compared for dft and rdft only"};
    if (problem.layout == ComplexLayout::planar) return {{}, "DUCC0 has no planar layout"};
    static const Ducc0Plugin plugin;
    if (!plugin.is_complete)
        return {{},
                plugin.library.absent_because() +
                    "; it is built where CMake finds DUCC0's sources (SWIRL_DUCC0_INCLUDE_DIR)"};

    std::vector<std::size_t> lengths, axes;
    std::vector<std::ptrdiff_t> input_strides, output_strides;
    const auto add = [&](const Dimension& loop) {
        lengths.push_back(static_cast<std::size_t>(loop.length));
        input_strides.push_back(loop.input_stride);
        output_strides.push_back(loop.output_stride);
    };
    for (const Dimension& loop : problem.batches) add(loop);
    for (const Dimension& loop : problem.dimensions) {
        axes.push_back(lengths.size());
        add(loop);
    }
    const Ducc0Request request{.kind = kind_of(problem),
                               .is_double = problem.precision == DataType::float64,
                               .is_forward = problem.direction == Direction::forward,
                               .scale = problem.scale,
                               .lengths = lengths.data(),
                               .input_strides = input_strides.data(),
                               .output_strides = output_strides.data(),
                               .rank = lengths.size(),
                               .axes = axes.data(),
                               .axis_count = axes.size(),
                               .threads = static_cast<std::size_t>(options.threads),
                               .input = arguments.input,
                               .output = arguments.output};
    void* const made = plugin.plan(&request);
    if (made == nullptr) return {{}, "DUCC0 refuses the problem"};
    const std::shared_ptr<void> owned(made, plugin.destroy);
    return {[owned, execute = plugin.execute] { execute(owned.get()); }, "", "DUCC0"};
}

} // namespace

const Peer ducc0{"ducc0", "DUCC0", plan_ducc0};

} // namespace swirl::peers
