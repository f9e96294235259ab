#include "api/convolution_shape.hpp"

#include "base/error.hpp"
#include "problem/data_type.hpp"
#include "problem/problem.hpp"
#include "rules/number_theory.hpp"
#include "search/estimated_cost.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace swirl::api {

namespace {

constexpr Integer longest = Integer{1} << 40; ///< sums of lengths stay far from overflow

const char* word_of_mode(ConvolutionMode mode) {
    constexpr std::array names = {"full", "same", "valid", "causal"};
    return names.at(static_cast<std::size_t>(mode));
}

[[noreturn]] void reject(const ConvolutionProblem& problem, const std::string& what,
                         const std::string& remedy) {
    throw UserError("{}\n  problem: {}\n  {}", what, to_text(problem), remedy);
}

/// Strides of contiguous elements, row-major.
std::vector<Integer> row_major(const std::vector<Integer>& lengths) {
    std::vector<Integer> strides(lengths.size(), 1);
    for (std::size_t d = lengths.size(); d-- > 1;) strides[d - 1] = strides[d] * lengths[d];
    return strides;
}

ConvolutionAxis axis_of(const ConvolutionProblem& problem, std::size_t d) {
    const Integer n = problem.signal[d], m = problem.kernel[d];
    switch (problem.mode) {
    case ConvolutionMode::full: return {n, m, 0, n + m - 1};
    case ConvolutionMode::same: return {n, m, (m - 1) / 2, n};
    case ConvolutionMode::causal: return {n, m, 0, n};
    case ConvolutionMode::valid:
        if (m > n)
            reject(
                problem,
                fmt::format("dimension {} of the kernel has {} points, more than the signal's {}", d, m, n),
                "'valid' has no results then; use 'full', 'same' or 'causal', or exchange signal and kernel");
        return {n, m, m - 1, n - m + 1};
    }
    throw InternalError("unknown mode of a convolution");
}

/// The distance at which the next such array begins.
Integer span_of(const std::vector<Integer>& lengths, const std::vector<Integer>& strides) {
    Integer span = 1;
    for (std::size_t d = 0; d < lengths.size(); ++d) span = std::max(span, lengths[d] * std::abs(strides[d]));
    return span;
}

std::string index_of(std::size_t d, std::size_t rank) { return rank == 1 ? "i" : fmt::format("i{}", d); }

/// One dimension of a part: inputs [first, first + inputs) of the circular convolution's points are read, outputs
/// [from, from + outputs) are written.
struct PaddedAxis {
    Integer trimmed; ///< elements of the signal before the first that matters
    Integer first;
    Integer inputs;
    Integer from;
    Integer outputs;
    Integer kernel;

    /// Results do not wrap around onto those that are written.
    Integer least_length() const {
        const Integer end = first + inputs;
        return std::max({end, kernel, end + kernel - 1 - from, from + outputs});
    }
};

PaddedAxis padded(const ConvolutionAxis& axis) {
    const Integer begin = std::clamp<Integer>(axis.start - axis.kernel + 1, 0, axis.signal - 1);
    const Integer end = std::clamp<Integer>(axis.start + axis.count, begin + 1, axis.signal);
    const Integer from = axis.start - begin, pad = std::max<Integer>(0, -from);
    return {begin, pad, end - begin, from + pad, axis.count, axis.kernel};
}

/// "x where i >= 2 and i < 7"; the identity where all are.
Expression among(const char* value, const std::vector<Integer>& first, const std::vector<Integer>& count,
                 const std::vector<Integer>& lengths) {
    std::vector<std::string> conditions;
    for (std::size_t d = 0; d < lengths.size(); ++d) {
        const std::string index = index_of(d, lengths.size());
        if (first[d] > 0) conditions.push_back(fmt::format("{} >= {}", index, first[d]));
        if (first[d] + count[d] < lengths[d])
            conditions.push_back(fmt::format("{} < {}", index, first[d] + count[d]));
    }
    const std::string text = value;
    if (conditions.empty()) return text == "x" ? Expression() : Expression(text);
    return Expression(fmt::format("{} where {}", text, fmt::join(conditions, " and ")));
}

/// Blocks: how many, and points of signal and results from one to the next.
struct Blocks {
    Integer count, input, output;
};

/// A part along these dimensions, with loops over blocks inside those over signals.
CircularPart part_of(const std::vector<PaddedAxis>& axes, const ConvolutionShape& shape,
                     const ConvolutionProblem& problem, const std::vector<Integer>& lengths,
                     const std::optional<Blocks>& blocks = {}) {
    const std::size_t rank = axes.size();
    std::vector<Integer> first, inputs, from, outputs, in = shape.signal_strides, out = shape.result_strides;
    CircularPart part;
    for (std::size_t d = 0; d < rank; ++d) {
        first.push_back(axes[d].first);
        inputs.push_back(axes[d].inputs);
        from.push_back(axes[d].from);
        outputs.push_back(axes[d].outputs);
        part.input += (axes[d].trimmed - axes[d].first) * in[d];
        if (shape.is_reversed) {
            part.output += (shape.axes[d].count - 1 + axes[d].from) * out[d];
            out[d] = -out[d];
        } else {
            part.output -= axes[d].from * out[d];
        }
    }
    TransformOptions options{.precision = problem.precision, .input_strides = in, .output_strides = out};
    part.has_all_signals = shape.kernels() == 1 || !blocks;
    if (part.has_all_signals)
        for (const ConvolutionLoop& loop : shape.loops)
            options.batches.push_back({loop.count, loop.signal, loop.result});
    if (blocks)
        options.batches.push_back({blocks->count, blocks->input * shape.signal_strides[0],
                                   blocks->output * shape.result_strides[0]});
    if (part.has_all_signals && shape.kernels() > 1) options.spectrum = Sharing::each;
    options.load = among("x", first, inputs, lengths);
    const bool conjugates = shape.is_reversed && problem.is_complex;
    options.store = among(conjugates ? "conj(x)" : "x", from, outputs, lengths);
    part.problem = Transform::make(
        problem.is_complex ? TransformKind::convolution : TransformKind::real_convolution, lengths, options);
    part.lengths = lengths;
    return part;
}

/// Products of 2, 3, 5 and 7 from `least` to a quarter more, ascending; of real data the even ones.
std::vector<Integer> fast_lengths(Integer least, bool even) {
    std::vector<Integer> result;
    const Integer most = least + least / 4 + 8;
    for (Integer a = 1; a <= most; a *= 2)
        for (Integer b = a; b <= most; b *= 3)
            for (Integer c = b; c <= most; c *= 5)
                for (Integer d = c; d <= most; d *= 7)
                    if (d >= least && (!even || d % 2 == 0)) result.push_back(d);
    std::sort(result.begin(), result.end());
    return result;
}

/// Chooses lengths by the model.
class Lengths {
public:
    Lengths(const ConvolutionShape& shape, const ConvolutionProblem& problem, const search::Target& target)
        : signals_(shape.signals()),
          rank_(shape.axes.size()),
          is_complex_(problem.is_complex),
          target_(target) {}

    /// On GPUs each rating takes tens of milliseconds.
    bool is_rated_quickly() const { return std::holds_alternative<const target::Cpu*>(target_); }

    double cost(const CircularPart& part) const {
        const double signals = part.has_all_signals ? 1 : static_cast<double>(signals_);
        return signals * search::estimated_cost(part.problem, target_);
    }

    /// The fastest part by lengths of at least the least ones, of which each dimension tries a few by itself.
    template <class MakePart> CircularPart fastest(const std::vector<Integer>& least, MakePart&& make) const {
        std::vector<Integer> lengths;
        std::vector<std::vector<Integer>> choices;
        for (std::size_t d = 0; d < least.size(); ++d) {
            choices.push_back(choices_from(least[d], d + 1 == least.size()));
            lengths.push_back(choices.back().front());
        }
        CircularPart best = make(lengths);
        double least_cost = cost(best);
        for (std::size_t d = least.size(); d-- > 0;)
            for (const Integer length : choices[d]) {
                std::vector<Integer> other = best.lengths;
                if (other[d] == length) continue;
                other[d] = length;
                CircularPart part = make(other);
                const double part_cost = cost(part);
                if (part_cost >= least_cost) continue;
                least_cost = part_cost;
                best = std::move(part);
            }
        return best;
    }

private:
    /// The smallest ones, and the next power of two if it is near.
    std::vector<Integer> choices_from(Integer least, bool is_last) const {
        const std::size_t most = is_rated_quickly() ? (rank_ == 1 ? 8 : 4) : 2;
        std::vector<Integer> all = fast_lengths(least, is_last && !is_complex_ && least > 2);
        if (all.size() > most) {
            Integer power = 1;
            while (power < least) power *= 2;
            const bool has_power = power <= all.back();
            all.resize(most);
            if (has_power && all.back() < power) all.push_back(power);
        }
        return all;
    }

    Integer signals_;
    std::size_t rank_;
    bool is_complex_;
    const search::Target& target_;
};

CircularPart whole(const ConvolutionShape& shape, const ConvolutionProblem& problem, const Lengths& lengths) {
    std::vector<PaddedAxis> axes;
    std::vector<Integer> least;
    for (const ConvolutionAxis& axis : shape.axes) {
        axes.push_back(padded(axis));
        least.push_back(axes.back().least_length());
    }
    const auto make = [&](const std::vector<Integer>& of) { return part_of(axes, shape, problem, of); };
    if (problem.transform.empty()) return lengths.fastest(least, make);
    for (std::size_t d = 0; d < least.size(); ++d)
        if (problem.transform[d] < least[d])
            reject(
                problem,
                fmt::format("transform length {} of dimension {} is too short", problem.transform[d], d),
                fmt::format("it takes at least {} points; leave it out to let the model choose", least[d]));
    return make(problem.transform);
}

/// A long signal of one dimension in blocks (overlap-save): blocks of `length` points, of which the last length − m + 1 are
/// results, within the signal, which they read where it lies.
struct InnerBlocks {
    Integer length;
    Integer step;  ///< results of a block
    Integer head;  ///< results before those of the first block
    Integer first; ///< the first block begins at this element of the signal
    Integer count;
    Integer tail; ///< the first result after those of the last block
    bool in_pairs = false;
};

/// Empty if hardly any block lies within the signal.
std::optional<InnerBlocks> inner_blocks(const ConvolutionAxis& axis, Integer length) {
    constexpr Integer fewest_blocks = 2;
    const Integer m = axis.kernel, step = length - m + 1;
    // Result k reads the signal from start + k − m + 1 on.
    const Integer head = std::max<Integer>(0, m - 1 - axis.start), first = axis.start + head - m + 1;
    if (first + length > axis.signal) return std::nullopt;
    const Integer count = std::min((axis.signal - length - first) / step + 1, (axis.count - head) / step);
    if (count < fewest_blocks) return std::nullopt;
    return InnerBlocks{length, step, head, first, count, head + count * step};
}

/// Real blocks in pairs, an even number: it saves the work that real transforms have beside complex ones of half as many. On
/// CPUs, for several blocks that stay in the caches nearest to a core.
InnerBlocks perhaps_in_pairs(InnerBlocks blocks, const ConvolutionProblem& problem, bool on_cpu) {
    constexpr Integer most_bytes = 1 << 17, fewest_blocks = 8;
    const Integer bytes = bytes_of(problem.precision);
    blocks.in_pairs = on_cpu && !problem.is_complex && bytes >= 4 &&
                      2 * blocks.length * bytes <= most_bytes && blocks.count >= fewest_blocks;
    if (blocks.in_pairs && blocks.count % 2 == 1) {
        --blocks.count;
        blocks.tail -= blocks.step;
    }
    return blocks;
}

/// A part moved to later results.
CircularPart moved(CircularPart part, const ConvolutionShape& shape, Integer results) {
    part.output += (shape.is_reversed ? -results : results) * shape.result_strides[0];
    return part;
}

CircularPart part_of(const InnerBlocks& blocks, const ConvolutionShape& shape,
                     const ConvolutionProblem& problem) {
    const Integer m = shape.axes[0].kernel;
    const PaddedAxis inside{blocks.first, 0, blocks.length, m - 1, blocks.step, m};
    const Integer step = blocks.step, back = shape.is_reversed ? -step : step;
    if (!blocks.in_pairs)
        return moved(part_of({inside}, shape, problem, {blocks.length}, Blocks{blocks.count, step, back}),
                     shape, blocks.head);
    CircularPart part = moved(
        part_of({inside}, shape, problem, {blocks.length}, Blocks{blocks.count / 2, 2 * step, 2 * back}),
        shape, blocks.head);
    part.problem.kind = TransformKind::convolution;
    part.problem.layout = ComplexLayout::planar;
    part.pairs = {step * shape.signal_strides[0], back * shape.result_strides[0]};
    return part;
}

/// The blocks, and what is left at the ends: two parts of one length, that of the blocks if it suffices.
std::vector<CircularPart> parts_of(const InnerBlocks& blocks, const ConvolutionShape& shape,
                                   const ConvolutionProblem& problem, const Lengths& lengths) {
    const ConvolutionAxis& axis = shape.axes[0];
    std::vector<CircularPart> parts{part_of(blocks, shape, problem)};
    std::vector<std::pair<PaddedAxis, Integer>> ends; // with their first results
    if (blocks.head > 0) ends.emplace_back(padded({axis.signal, axis.kernel, axis.start, blocks.head}), 0);
    if (blocks.tail < axis.count)
        ends.emplace_back(
            padded({axis.signal, axis.kernel, axis.start + blocks.tail, axis.count - blocks.tail}),
            blocks.tail);
    if (ends.empty()) return parts;
    Integer least = 0;
    for (const auto& end : ends) least = std::max(least, end.first.least_length());
    std::vector<Integer> by{blocks.length};
    if (least > blocks.length || blocks.length > 2 * least)
        by = lengths
                 .fastest({least},
                          [&](const auto& of) { return part_of({ends[0].first}, shape, problem, of); })
                 .lengths;
    for (const auto& [of, results] : ends)
        parts.push_back(moved(part_of({of}, shape, problem, by), shape, results));
    return parts;
}

/// From 64 points and one and a half kernels: 2^e, 3·2^e and 5·2^e; `few`: 2^e, up to eight kernels.
std::vector<Integer> block_lengths(Integer kernel, Integer signal, bool few) {
    constexpr Integer shortest = 64;
    const Integer most_kernels = few ? 8 : 64;
    const Integer most =
        std::min(signal, std::max<Integer>(most_kernels * kernel, Integer{1} << (few ? 13 : 15)));
    std::vector<Integer> result;
    for (Integer power = 1; power <= most; power *= 2)
        for (const Integer factor : {4, 5, 6}) {
            const Integer length = factor * power;
            if ((factor == 4 || !few) && length >= shortest && length >= kernel + kernel / 2 &&
                length <= most)
                result.push_back(length);
        }
    return result;
}

} // namespace

Integer elements_of(const std::vector<Integer>& lengths) {
    return std::accumulate(lengths.begin(), lengths.end(), Integer{1}, std::multiplies<>());
}

std::string to_text(const ConvolutionProblem& problem) {
    std::string text =
        fmt::format("{} of {}{} with {}, {}", problem.is_correlation ? "correlation" : "convolution",
                    problem.is_complex ? "complex " : "", fmt::join(problem.signal, "x"),
                    fmt::join(problem.kernel, "x"), word_of_mode(problem.mode));
    text += fmt::format(", {}", name_of(problem.precision));
    if (!problem.batches.empty()) {
        std::vector<Integer> counts;
        for (const Batch& batch : problem.batches) counts.push_back(batch.count);
        text += fmt::format(", batch {}", fmt::join(counts, "x"));
    }
    if (problem.kernels == Sharing::each) text += ", a kernel each";
    if (!problem.transform.empty()) text += fmt::format(", by {} points", fmt::join(problem.transform, "x"));
    return text;
}

ConvolutionShape shape_of(const ConvolutionProblem& problem) {
    const std::size_t rank = problem.signal.size();
    if (rank == 0 || rank > most_convolution_dimensions)
        reject(problem, fmt::format("the signal has {} dimensions", rank), "use one to three");
    if (problem.kernel.size() != rank)
        reject(problem,
               fmt::format("the kernel has {} dimensions, the signal {}", problem.kernel.size(), rank),
               "give a length of the kernel along each dimension, 1 where it does not extend");
    for (std::size_t d = 0; d < rank; ++d) {
        const std::pair<const char*, Integer> lengths[] = {{"signal", problem.signal[d]},
                                                           {"kernel", problem.kernel[d]}};
        for (const auto& [name, length] : lengths)
            if (length < 1 || length > longest)
                reject(problem, fmt::format("the {}'s length of dimension {} is {}", name, d, length),
                       fmt::format("use lengths from 1 to {}", longest));
    }
    for (const Batch& batch : problem.batches)
        if (batch.count < 1)
            reject(problem, fmt::format("a loop of the batch has {} signals", batch.count), "use at least 1");
    const std::pair<const char*, const std::vector<Integer>&> sides[] = {{"signal", problem.signal_strides},
                                                                         {"result", problem.result_strides}};
    for (const auto& [name, strides] : sides)
        if (!strides.empty() && strides.size() != rank)
            reject(problem, fmt::format("{} {} strides for {} dimensions", strides.size(), name, rank),
                   "give one for each dimension, or none");
    if (static_cast<std::size_t>(problem.mode) > static_cast<std::size_t>(ConvolutionMode::causal))
        throw UserError("the mode of a convolution is {}\n  use full, same, valid or causal",
                        static_cast<int>(problem.mode));
    if (!problem.transform.empty() && problem.transform.size() != rank)
        reject(problem, fmt::format("{} transform lengths for {} dimensions", problem.transform.size(), rank),
               "give one for each dimension, or none");
    ConvolutionShape shape;
    std::vector<Integer> results;
    for (std::size_t d = 0; d < rank; ++d) {
        shape.axes.push_back(axis_of(problem, d));
        results.push_back(shape.axes.back().count);
    }
    shape.is_correlation = problem.is_correlation;
    shape.signal_strides =
        problem.signal_strides.empty() ? row_major(problem.signal) : problem.signal_strides;
    shape.kernel_strides = row_major(problem.kernel);
    shape.result_strides = problem.result_strides.empty() ? row_major(results) : problem.result_strides;
    Integer kernel = elements_of(problem.kernel), signal = span_of(problem.signal, shape.signal_strides),
            result = span_of(results, shape.result_strides);
    for (std::size_t k = problem.batches.size(); k-- > 0;) {
        const Batch& batch = problem.batches[k];
        const ConvolutionLoop loop{batch.count, batch.input_stride.value_or(signal),
                                   problem.kernels == Sharing::each ? kernel : 0,
                                   batch.output_stride.value_or(result)};
        shape.loops.insert(shape.loops.begin(), loop);
        kernel *= batch.count;
        signal = std::max(signal, batch.count * std::abs(loop.signal));
        result = std::max(result, batch.count * std::abs(loop.result));
    }
    return shape;
}

Integer ConvolutionShape::signals() const {
    Integer count = 1;
    for (const ConvolutionLoop& loop : loops) count *= loop.count;
    return count;
}

Integer ConvolutionShape::kernels() const {
    const bool has_each =
        std::any_of(loops.begin(), loops.end(), [](const ConvolutionLoop& loop) { return loop.kernel != 0; });
    return has_each ? signals() : 1;
}

Integer ConvolutionShape::offset(Integer number, Integer ConvolutionLoop::*stride) const {
    Integer offset = 0;
    for (std::size_t k = loops.size(); k-- > 0; number /= loops[k].count)
        offset += number % loops[k].count * (loops[k].*stride);
    return offset;
}

// Convolution: the gradient by x[j] is Σ_k g[k]·conj(h[start + k − j]), a correlation at start' = m − 1 − start. The adjoint of a
// correlation is the convolution with the same start'.
ConvolutionShape signal_gradient_of(const ConvolutionShape& shape) {
    ConvolutionShape result = shape;
    for (ConvolutionAxis& axis : result.axes)
        axis = {axis.count, axis.kernel, axis.kernel - 1 - axis.start, axis.signal};
    std::swap(result.signal_strides, result.result_strides);
    for (ConvolutionLoop& loop : result.loops) std::swap(loop.signal, loop.result);
    result.is_correlation = !shape.is_correlation;
    return result;
}

// Correlation: the gradient by h[i] is Σ_j x[j]·conj(g[j + m − 1 − i − start]), the correlation of x with g at
// start' = c + start − m, where c counts results. Of a convolution it is that of the reversed kernel's conjugate.
ConvolutionShape kernel_gradient_of(const ConvolutionShape& shape) {
    ConvolutionShape result = shape;
    for (ConvolutionAxis& axis : result.axes)
        axis = {axis.signal, axis.count, axis.count + axis.start - axis.kernel, axis.kernel};
    std::swap(result.kernel_strides, result.result_strides);
    Integer kernel = 1;
    for (const ConvolutionAxis& axis : shape.axes) kernel *= axis.kernel;
    for (std::size_t k = result.loops.size(); k-- > 0; kernel *= result.loops[k].count) {
        result.loops[k].kernel = shape.loops[k].result;
        result.loops[k].result = kernel;
    }
    result.is_correlation = true;
    result.is_reversed = !shape.is_correlation;
    result.adds_signals = shape.kernels() == 1 && shape.signals() > 1;
    return result;
}

std::vector<CircularPart> parts_of(const ConvolutionShape& shape, const ConvolutionProblem& problem,
                                   const search::Target& target) {
    // One transform of a signal that leaves the caches is not rated beside many blocks: it is slower, and rating it takes long.
    constexpr Integer many_blocks = 16, longest_in_caches = 1 << 16;
    const Lengths lengths(shape, problem, target);
    std::optional<InnerBlocks> best;
    double least = 0;
    if (shape.axes.size() == 1 && problem.transform.empty())
        for (const Integer length :
             block_lengths(shape.axes[0].kernel, shape.axes[0].signal, !lengths.is_rated_quickly())) {
            const auto fitting = inner_blocks(shape.axes[0], length);
            if (!fitting) continue;
            const InnerBlocks blocks = perhaps_in_pairs(*fitting, problem, lengths.is_rated_quickly());
            // What is left at the ends takes about as long as two blocks.
            const double cost =
                lengths.cost(part_of(blocks, shape, problem)) * (1 + 2 / static_cast<double>(blocks.count));
            if (best && cost >= least) continue;
            least = cost;
            best = blocks;
        }
    if (best && best->count >= many_blocks && shape.axes[0].signal > longest_in_caches)
        return parts_of(*best, shape, problem, lengths);
    CircularPart one = whole(shape, problem, lengths);
    if (best && least < lengths.cost(one)) return parts_of(*best, shape, problem, lengths);
    return {std::move(one)};
}

CircularPart kernel_transform_of(const ConvolutionShape& shape, const ConvolutionProblem& problem,
                                 const std::vector<Integer>& lengths) {
    std::vector<Integer> kernel, none;
    for (const ConvolutionAxis& axis : shape.axes) kernel.push_back(axis.kernel);
    none.assign(kernel.size(), 0);
    TransformOptions options{.precision = problem.precision, .input_strides = shape.kernel_strides};
    CircularPart part;
    if (shape.is_correlation)
        for (std::size_t d = 0; d < kernel.size(); ++d) {
            part.input += (kernel[d] - 1) * options.input_strides[d];
            options.input_strides[d] = -options.input_strides[d];
        }
    const bool conjugates = shape.is_correlation && problem.is_complex;
    options.load = among(conjugates ? "conj(x)" : "x", none, kernel, lengths);
    if (shape.kernels() > 1)
        for (const ConvolutionLoop& loop : shape.loops)
            options.batches.push_back(
                {.count = loop.count, .input_stride = loop.kernel, .output_stride = {}});
    part.problem =
        Transform::make(problem.is_complex ? TransformKind::dft : TransformKind::real_dft, lengths, options);
    part.lengths = lengths;
    return part;
}

} // namespace swirl::api
