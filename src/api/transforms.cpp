#include "api/executable.hpp"

#include "plan/schedule.hpp"
#include "runtime/cuda/device.hpp"

#include <fmt/format.h>

#include <utility>

namespace swirl::api {
namespace {

class TransformOnCpu final : public Executable {
public:
    explicit TransformOnCpu(std::shared_ptr<const planning::Plan> plan)
        : Executable(*plan), plan_(std::move(plan)) {}

    Device device() const override { return Device::cpu(); }
    int threads() const override { return plan_->threads(); }
    std::string schedule() const override { return planning::to_string(plan_->schedule()); }
    std::string description() const override {
        std::string text =
            fmt::format("{}, {} threads, {} bytes of workspace, {} bytes of tables\n", plan_->cpu().name,
                        plan_->threads(), plan_->workspace_bytes(), plan_->table_bytes());
        text += "checked: " + plan_->checked() + "\n";
        for (const planning::PassDescription& pass : plan_->describe()) text += ir::to_string(pass.info);
        return text;
    }
    std::size_t workspace_bytes() const override { return plan_->workspace_bytes(); }
    double flops() const override { return plan_->flops(); }
    double bytes() const override { return plan_->bytes(); }

    using Executable::execute;
    void execute(const planning::Arguments& arguments, const Launch& launch) const override {
        const Workspace& workspace = launch.workspace;
        if (workspace.data == nullptr && workspace.bytes == 0) return plan_->execute(arguments);
        check_workspace(workspace, plan_->workspace_bytes());
        plan_->execute(arguments, workspace.data);
    }

private:
    std::shared_ptr<const planning::Plan> plan_;
};

class TransformOnGpu final : public Executable {
public:
    explicit TransformOnGpu(std::shared_ptr<const planning::GpuPlan> plan)
        : Executable(plan->problem()), plan_(std::move(plan)) {}

    Device device() const override { return Device::gpu(plan_->device().properties().index); }
    std::string schedule() const override { return planning::to_string(plan_->schedule()); }
    std::string description() const override {
        std::string text = "checked: " + plan_->checked() + "\n";
        for (const ir::KernelInfo& kernel : plan_->kernels()) text += ir::to_string(kernel);
        return text;
    }
    std::size_t workspace_bytes() const override { return plan_->workspace_bytes(); }
    double flops() const override { return plan_->flops(); }
    double bytes() const override { return plan_->bytes(); }

    using Executable::execute;
    void execute(const planning::Arguments& arguments, const Launch& launch) const override {
        plan_->execute(arguments, static_cast<runtime::cuda::Stream>(launch.stream.handle()),
                       {launch.workspace.data, launch.workspace.bytes});
    }

private:
    std::shared_ptr<const planning::GpuPlan> plan_;
};

} // namespace

std::shared_ptr<const Executable> executable(std::shared_ptr<const planning::Plan> plan) {
    return std::make_shared<const TransformOnCpu>(std::move(plan));
}
std::shared_ptr<const Executable> executable(std::shared_ptr<const planning::GpuPlan> plan) {
    return std::make_shared<const TransformOnGpu>(std::move(plan));
}

} // namespace swirl::api
