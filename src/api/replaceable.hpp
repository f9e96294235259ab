#pragma once

#include "api/executable.hpp"
#include "search/background.hpp"

#include <atomic>
#include <memory>

namespace swirl::api {

/// A plan that executes as planned at first, and from some time on as a search in the background has found. Both plans live
/// as long as it does, so each execution runs wholly in one of them.
///
/// Its workspace is what the first plan needs. It stays with that plan once it has packed an operand or executed with a packed
/// one, because the other plan may not read that.
class Replaceable final : public Executable, public search::LivingPlan {
public:
    explicit Replaceable(std::shared_ptr<const Executable> first);

    const Executable& now() const override { return stage_ == Stage::replaced ? *second_ : *first_; }

    Device device() const override { return now().device(); }
    int threads() const override { return now().threads(); }
    Accuracy accuracy() const override { return now().accuracy(); }
    std::string schedule() const override { return now().schedule(); }
    std::string description() const override { return now().description(); }
    std::size_t workspace_bytes() const override { return first_->workspace_bytes(); }
    double flops() const override { return now().flops(); }
    double bytes() const override { return now().bytes(); }

    void execute(const planning::Arguments& arguments, const Launch& launch) const override {
        now().execute(arguments, launch);
    }
    void execute(const ProductArguments& arguments, const Launch& launch) const override {
        if (arguments.packed_a != nullptr || arguments.packed_b != nullptr) keep_for_packed();
        now().execute(arguments, launch);
    }
    PackedMatrix pack(gemm::Operand operand, const void* data) const override;
    void execute_groups(std::span<const Group> groups, const Launch& launch) const override {
        now().execute_groups(groups, launch);
    }

    bool may_be_replaced() const override { return stage_ == Stage::open; }
    void replace(search::AnyPlan plan) override;

private:
    enum class Stage : std::uint8_t { open, replaced, kept };

    void keep_for_packed() const;

    const std::shared_ptr<const Executable> first_;
    std::shared_ptr<const Executable> second_; ///< written before the stage is `replaced`, read after
    mutable std::atomic<Stage> stage_ = Stage::open;
};

/// A plan that is ready at once, while a search in the background goes on. Options::swap_schedule makes it Replaceable.
std::shared_ptr<const Executable> tuned_in_background(const Problem& problem, const Options& options);

} // namespace swirl::api
