#include "search/timer/cpu/timing.hpp"

#include "problem/problem.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::search {
namespace {

double product_of_lengths(const std::vector<Dimension>& dimensions) {
    double product = 1;
    for (const Dimension& dimension : dimensions) product *= static_cast<double>(dimension.length);
    return product;
}

/// Scalars of input and output together, without the batches.
double scalars_of(const Transform& problem) {
    const double points = product_of_lengths(problem.dimensions);
    if (problem.kind == TransformKind::dft || problem.kind == TransformKind::convolution) return 4 * points;
    if (has_formula(problem))
        return static_cast<double>((problem.matrix.rows() + problem.matrix.columns()) *
                                   (problem.kind == TransformKind::formula ? 2 : 1));
    if (problem.kind != TransformKind::real_dft) return 2 * points;
    const double last = static_cast<double>(problem.dimensions.back().length);
    return points + points / last * 2 * (std::floor(last / 2) + 1);
}

} // namespace

std::vector<Measurement> measure_interleaved(std::span<const TimedWork> candidates,
                                             const TimingOptions& options,
                                             const std::function<void()>& interrupt,
                                             const std::function<bool()>& enough) {
    const std::size_t count = candidates.size();
    std::vector<Integer> repetitions;
    for (const TimedWork& work : candidates) {
        if (interrupt) interrupt();
        repetitions.push_back(runtime::warm_up(work, options));
    }
    std::vector<std::vector<double>> times(count);
    const double start = runtime::seconds(options.clock);
    const double budget = options.budget * static_cast<double>(count);
    bool is_enough = false;
    for (int round = 0; round < options.max_samples && !is_enough; ++round) {
        for (std::size_t i = 0; i < count; ++i) {
            if (interrupt) interrupt();
            if (enough && enough()) is_enough = true;
            if (is_enough && round > 0) break;
            const std::size_t candidate = (i + static_cast<std::size_t>(round)) % count;
            times[candidate].push_back(
                runtime::time_once(candidates[candidate], repetitions[candidate], options.clock));
        }
        if (round + 1 < options.min_samples) continue;
        if (runtime::seconds(options.clock) - start > budget) break;
        const auto is_precise = [&](const std::vector<double>& each) {
            return runtime::uncertainty(runtime::summarize(each)) <= options.precision;
        };
        if (round % 8 == 7 && std::all_of(times.begin(), times.end(), is_precise)) break;
    }
    std::vector<Measurement> results;
    for (std::size_t i = 0; i < count; ++i) {
        results.push_back(runtime::summarize(times[i]));
        results.back().repetitions = repetitions[i] * static_cast<Integer>(times[i].size());
    }
    return results;
}

double pseudo_flops(const Transform& problem) {
    const double points = product_of_lengths(problem.dimensions);
    const double each = points > 1 ? points * std::log2(points) : 0;
    const double factor = problem.kind == TransformKind::convolution                                     ? 10
                          : problem.kind == TransformKind::real_convolution                              ? 5
                          : problem.kind == TransformKind::dft || problem.kind == TransformKind::formula ? 5
                          : is_wht(problem.kind)                                                         ? 1
                                                 : 2.5;
    return factor * each * product_of_lengths(problem.batches);
}

double compulsory_bytes(const Transform& problem) {
    return scalars_of(problem) * product_of_lengths(problem.batches) *
           static_cast<double>(bytes_of(problem.precision));
}

double compulsory_bytes(const MatrixProduct& product) {
    const auto bytes = [&](const MatrixLayout& layout, Integer rows, Integer columns, DataType type) {
        const Integer matrices = layout.batch_stride == 0 ? 1 : product.batch;
        return static_cast<double>(matrices) * static_cast<double>(rows) * static_cast<double>(columns) *
               static_cast<double>(bytes_of(type));
    };
    return bytes(product.a, product.rows, product.k, product.type_of_a()) +
           bytes(product.b, product.k, product.columns, product.type_of_b()) +
           bytes(product.c, product.rows, product.columns, product.type_of_c());
}

Floors floors(const MatrixProduct& product, double flops, const HostProbe& probe) {
    Floors result;
    const DataType component = component_of(product.data_type);
    if (!product.widens() && is_floating(component))
        result.arithmetic =
            flops / (component == DataType::float64 ? probe.flops_float64 : probe.flops_float32);
    const double bytes = compulsory_bytes(product);
    const Bandwidth& level = probe.level_holding(static_cast<Integer>(bytes));
    result.traffic = bytes / level.copy;
    result.level = level.level;
    return result;
}

Floors floors(const Transform& problem, double flops, const HostProbe& probe) {
    Floors result;
    const double peak = problem.precision == DataType::float64 ? probe.flops_float64 : probe.flops_float32;
    result.arithmetic = flops / peak;
    const double bytes = compulsory_bytes(problem);
    const double data = problem.placement == Placement::in_place ? bytes / 2 : bytes;
    const Bandwidth& level = probe.level_holding(static_cast<Integer>(data));
    result.traffic = bytes / level.copy;
    result.level = level.level;
    return result;
}

} // namespace swirl::search
