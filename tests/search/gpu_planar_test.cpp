// Plans for GPUs of spectra whose parts lie in two arrays, in the interpreter.

#include "search/cost/gpu/estimate.hpp"
#include "support/proved_schedule.hpp"

namespace swirl::search {
namespace gpu_planar_test {

TEST(GpuPlansOfPlanarSpectra, ReadAndWriteSpectraOfEveryLength) {
    const target::Gpu& gpu = target::gpu_named("sm_90");
    for (const char* direction : {"forward", "backward"})
        for (const char* batch : {"", "batch=40", "batch=497x2"})
            for (const int n : {2, 3, 4, 5, 6, 8, 9, 12, 16, 30}) {
                const std::string text = fmt::format("rdft {} {} float32 planar {}", n, direction, batch);
                support::prove(text, gpu_schedule(problem(text), gpu));
            }
}

} // namespace gpu_planar_test
} // namespace swirl::search
