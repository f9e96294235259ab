#include "cufft/variants.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "cufft/planning_options.hpp"
#include "plan/schedule.hpp"
#include "problem/syntax.hpp"
#include "runtime/cpu/for_each_at_once.hpp"
#include "search/planner.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace swirl::cufft {
namespace {

using PlanPointer = std::shared_ptr<const planning::GpuPlan>;

struct Variant {
    Direction direction;
    Placement placement;
    Transform transform;
};

std::optional<Transform> transform_in_place(const Request& request, Direction direction) {
    try {
        return transform_of(request, direction, Placement::in_place);
    } catch (const UserError&) {
        return std::nullopt;
    }
}

/// The first of them is the one whose schedule the others share.
std::vector<Variant> variants_of(const Request& request) {
    std::vector<Variant> result;
    for (const Direction direction : directions_of(request.kind)) {
        result.push_back(
            {direction, Placement::out_of_place, transform_of(request, direction, Placement::out_of_place)});
        if (auto transform = transform_in_place(request, direction))
            result.push_back({direction, Placement::in_place, *std::move(transform)});
    }
    return result;
}

/// With the schedule of a plan that differs in direction or placement only; with one of its own where that does not fit.
PlanPointer plan_like(const PlanPointer& first, const Transform& transform, Options options) {
    options.time_budget_seconds = 0;
    try {
        Options same = options;
        same.schedule = planning::to_string(first->schedule());
        return search::make_plan<planning::GpuPlan>(transform, same);
    } catch (const UserError&) {
        return search::make_plan<planning::GpuPlan>(transform, options);
    }
}

} // namespace

Variants::Variants(const Request& request, int ordinal) {
    const ForkSection section;
    const std::vector<Variant> variants = variants_of(request);
    const Options options = planning_options(ordinal);
    const auto plan_at = [&](const Variant& variant) -> PlanPointer& {
        return plans_[position(variant.direction, variant.placement)];
    };
    const PlanPointer first = search::make_plan<planning::GpuPlan>(variants.front().transform, options);
    plan_at(variants.front()) = first;
    runtime::for_each_at_once(variants.size() - 1, [&](std::size_t k) {
        const Variant& variant = variants[k + 1];
        try {
            plan_at(variant) = plan_like(first, variant.transform, options);
        } catch (const Unsupported&) { // executions that ask for it are refused
            if (variant.placement == Placement::out_of_place) throw;
        }
    });
}

Variants::~Variants() {
    const auto made =
        std::find_if(plans_.begin(), plans_.end(), [](const auto& plan) { return plan != nullptr; });
    if (made == plans_.end()) return;
    try {
        (*made)->device().synchronize();
    } catch (const std::exception&) { // as at the end of the process, when there is no GPU to wait for
    }
}

std::size_t Variants::workspace_bytes() const {
    std::size_t bytes = 0;
    for (const PlanPointer& plan : plans_)
        if (plan != nullptr) bytes = std::max(bytes, plan->workspace_bytes());
    return bytes;
}

Integer Variants::table_bytes() const {
    Integer bytes = 0;
    for (const PlanPointer& plan : plans_)
        if (plan != nullptr) bytes += plan->table_bytes();
    return bytes;
}

std::string Variants::text() const {
    std::string text;
    for (const PlanPointer& plan : plans_)
        if (plan != nullptr)
            text += fmt::format("{}  {}\n", to_text(plan->problem()), planning::to_string(plan->schedule()));
    return text;
}

} // namespace swirl::cufft
