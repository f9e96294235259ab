#include "gemm/gpu/simt/thread_map.hpp"

#include "gemm/gpu/simt/layout.hpp"

namespace swirl::gemm {

std::vector<ThreadFragment> thread_fragments(const SimtGemm& schedule, DataType data_type, int first,
                                             int count) {
    ir::Builder builder("threads");
    const SimtThreadLayout threads(builder, schedule, data_type);
    const std::vector<ir::VariableInfo>& digits = builder.program().variables;
    std::vector<ThreadFragment> result;
    for (int thread = first; thread < first + count; ++thread) {
        const auto evaluated = [&](const Affine& form) {
            return form.evaluate([&](Variable variable) {
                return digits[static_cast<std::size_t>(variable)].digit_of(thread);
            });
        };
        for (int i = 0; i < schedule.thread_tile.m; i += threads.row_vector())
            for (int j = 0; j < schedule.thread_tile.n; j += threads.column_vector())
                result.push_back({thread, evaluated(threads.row(i)), evaluated(threads.column(j)),
                                  threads.row_vector(), threads.column_vector()});
    }
    return result;
}

} // namespace swirl::gemm
