// Errors of GEMM on a GPU against those of multiply-adds and of cuBLAS, for operand patterns that determine the errors
// of sums.

#include "base/error.hpp"
#include "bench/gpu_accuracy/kernels.hpp"
#include "bench/gpu_accuracy/patterns.hpp"
#include "bench/support/in_parallel.hpp"
#include "bench/support/program.hpp"
#include "bench/support/setting.hpp"
#include "ir/rounding.hpp"
#include "peers/cublas.hpp"
#include "runtime/cuda/memory.hpp"
#include "target/nvidia/tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <regex>
#include <string>

namespace swirl::bench {
namespace {

using peers::GpuArithmetic;
using peers::GpuMatrixCall;

/// Every data type of tensor cores, at a square and, because errors of sums grow with K, at a long K.
std::vector<std::string> all_products() {
    std::vector<std::string> result;
    for (const char* types : {"", ",bfloat16 b=bfloat16", ",float16 b=float16", ",float8_e4m3 b=float8_e4m3"})
        for (const char* shape : {"2560x2560x2560", "256x256x100000"})
            result.push_back(fmt::format("gemm {} float32 a=rows{}", shape, types));
    return result;
}

struct Arguments {
    std::vector<std::string> products = all_products();
    std::vector<std::string> decisions;
    std::string only;
    std::uint64_t seed = 1;
    int device = 0;
    bool model = false;
};

using cli::print;

/// A and B of a pattern, in their data type; A's rows and B's columns are contiguous (GEMM TN).
struct Data {
    std::vector<double> a, b;
};
Data data_of(const AccuracyPattern& pattern, const GpuMatrixCall& call, std::uint64_t seed) {
    const StoredType& format = operand_of(call);
    const auto draw = [&](int operand, Integer lines) {
        std::vector<double> values(static_cast<std::size_t>(lines * call.k));
        in_parallel(static_cast<std::size_t>(lines), [&](std::size_t line) {
            std::seed_seq sequence{seed, seed >> 32, static_cast<std::uint64_t>(operand),
                                   std::uint64_t{line}};
            Random random(sequence);
            std::vector<std::byte> bytes(format.bytes);
            for (Integer k = 0; k < call.k; ++k) {
                format.write(pattern.element(random, operand, static_cast<Integer>(line), k), bytes.data());
                values[line * static_cast<std::size_t>(call.k) + static_cast<std::size_t>(k)] =
                    format.read(bytes.data());
            }
        });
        return values;
    };
    Data data;
    data.a = draw(0, call.rows);
    data.b = draw(1, call.columns);
    return data;
}

runtime::GpuBuffer to_gpu(const runtime::GpuDevice& device, const std::vector<double>& values,
                          const StoredType& format) {
    std::vector<std::byte> bytes(values.size() * format.bytes);
    constexpr std::size_t chunk = std::size_t{1} << 16;
    in_parallel((values.size() + chunk - 1) / chunk, [&](std::size_t c) {
        for (std::size_t i = c * chunk; i < std::min(values.size(), (c + 1) * chunk); ++i)
            format.write(values[i], &bytes[i * format.bytes]);
    });
    runtime::GpuBuffer buffer(device, bytes.size());
    copy_to_gpu(device, buffer.address(), bytes.data(), bytes.size());
    return buffer;
}

template <class T>
std::vector<T> product_on_gpu(const AccuracyKernel& kernel, const runtime::GpuBuffer& a,
                              const runtime::GpuBuffer& b, std::size_t elements,
                              const runtime::GpuStream& stream) {
    const runtime::GpuBuffer c(stream.device(), elements * sizeof(T));
    fill_on_gpu(stream, c.address(), 0xff, c.bytes());
    stream.synchronize();
    kernel.execute(reinterpret_cast<const void*>(a.address()), reinterpret_cast<const void*>(b.address()),
                   reinterpret_cast<void*>(c.address()));
    stream.synchronize();
    std::vector<T> result(elements);
    copy_from_gpu(stream.device(), result.data(), c.address(), c.bytes());
    return result;
}

/// Reference results, and the sums of their products' magnitudes, in float64.
struct Reference {
    std::vector<double> values, magnitudes;
};
Reference reference_of(const Data& data, const GpuMatrixCall& call, const AccuracyKernel& float64,
                       const runtime::GpuStream& stream) {
    const auto elements = static_cast<std::size_t>(call.rows * call.columns);
    const StoredType& format = stored(DataType::float64);
    const auto multiply = [&](const std::vector<double>& a, const std::vector<double>& b) {
        return product_on_gpu<double>(float64, to_gpu(stream.device(), a, format),
                                      to_gpu(stream.device(), b, format), elements, stream);
    };
    Reference reference;
    reference.values = multiply(data.a, data.b);
    Data magnitudes = data;
    for (auto* side : {&magnitudes.a, &magnitudes.b})
        for (double& x : *side) x = std::abs(x);
    reference.magnitudes = multiply(magnitudes.a, magnitudes.b);
    // Checks some of them against the definition.
    Random random(1);
    for (int sample = 0; sample < 100; ++sample) {
        const Integer i = static_cast<Integer>(random() % static_cast<std::uint64_t>(call.rows));
        const Integer j = static_cast<Integer>(random() % static_cast<std::uint64_t>(call.columns));
        long double value = 0;
        for (Integer k = 0; k < call.k; ++k)
            value += static_cast<long double>(data.a[static_cast<std::size_t>(i * call.k + k)]) *
                     data.b[static_cast<std::size_t>(j * call.k + k)];
        const auto at = static_cast<std::size_t>(j * call.rows + i);
        if (std::isfinite(static_cast<double>(value)) &&
            !(std::abs(value - reference.values[at]) <= 1e-12L * reference.magnitudes[at]))
            throw UserError("the product in float64 is wrong at row {}, column {}", i, j);
    }
    return reference;
}

/// Errors relative to |A|·|B|. The bias is positive away from zero: truncation makes results smaller in magnitude.
struct Errors {
    double mean = 0, largest = 0, bias = 0;
    std::size_t strange = 0; ///< infinite or NaN where the exact result is not, or vice versa
};
Errors errors_of(const std::vector<float>& found, const Reference& reference) {
    constexpr double least = 0x1p-126,
                     most = 0x1.fffffep127; // below least, the spacing of floats bounds the errors
    Errors errors;
    double count = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double exact = reference.values[i], value = static_cast<double>(found[i]);
        if (std::isnan(exact) || std::abs(exact) > most) {
            const bool is_right =
                std::isnan(exact) ? std::isnan(value) : value == std::copysign(HUGE_VAL, exact);
            errors.strange += is_right ? 0 : 1;
            continue;
        }
        if (!std::isfinite(value)) {
            ++errors.strange;
            continue;
        }
        const double error = (value - exact) / std::max(reference.magnitudes[i], least);
        errors.mean += std::abs(error);
        errors.largest = std::max(errors.largest, std::abs(error));
        errors.bias += exact < 0 ? -error : error;
        ++count;
    }
    errors.mean /= std::max(count, 1.0);
    errors.bias /= std::max(count, 1.0);
    return errors;
}

/// Guarantee for float32 GEMM: mean and maximum errors of multiply-adds, and a bias of theirs or of one unit in the
/// last place, times 1.1.
bool keeps_promise(const Errors& errors, const Errors& simt) {
    constexpr double slack = 1.1, unit = 0x1p-23;
    return errors.mean <= slack * simt.mean && errors.largest <= slack * simt.largest &&
           std::abs(errors.bias) <= slack * std::max(std::abs(simt.bias), unit) &&
           errors.strange <= simt.strange;
}

std::string text_of(const Errors& errors) {
    return fmt::format("{:.2e} | {:.2e} | {:+.1e}", errors.mean, errors.largest, errors.bias);
}

/// A and B on the GPU.
struct Operands {
    runtime::GpuBuffer a, b;
};

/// The errors of each kernel.
std::vector<Errors> errors_of_all(const std::vector<AccuracyKernel>& kernels, const Data& data,
                                  const Reference& reference, const runtime::GpuStream& stream) {
    std::map<const StoredType*, Operands> operands;
    std::vector<Errors> result;
    for (const AccuracyKernel& kernel : kernels) {
        auto at = operands.find(kernel.operand);
        if (at == operands.end())
            at = operands
                     .emplace(kernel.operand, Operands{to_gpu(stream.device(), data.a, *kernel.operand),
                                                       to_gpu(stream.device(), data.b, *kernel.operand)})
                     .first;
        result.push_back(errors_of(
            product_on_gpu<float>(kernel, at->second.a, at->second.b, reference.values.size(), stream),
            reference));
    }
    return result;
}

int measure(const GpuMatrixCall& call, const Arguments& arguments, const runtime::GpuStream& stream) {
    GpuMatrixCall in_float64 = call;
    in_float64.arithmetic = GpuArithmetic::float64;
    const AccuracyKernel float64 = kernels_for(in_float64, {}, stream).at(0);
    const std::vector<AccuracyKernel> kernels = kernels_for(call, arguments.decisions, stream);
    print(fmt::format("\n### {}\n\n", to_text(product_of(call))));
    for (const AccuracyKernel& kernel : kernels)
        print(fmt::format("- {}: `{}`\n", kernel.name, kernel.made_by));
    print(
        "\n| pattern | kernel | mean | largest | bias | SIMT mean | largest | bias | cuBLAS mean | largest | "
        "bias | "
        "|\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
    const auto cublas_of = [&](const AccuracyKernel& kernel) {
        return static_cast<std::size_t>(
            std::find_if(kernels.begin(), kernels.end(),
                         [&](const AccuracyKernel& other) { return other.name == kernel.cublas; }) -
            kernels.begin());
    };
    const std::regex only(arguments.only);
    int broken = 0;
    for (const AccuracyPattern& pattern : accuracy_patterns()) {
        if (!std::regex_search(pattern.name, only)) continue;
        if (!pattern.is_low_precision && operand_of(call).bytes < 4) continue;
        const Data data = data_of(pattern, call, arguments.seed);
        const Reference reference = reference_of(data, call, float64, stream);
        const std::vector<Errors> all = errors_of_all(kernels, data, reference, stream);
        const Errors& simt = all.front();
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            const AccuracyKernel& kernel = kernels[k];
            const std::size_t cublas = cublas_of(kernel);
            const bool holds = !kernel.is_promised || keeps_promise(all[k], simt);
            broken += holds ? 0 : 1;
            print(fmt::format("| {} | {} | {} | {} | {} | {}{} |\n", pattern.name, kernel.name,
                              text_of(all[k]), text_of(simt),
                              cublas < kernels.size() ? text_of(all[cublas]) : " | | ",
                              all[k].strange > 0 ? fmt::format("{} not as expected", all[k].strange) : "",
                              holds ? "" : " **breaks the promise**"));
        }
    }
    return broken;
}

/// Compares the model of the wgmma instruction (ir/tensor_core.hpp), applied in sequence along K, with the bits of the
/// default kernel.
int compare_with_model(const GpuMatrixCall& call, const Arguments& arguments,
                       const runtime::GpuStream& stream) {
    const auto scalar = call.arithmetic == GpuArithmetic::bfloat16  ? DataType::bfloat16
                        : call.arithmetic == GpuArithmetic::float16 ? DataType::float16
                        : call.arithmetic == GpuArithmetic::e4m3    ? DataType::float8_e4m3
                                                                    : DataType::float32;
    const ir::WgmmaInstruction& entry = target::wgmma_of(scalar, 64);
    const std::vector<AccuracyKernel> kernels = kernels_for(call, {}, stream);
    const char* const wanted = scalar == DataType::float32 ? "tf32" : "wgmma";
    const auto kernel = std::find_if(kernels.begin(), kernels.end(),
                                     [&](const AccuracyKernel& one) { return one.name == wanted; });
    if (kernel == kernels.end())
        throw UserError("{} is not multiplied by tiles; --model compares larger products",
                        to_text(product_of(call)));
    int different = 0;
    for (const AccuracyPattern& pattern : accuracy_patterns()) {
        if (!pattern.is_low_precision) continue;
        const Data data = data_of(pattern, call, arguments.seed);
        const auto factors = [&](const std::vector<double>& values) {
            std::vector<ir::TensorCoreOperand> result;
            for (const double x : values)
                result.push_back(ir::tensor_core_operand(
                    scalar == DataType::float32 ? ir::round_to_tf32(x) : x, entry.least_exponent));
            return result;
        };
        const auto a = factors(data.a), b = factors(data.b);
        const std::vector<float> found =
            product_on_gpu<float>(*kernel, to_gpu(stream.device(), data.a, operand_of(call)),
                                  to_gpu(stream.device(), data.b, operand_of(call)),
                                  static_cast<std::size_t>(call.rows * call.columns), stream);
        const auto k_extent = static_cast<std::size_t>(call.k), step = static_cast<std::size_t>(entry.k);
        int wrong = 0;
        for (std::size_t j = 0; j < static_cast<std::size_t>(call.columns); ++j)
            for (std::size_t i = 0; i < static_cast<std::size_t>(call.rows); ++i) {
                float sum = 0;
                for (std::size_t k = 0; k < k_extent; k += step)
                    sum = ir::tensor_core_accumulate({&a[i * k_extent + k], step},
                                                     {&b[j * k_extent + k], step}, sum, entry.rounding);
                wrong += sum == found[j * static_cast<std::size_t>(call.rows) + i] ? 0 : 1;
            }
        print(fmt::format("{}, {}: {} of {} results differ from the model ({})\n", to_text(product_of(call)),
                          pattern.name, wrong, found.size(), kernel->made_by));
        different += wrong;
    }
    return different;
}

int run(const Arguments& arguments, const std::string& command) {
    const runtime::GpuDevice device(arguments.device);
    const runtime::GpuStream stream(device);
    const std::string no_cublas = peers::cublas_absent_because();
    print(fmt::format(
        "{}; driver {}; {}; seed {}\n`{}`\n", device.properties().name, driver_text(device.driver()),
        no_cublas.empty() ? peers::cublas_version() : "no cuBLAS: " + no_cublas, arguments.seed, command));
    int wrong = 0;
    std::vector<std::string> without;
    for (const std::string& text : arguments.products) {
        GpuMatrixCall call = peers::gpu_call_of(parse_matrix_product(text));
        call.transposed_a = true; // the data's layout
        call.transposed_b = false;
        wrong +=
            arguments.model ? compare_with_model(call, arguments, stream) : measure(call, arguments, stream);
    }
    return wrong > 0 ? 1 : 0;
}

void add_options(CLI::App& program, Arguments& arguments) {
    program.add_option(
        "--product", arguments.products,
        "Such as 'gemm 2560x2560x2560 float32'; may be given again. Default: each data type, at "
        "2560x2560x2560 and at K = 100000");
    program.add_option("--with", arguments.decisions,
                       "Parameters in place of those of the model's schedule; may be given again");
    program.add_option("--only", arguments.only,
                       "Of the patterns only those in which this regular expression is found");
    program.add_option("--seed", arguments.seed, "Seed of the random values")->capture_default_str();
    program.add_option("--device", arguments.device, "Which GPU, as CUDA counts them")->capture_default_str();
    program.add_flag("--model", arguments.model,
                     "Compare bits with what the ir says of tensor cores' sums, in place of errors");
}

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    Arguments arguments;
    return main_of(
        {.description = "Errors of products on a GPU, beside those of multiply-adds and of cuBLAS.",
         .add_options = [&](CLI::App& program) { add_options(program, arguments); },
         .run = [&](const std::string& command) { return run(arguments, command); }},
        count, values);
}
