#include "emit/gpu_c/source.hpp"

#include "base/error.hpp"
#include "emit/gpu_c/file.hpp"

namespace swirl::emit {
namespace {

void write_head(SourceWriter& out, const GpuFile& file, const GpuSourceOptions& options) {
    const GpuDialect& dialect = file.dialect();
    if (!options.comment.empty()) out.comment(options.comment);
    out.comment(fmt::format("{}.{}{}", dialect.name, dialect.advice.empty() ? "" : " ", dialect.advice));
    if (dialect.runtime.empty()) return;
    out.directive(fmt::format("#if !defined({})", dialect.runtime_compiler));
    out.directive(fmt::format("#include <{}>", dialect.runtime_header));
    out.directive("#endif");
}

} // namespace

std::string_view name_of(GpuLanguage language) {
    switch (language) {
    case GpuLanguage::cuda: return "cuda";
    case GpuLanguage::hip: return "hip";
    case GpuLanguage::opencl: return "opencl";
    }
    return "";
}

GpuLanguage gpu_language_named(std::string_view name) {
    for (const GpuLanguage language : {GpuLanguage::cuda, GpuLanguage::hip, GpuLanguage::opencl})
        if (name_of(language) == name) return language;
    throw UserError("no language '{}' for GPUs; there are cuda, hip and opencl", name);
}

bool has_clusters(GpuLanguage language) { return !dialect_of(language).cluster.empty(); }
bool has_cooperative_groups(GpuLanguage language) {
    return !dialect_of(language).cooperative_helpers.empty();
}
bool has_tensor_cores(GpuLanguage language) { return dialect_of(language).has_ptx; }

std::string emit_gpu_kernels(const GpuTransform& transform, const GpuSourceOptions& options) {
    GpuFile file(transform, options);
    SourceWriter out;
    write_head(out, file, options);
    file.write_kernels(out);
    return std::move(out).text();
}

std::string emit_gpu(const GpuTransform& transform, const GpuSourceOptions& options) {
    GpuFile file(transform, options);
    SourceWriter out;
    if (options.language == GpuLanguage::opencl) {
        SourceWriter kernels;
        file.write_kernels(kernels);
        if (!options.comment.empty()) out.comment(options.comment);
        write_opencl_host(out, file, kernels.text());
        return std::move(out).text();
    }
    write_head(out, file, options);
    file.write_kernels(out);
    write_host(out, file);
    return std::move(out).text();
}

std::string emit_gpu_header(const GpuTransform& transform, const GpuSourceOptions& options) {
    GpuFile file(transform, options);
    SourceWriter out;
    if (!options.comment.empty()) out.comment(options.comment);
    out.directive("#pragma once");
    out.line();
    if (options.language == GpuLanguage::opencl)
        write_opencl_declarations(out, file);
    else
        write_host_declaration(out, file);
    return std::move(out).text();
}

} // namespace swirl::emit
