#include "peers/peer.hpp"
#include "peers/shared_library.hpp"
#include "runtime/cpu/aligned_buffer.hpp"

#include <cstdint>
#include <limits>
#include <memory>

namespace swirl::peers {
namespace {

/// How real transforms store half spectra: n/2 + 1 elements.
constexpr int whole_half_spectrum = 1;

/// The part of KFR's C interface that is used here (kfr/capi.h): functions for complex and for real data, ending in
/// _f64 for double and _f32 for float.
class KfrLibrary {
public:
    static const KfrLibrary& get(DataType precision) {
        static const KfrLibrary doubles("_f64"), floats("_f32");
        return precision == DataType::float32 ? floats : doubles;
    }

    std::string absent_because() const {
        if (!library_.is_open()) return library_.absent_because();
        return complete_ ? "" : "libkfr_capi.so lacks functions of KFR";
    }
    std::string version() const { return version_(); }

    /// For complex (index 0) and real data (index 1).
    struct Functions {
        std::size_t (*workspace_bytes)(void*) = nullptr;
        void (*forward)(void* plan, void* out, const void* in, void* workspace) = nullptr;
        void (*backward)(void* plan, void* out, const void* in, void* workspace) = nullptr;
        void (*destroy)(void*) = nullptr;
    };
    Functions functions[2];
    void* (*create_complex)(std::size_t) = nullptr;
    void* (*create_real)(std::size_t, int) = nullptr;
    void* (*create_multidimensional)(std::size_t, const unsigned*) = nullptr;

private:
    explicit KfrLibrary(const std::string& suffix)
        : library_({peers_folder() / "kfr" / "lib" / "libkfr_capi.so", "libkfr_capi.so"}) {
        const auto load = [&](auto*& function, const std::string& name) {
            return library_.load(function, name + suffix);
        };
        complete_ = load(create_complex, "kfr_dft_create_plan") &&
                    load(create_real, "kfr_dft_real_create_plan") &&
                    load(create_multidimensional, "kfr_dft_create_md_plan") &&
                    library_.load(version_, "kfr_version_string");
        const char* const prefixes[] = {"kfr_dft_", "kfr_dft_real_"};
        for (int i = 0; i < 2; ++i) {
            const std::string prefix = prefixes[i];
            Functions& each = functions[i];
            complete_ = complete_ && load(each.workspace_bytes, prefix + "get_temp_size") &&
                        load(each.forward, prefix + "execute") &&
                        load(each.backward, prefix + "execute_inverse") &&
                        load(each.destroy, prefix + "delete_plan");
        }
    }

    SharedLibrary library_;
    bool complete_ = false;
    const char* (*version_)() = nullptr;
};

/// KFR takes contiguous transforms; a loop of them is left to its user.
bool has_no_strides(const Transform& problem) {
    std::vector<Integer> lengths;
    for (const Dimension& dimension : problem.dimensions) lengths.push_back(dimension.length);
    const Transform plain = Transform::make(problem.kind, lengths, {.direction = problem.direction});
    return problem.dimensions == plain.dimensions;
}

std::string unsupported(const Transform& problem, const PeerOptions& options) {
    const bool real = problem.kind == TransformKind::real_dft;
    if (problem.kind != TransformKind::dft && !real) return "KFR is compared for dft and rdft only";
    if (problem.layout == ComplexLayout::planar) return "KFR has no planar layout";
    if (problem.scale != 1) return "KFR does not scale";
    if (options.threads != 1) return "KFR runs on one thread";
    if (!has_no_strides(problem)) return "KFR has no strides";
    if (problem.batches.size() > 1) return "KFR is compared with one loop of batches at most";
    if (real && problem.dimensions.size() > 1) return "KFR is compared for real data of one dimension only";
    if (real && problem.dimensions[0].length % 2 != 0) return "KFR has real transforms of even lengths only";
    if (real && problem.placement == Placement::in_place)
        return "KFR is compared for real data out of place only";
    for (const Dimension& dimension : problem.dimensions)
        if (dimension.length > std::numeric_limits<unsigned>::max()) return "too long for KFR";
    return {};
}

void* create_plan(const KfrLibrary& library, const Transform& problem) {
    const auto length = static_cast<std::size_t>(problem.dimensions[0].length);
    if (problem.kind == TransformKind::real_dft) return library.create_real(length, whole_half_spectrum);
    if (problem.dimensions.size() == 1) return library.create_complex(length);
    std::vector<unsigned> shape;
    for (const Dimension& dimension : problem.dimensions)
        shape.push_back(static_cast<unsigned>(dimension.length));
    return library.create_multidimensional(shape.size(), shape.data());
}

std::function<void()> run_of(const KfrLibrary::Functions& functions, std::shared_ptr<void> plan,
                             const Transform& problem, const planning::Arguments& arguments) {
    const auto execute = problem.direction == Direction::forward ? functions.forward : functions.backward;
    const auto workspace = std::make_shared<runtime::AlignedBuffer>(functions.workspace_bytes(plan.get()));
    const auto* const in = static_cast<const std::byte*>(arguments.input);
    auto* const out = static_cast<std::byte*>(arguments.output);
    if (problem.batches.empty()) return [=] { execute(plan.get(), out, in, workspace->data()); };
    const Dimension loop = problem.batches[0];
    const Integer in_step = loop.input_stride * element_bytes(problem, Side::input);
    const Integer out_step = loop.output_stride * element_bytes(problem, Side::output);
    return [=] {
        for (Integer i = 0; i < loop.length; ++i)
            execute(plan.get(), out + i * out_step, in + i * in_step, workspace->data());
    };
}

PeerPlan plan_kfr(const Transform& problem, const planning::Arguments& arguments,
                  const PeerOptions& options) {
    const KfrLibrary& library = KfrLibrary::get(problem.precision);
    if (const std::string reason = library.absent_because(); !reason.empty()) return {{}, reason};
    if (const std::string reason = unsupported(problem, options); !reason.empty()) return {{}, reason};
    const auto& functions = library.functions[problem.kind == TransformKind::real_dft ? 1 : 0];
    void* const created = create_plan(library, problem);
    if (created == nullptr) return {{}, "KFR has no plan for it"};
    return {run_of(functions, std::shared_ptr<void>(created, functions.destroy), problem, arguments), "",
            library.version()};
}

} // namespace

const Peer kfr{"kfr", "KFR", plan_kfr};

} // namespace swirl::peers
