#include "cli/standalone.hpp"

#include "base/error.hpp"
#include "cli/generated_cpp.hpp"
#include "cli/generated_gpu.hpp"
#include "cli/gpu_products.hpp"
#include "cli/products.hpp"
#include "search/planner.hpp"
#include "target/gpu.hpp"

#include <cctype>
#include <utility>

namespace swirl::cli {
namespace {

void check_identifier(const std::string& name) {
    bool good = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
    for (const char c : name) good = good && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_');
    if (!good) throw UserError("--function is '{}', which is no C identifier", name);
}

SourceText text_for_gpu(const Transform& problem, const SourceRequest& request, const std::string& function) {
    const emit::GpuLanguage language = emit::gpu_language_named(request.language);
    const PlanningOptions& planning = request.planning;
    if (!planning.cpu.empty())
        throw UserError("--cpu {} with --language {}; for GPUs there is --gpu", planning.cpu,
                        request.language);
    if (planning.measure || planning.exhaustive)
        throw UserError(
            "--language {} with --measure or --exhaustive; kernels for GPUs are chosen by estimate, by "
            "wisdom, or by --schedule",
            request.language);
    const search::GpuTarget gpu(gpu_in(language, target::gpu_named(request.gpu)));
    const planning::Schedule schedule = search::choose_schedule(problem, gpu, planning.plan_options());
    StandaloneGpu text = schedule_as_gpu_source(problem, schedule, language, function);
    return {std::move(text.source), std::move(text.header)};
}

SourceText text_in_cpp(const Transform& problem, const SourceRequest& request, const std::string& function) {
    StandaloneCpp text =
        plan_as_cpp(*make_plan(problem, request.planning, search::Purpose::inspect), function);
    return {std::move(text.source), std::move(text.header)};
}

} // namespace

SourceText source_of(const Transform& problem, const SourceRequest& request) {
    const std::string function = request.function.empty() ? function_name(problem) : request.function;
    check_identifier(function);
    return request.language == "c++" ? text_in_cpp(problem, request, function)
                                     : text_for_gpu(problem, request, function);
}

SourceText source_of(const MatrixProduct& product, const SourceRequest& request) {
    const std::string function = request.function.empty() ? "swirl_gemm" : request.function;
    check_identifier(function);
    if (request.language == "c++") {
        ProductText text = product_as_cpp(product, request.planning, function);
        return {std::move(text.source), std::move(text.header)};
    }
    const emit::GpuLanguage language = emit::gpu_language_named(request.language);
    PlanningOptions planning = request.planning;
    planning.device = request.gpu;
    StandaloneGpu text = gemm_as_gpu_source(product, planning, language, function);
    return {std::move(text.source), std::move(text.header)};
}

} // namespace swirl::cli
