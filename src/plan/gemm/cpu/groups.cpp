#include "plan/gemm/cpu/groups.hpp"

#include "base/error.hpp"
#include "plan/gemm/cpu/work_items.hpp"

#include <vector>

namespace swirl::planning {

namespace {

/// A group's α and β, classified once.
struct ScalarKinds {
    ScalarKind alpha, beta;
};

ScalarKinds scalar_kinds_of(const MatrixGroup& group) {
    const DataType data_type = group.plan->product().data_type;
    return {scalar_kind(data_type, group.alpha), scalar_kind(data_type, group.beta)};
}

MatrixArguments arguments_of(const MatrixGroup& group, Integer item) {
    return {group.alpha, group.a[item], group.b[item], group.beta, group.c[item]};
}

void check(const MatrixGroup& group, std::size_t index) {
    if (group.count < 0) throw UserError("group {} has {} products; use 0 or more", index, group.count);
    if (group.count == 0) return;
    if (group.a == nullptr || group.b == nullptr || group.c == nullptr)
        throw UserError("group {}: an array of matrix pointers is null", index);
    if (const auto& reductions = group.plan->product().reductions; !reductions.empty())
        throw UserError(
            "group {}: the reductions of all its products would write the same array {}\n  use execute()",
            index, reductions.front().name);
    const ScalarKinds scalar_kinds = scalar_kinds_of(group);
    for (Integer item = 0; item < group.count; ++item) {
        try {
            group.plan->check(arguments_of(group, item), scalar_kinds.alpha, group.arrays);
        } catch (const UserError& error) {
            throw UserError("product {} of group {}: {}", item, index, error.what());
        }
    }
}

} // namespace

void execute_groups(std::span<const MatrixGroup> groups, int threads) {
    std::vector<Items> kinds;
    std::vector<ScalarKinds> scalar_kinds;
    for (std::size_t index = 0; index < groups.size(); ++index) {
        const MatrixGroup& group = groups[index];
        check(group, index);
        kinds.push_back({group.plan->work(), group.count, group.plan->threads()});
        scalar_kinds.push_back(scalar_kinds_of(group));
    }
    distribute_items(kinds, threads, [&](std::size_t index, Integer item, int) {
        const MatrixGroup& group = groups[index];
        group.plan->execute(arguments_of(group, item), scalar_kinds[index].alpha, scalar_kinds[index].beta,
                            group.arrays);
    });
}

} // namespace swirl::planning
