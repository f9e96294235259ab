#include "plan/matrix_groups.hpp"

#include "base/error.hpp"
#include "plan/shared_items.hpp"

#include <vector>

namespace swirl::planning {

namespace {

/// A group's factors, looked at once.
struct Factors {
    Factor alpha, beta;
};

Factors factors_of(const MatrixGroup& group) {
    const Number number = group.plan->product().number;
    return {factor_kind(number, group.alpha), factor_kind(number, group.beta)};
}

MatrixArguments arguments_of(const MatrixGroup& group, Integer item) {
    return {group.alpha, group.a[item], group.b[item], group.beta, group.c[item]};
}

void check(const MatrixGroup& group, std::size_t number) {
    if (group.count < 0) throw UserError("group {} has {} products; use 0 or more", number, group.count);
    if (group.count == 0) return;
    if (group.a == nullptr || group.b == nullptr || group.c == nullptr)
        throw UserError("a list of matrices of group {} is a null pointer", number);
    if (const auto& reductions = group.plan->product().reductions; !reductions.empty())
        throw UserError(
            "products of group {} are reduced: each would write the same array {}\n  use execute()", number,
            reductions.front().name);
    const Factors factors = factors_of(group);
    for (Integer item = 0; item < group.count; ++item) {
        try {
            group.plan->check(arguments_of(group, item), factors.alpha, group.arrays);
        } catch (const UserError& error) {
            throw UserError("product {} of group {}: {}", item, number, error.what());
        }
    }
}

} // namespace

void execute_groups(std::span<const MatrixGroup> groups, int threads) {
    std::vector<Items> kinds;
    std::vector<Factors> factors;
    for (std::size_t number = 0; number < groups.size(); ++number) {
        const MatrixGroup& group = groups[number];
        check(group, number);
        kinds.push_back({group.plan->work(), group.count, group.plan->threads()});
        factors.push_back(factors_of(group));
    }
    share_items(kinds, threads, [&](std::size_t number, Integer item, int) {
        const MatrixGroup& group = groups[number];
        group.plan->execute(arguments_of(group, item), factors[number].alpha, factors[number].beta,
                            group.arrays);
    });
}

} // namespace swirl::planning
