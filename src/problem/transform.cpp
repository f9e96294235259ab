#include "problem/problem.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace swirl {

namespace {

/// The side of an in-place real_dft that holds complex elements.
Side spectrum_side(Direction direction) {
    return direction == Direction::forward ? Side::output : Side::input;
}

Integer stored(TransformKind kind, bool complex_side, Integer length, bool is_last) {
    return kind == TransformKind::real_dft && complex_side && is_last ? length / 2 + 1 : length;
}

std::optional<std::vector<Integer>> row_major(TransformKind kind, const std::vector<Integer>& lengths,
                                              bool complex_side) {
    std::vector<Integer> strides(lengths.size(), 1);
    for (std::size_t i = lengths.size(); i-- > 1;) {
        const Integer inner = stored(kind, complex_side, lengths[i], i + 1 == lengths.size());
        const auto stride = checked_multiply(strides[i], std::max<Integer>(inner, 1));
        if (!stride) return std::nullopt;
        strides[i - 1] = *stride;
    }
    return strides;
}

/// Strides of an in-place real_dft's reals, from those of its spectrum: two reals per complex element.
std::optional<std::vector<Integer>> reals_over(std::vector<Integer> spectrum) {
    for (std::size_t i = 0; i + 1 < spectrum.size(); ++i) {
        const auto twice = checked_multiply(spectrum[i], 2);
        if (!twice) return std::nullopt;
        spectrum[i] = *twice;
    }
    return spectrum;
}

std::vector<Integer> spectrum_under(std::vector<Integer> reals) {
    for (std::size_t i = 0; i + 1 < reals.size(); ++i) reals[i] /= 2;
    return reals;
}

struct Strides {
    std::vector<Integer> input;
    std::vector<Integer> output;
};

std::optional<Strides> complete_real_in_place(const std::vector<Integer>& lengths,
                                              const TransformOptions& options) {
    const bool forward = spectrum_side(options.direction) == Side::output;
    std::optional<std::vector<Integer>> spectrum = forward ? options.output_strides : options.input_strides;
    std::optional<std::vector<Integer>> reals = forward ? options.input_strides : options.output_strides;
    if (spectrum->empty())
        spectrum =
            reals->empty() ? row_major(TransformKind::real_dft, lengths, true) : spectrum_under(*reals);
    if (spectrum && reals->empty()) reals = reals_over(*spectrum);
    if (!spectrum || !reals) return std::nullopt;
    return forward ? Strides{*reals, *spectrum} : Strides{*spectrum, *reals};
}

std::optional<Strides> complete_strides(TransformKind kind, const std::vector<Integer>& lengths,
                                        const TransformOptions& options) {
    const bool in_place = options.placement == Placement::in_place;
    if (in_place && kind == TransformKind::real_dft) return complete_real_in_place(lengths, options);

    Strides strides{options.input_strides, options.output_strides};
    if (in_place && strides.input.empty()) strides.input = strides.output;
    if (in_place && strides.output.empty()) strides.output = strides.input;
    for (const Side side : {Side::input, Side::output}) {
        std::vector<Integer>& own = side == Side::input ? strides.input : strides.output;
        if (!own.empty()) continue;
        const auto contiguous = row_major(kind, lengths, is_complex(kind, options.direction, side));
        if (!contiguous) return std::nullopt;
        own = *contiguous;
    }
    return strides;
}

std::optional<Integer> next_offset(const Transform& inside, Side side) {
    Integer span = 1;
    for (const Axis& axis : axes(inside, side)) {
        const auto reach = checked_multiply(axis.stride, axis.length);
        const auto distance = reach ? checked_multiply(*reach, *reach < 0 ? -1 : 1) : std::nullopt;
        if (!distance) return std::nullopt;
        span = std::max(span, *distance);
    }
    return span;
}

} // namespace

bool is_complex(TransformKind kind, Direction direction, Side side) {
    if (kind == TransformKind::dft || kind == TransformKind::convolution || kind == TransformKind::formula)
        return true;
    return kind == TransformKind::real_dft && side == spectrum_side(direction);
}

bool stores_reals(const Transform& problem) {
    return problem.store.is_stored_as_real() && has_complex_elements(problem, Side::output);
}

TransformKind kind_along(const Transform& problem, std::size_t dimension) {
    if (problem.kind == TransformKind::mixed) return problem.kinds[dimension];
    const bool is_last = dimension + 1 == problem.dimensions.size();
    return problem.kind == TransformKind::real_dft && !is_last ? TransformKind::dft : problem.kind;
}

Integer element_bytes(const Transform& problem, Side side) {
    const bool pair = is_complex(problem, side) && problem.layout == ComplexLayout::interleaved;
    return bytes_of(stored_precision(problem, side)) * (pair ? 2 : 1);
}

Integer stored_length(const Transform& problem, std::size_t dimension, Side side) {
    if (has_formula(problem) && side == Side::output) return problem.matrix.rows();
    return stored(problem.kind, has_complex_elements(problem, side), problem.dimensions[dimension].length,
                  dimension + 1 == problem.dimensions.size());
}

std::vector<Axis> axes(const Transform& problem, Side side) {
    std::vector<Axis> result;
    for (const Dimension& batch : problem.batches) result.push_back({batch.length, stride_of(batch, side)});
    for (std::size_t i = 0; i < problem.dimensions.size(); ++i)
        result.push_back({stored_length(problem, i, side), stride_of(problem.dimensions[i], side)});
    return result;
}

Extent touched_extent(const Transform& problem, Side side) {
    Extent result;
    const std::vector<Axis> all = axes(problem, side);
    const std::vector<IndexRange> ranges = touched_ranges(problem, side);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const Integer first = ranges[k].first * all[k].stride, last = (ranges[k].end - 1) * all[k].stride;
        result.lowest += std::min(first, last);
        result.highest += std::max(first, last);
    }
    return result;
}

Extent extent(const Transform& problem, Side side) {
    const Extent touched = touched_extent(problem, side);
    return {std::min<Integer>(touched.lowest, 0), std::max<Integer>(touched.highest, 0)};
}

Integer transform_size(const Transform& problem) {
    Integer size = 1;
    for (const Dimension& dimension : problem.dimensions) size *= dimension.length;
    return size;
}

Integer batch_count(const Transform& problem) {
    Integer count = 1;
    for (const Dimension& batch : problem.batches) count *= batch.length;
    return count;
}

std::optional<std::vector<Dimension>> default_dimensions(TransformKind kind,
                                                         const std::vector<Integer>& lengths,
                                                         const TransformOptions& options) {
    const auto strides = complete_strides(kind, lengths, options);
    if (!strides) return std::nullopt;
    std::vector<Dimension> dimensions;
    for (std::size_t i = 0; i < lengths.size(); ++i)
        dimensions.push_back({lengths[i], strides->input[i], strides->output[i]});
    return dimensions;
}

std::optional<Dimension> default_batch(const Transform& inside, Integer count) {
    auto input = next_offset(inside, Side::input);
    auto output = next_offset(inside, Side::output);
    if (inside.placement == Placement::in_place && inside.kind == TransformKind::real_dft) {
        const bool forward = spectrum_side(inside.direction) == Side::output;
        auto& reals = forward ? input : output;
        auto& spectrum = forward ? output : input;
        reals = spectrum ? checked_multiply(*spectrum, 2) : std::nullopt;
    }
    if (!input || !output) return std::nullopt;
    return Dimension{count, *input, *output};
}

std::vector<Integer> spectrum_lengths(const Transform& problem) {
    std::vector<Integer> lengths;
    for (const Dimension& dimension : problem.dimensions) lengths.push_back(dimension.length);
    if (problem.kind == TransformKind::real_convolution) lengths.back() = lengths.back() / 2 + 1;
    return lengths;
}

std::vector<Integer> spectrum_strides(const Transform& problem) {
    const std::vector<Integer> lengths = spectrum_lengths(problem);
    std::vector<Integer> strides;
    Integer stride = 1;
    for (std::size_t k = lengths.size(); k-- > 0; stride *= lengths[k])
        strides.insert(strides.begin(), stride);
    for (std::size_t k = problem.batches.size(); k-- > 0;) {
        strides.insert(strides.begin(), problem.spectrum == Sharing::each ? stride : 0);
        stride *= problem.batches[k].length;
    }
    return strides;
}

void check_rank(std::size_t dimensions, std::size_t loops) {
    if (dimensions > most_dimensions)
        throw UserError(
            "the transform has {} dimensions\n  use at most {}; those of length 1 can be left out",
            dimensions, most_dimensions);
    if (loops > most_batch_loops)
        throw UserError("the batch has {} loops\n  use at most {}; those of count 1 can be left out", loops,
                        most_batch_loops);
}

Transform Transform::make(TransformKind kind, const std::vector<Integer>& lengths,
                          const TransformOptions& options) {
    check_rank(lengths.size(), options.batches.size());
    const std::pair<const char*, const std::vector<Integer>&> sides[] = {{"input", options.input_strides},
                                                                         {"output", options.output_strides}};
    for (const auto& [name, strides] : sides)
        if (!strides.empty() && strides.size() != lengths.size())
            throw UserError("{} {} strides for {} dimensions\n  give one stride for each dimension, or none",
                            strides.size(), name, lengths.size());

    if (kind == TransformKind::mixed && options.kinds.size() != lengths.size())
        throw UserError("{} kinds for {} dimensions\n  give one kind for each dimension",
                        options.kinds.size(), lengths.size());

    const auto dimensions = default_dimensions(kind, lengths, options);
    if (!dimensions)
        throw UserError("the strides of {} elements do not fit in 64 bits", fmt::join(lengths, "x"));

    Transform problem{.kind = kind,
                      .dimensions = *dimensions,
                      .batches = {},
                      .precision = options.precision,
                      .layout = options.layout,
                      .placement = options.placement,
                      .direction = options.direction,
                      .scale = options.scale,
                      .spectrum = options.spectrum,
                      .load = options.load,
                      .store = options.store,
                      .matrix = options.matrix,
                      .kinds = options.kinds};
    for (std::size_t i = options.batches.size(); i-- > 0;) {
        const Batch& batch = options.batches[i];
        Dimension loop{batch.count, batch.input_stride.value_or(0), batch.output_stride.value_or(0)};
        if (!batch.input_stride || !batch.output_stride) {
            const auto standard = default_batch(problem, batch.count);
            if (!standard)
                throw UserError("the stride of batch {} does not fit in 64 bits\n  give it explicitly", i);
            if (!batch.input_stride) loop.input_stride = standard->input_stride;
            if (!batch.output_stride) loop.output_stride = standard->output_stride;
        }
        problem.batches.insert(problem.batches.begin(), loop);
    }
    return problem;
}

Transform Transform::mixed(const std::vector<TransformKind>& kinds, const std::vector<Integer>& lengths,
                           TransformOptions options) {
    const auto differs = [&](TransformKind kind) { return kind != kinds.front(); };
    if (!kinds.empty() && kinds.size() == lengths.size() && std::none_of(kinds.begin(), kinds.end(), differs))
        return make(kinds.front(), lengths, options);
    options.kinds = kinds;
    return make(TransformKind::mixed, lengths, options);
}

std::size_t hash_value(const Transform& problem) {
    std::size_t seed = hash_of(problem.kind, problem.precision, problem.layout, problem.placement,
                               problem.direction, problem.scale, problem.spectrum, problem.dimensions.size(),
                               problem.load.text(), problem.store.text(), problem.matrix.text());
    for (const auto* loops : {&problem.dimensions, &problem.batches})
        for (const Dimension& loop : *loops)
            seed = mix_hash(seed, hash_of(loop.length, loop.input_stride, loop.output_stride));
    for (const TransformKind kind : problem.kinds) seed = mix_hash(seed, hash_of(kind));
    return seed;
}

} // namespace swirl
