#include "base/error.hpp"
#include "peers/matrix_peer.hpp"
#include "peers/onednn/plugin.hpp"
#include "peers/shared_library.hpp"

#include <array>
#include <memory>

namespace swirl::peers {
namespace {

struct OnednnPlugin {
    explicit OnednnPlugin(int threads)
        : library(files_beside_program("SWIRL_ONEDNN", {"libswirl_onednn.so"})) {
        complete = library.load(plan, onednn_plan_name) && library.load(execute, onednn_execute_name) &&
                   library.load(destroy, onednn_destroy_name);
        void (*set_threads)(int) = nullptr; // of GNU's OpenMP, as Debian's oneDNN has them
        if (SharedLibrary({"libgomp.so.1"}).load(set_threads, "omp_set_num_threads")) set_threads(threads);
    }

    SharedLibrary library;
    bool complete = false;
    OnednnPlanFunction* plan = nullptr;
    OnednnExecuteFunction* execute = nullptr;
    OnednnDestroyFunction* destroy = nullptr;
};

MatrixPlan plan_matmul(const MatrixCall& call, int threads, bool packs) {
    if (!call.widens() || call.transposed_a || call.transposed_b)
        return {.absent_because = "oneDNN's matmul is compared for narrow numbers that are not transposed"};
    static const OnednnPlugin plugin(threads);
    if (!plugin.complete)
        return {.absent_because = plugin.library.absent_because() +
                                  "; it is built where CMake finds oneDNN (SWIRL_ONEDNN_INCLUDE_DIR)"};
    const OnednnRequest request{call.rows, call.columns, call.k, call.from_int8(), packs};
    std::array<char, 256> error{};
    void* const made = plugin.plan(&request, error.data(), error.size());
    if (made == nullptr) return {.absent_because = fmt::format("oneDNN: {}", error.data())};
    const std::shared_ptr<void> owned(made, plugin.destroy);
    return {.run = repeated([owned, made, execute = plugin.execute](const MatrixOperands& o) {
                if (execute(made, o.a, o.b, o.c) != 0) throw InternalError("oneDNN's matmul failed");
            }),
            .made_by = packs ? "oneDNN's matmul, A packed before" : "oneDNN's matmul"};
}

MatrixPlan plan_as_stored(const MatrixCall& call, int threads) { return plan_matmul(call, threads, false); }
MatrixPlan plan_packed(const MatrixCall& call, int threads) { return plan_matmul(call, threads, true); }

} // namespace

const MatrixPeer onednn_matmul{"onednn-matmul", "oneDNN matmul", plan_as_stored};
const MatrixPeer onednn_packed{"onednn-packed", "oneDNN matmul, packed", plan_packed};

} // namespace swirl::peers
