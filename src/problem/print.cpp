#include "problem/data_type.hpp"
#include "problem/syntax.hpp"
#include "problem/words.hpp"

#include <fmt/ranges.h>

#include <array>

namespace swirl {

namespace {

template <class Value, std::size_t count> const char* lookup(const Word<Value> (&words)[count], Value value) {
    for (const Word<Value>& word : words)
        if (word.value == value) return word.text;
    throw InternalError("enumerator {} has no word", static_cast<int>(value));
}

template <class Value, std::size_t count>
void append_unless_default(std::string& text, const Word<Value> (&words)[count], Value value) {
    if (value != words[0].value) text.append(" ").append(lookup(words, value));
}

std::vector<Integer> strides(const Transform& problem, Side side) {
    std::vector<Integer> result;
    for (const Dimension& dimension : problem.dimensions) result.push_back(stride_of(dimension, side));
    return result;
}

std::string stride_list(const char* name, const std::vector<Integer>& strides) {
    if (strides.size() == 1) return fmt::format(" {}={}", name, strides[0]);
    return fmt::format(" {}=({})", name, fmt::join(strides, ","));
}

/// The data type that a problem's text names: of a formula's elements, of other transforms' components.
DataType named_type(const Transform& problem) {
    if (problem.kind != TransformKind::formula) return problem.precision;
    return problem.precision == DataType::float32 ? DataType::complex64 : DataType::complex128;
}
DataType default_type(TransformKind kind) {
    return has_formula(kind) ? DataType::complex128 : transform_types[0];
}

/// The shortest stride options that yield the strides of `problem`.
std::string stride_options(const Transform& problem) {
    std::vector<Integer> lengths;
    for (const Dimension& dimension : problem.dimensions) lengths.push_back(dimension.length);
    const std::vector<Integer> input = strides(problem, Side::input);
    const std::vector<Integer> output = strides(problem, Side::output);

    struct Way {
        bool gives_input, gives_output;
        std::string text;
    };
    const bool same = input == output;
    const std::string in = stride_list("in", input), out = stride_list("out", output);
    const std::array<Way, 4> ways{{{false, false, ""},
                                   {true, false, in},
                                   {false, true, out},
                                   {true, true, same ? stride_list("strides", input) : in + out}}};
    TransformOptions options{.direction = problem.direction, .placement = problem.placement};
    for (const Way& way : ways) {
        if (same && way.gives_input != way.gives_output && problem.placement == Placement::in_place) continue;
        options.input_strides = way.gives_input ? input : std::vector<Integer>{};
        options.output_strides = way.gives_output ? output : std::vector<Integer>{};
        if (default_dimensions(problem.kind, lengths, options) == problem.dimensions) return way.text;
    }
    throw InternalError("no text for the strides of a {}-dimensional problem", lengths.size());
}

std::string batch_option(const Transform& problem) {
    if (problem.batches.empty()) return "";
    Transform inside = problem;
    inside.batches.clear();
    std::string text;
    for (std::size_t i = problem.batches.size(); i-- > 0;) {
        const Dimension& batch = problem.batches[i];
        std::string own = fmt::format("{}", batch.length);
        if (default_batch(inside, batch.length) != batch) {
            if (batch.input_stride == batch.output_stride)
                own += fmt::format(":{}", batch.input_stride);
            else
                own += fmt::format(":({},{})", batch.input_stride, batch.output_stride);
        }
        text = text.empty() ? own : own + "x" + text;
        inside.batches.insert(inside.batches.begin(), batch);
    }
    return " batch=" + text;
}

} // namespace

const char* name_of(TransformKind kind) {
    if (kind == TransformKind::mixed) return "mixed";
    return lookup(kind_words, kind == TransformKind::real_formula ? TransformKind::formula : kind);
}
const char* name_of(Direction direction) { return lookup(direction_words, direction); }
const char* name_of(ComplexLayout layout) { return lookup(layout_words, layout); }
const char* name_of(Placement placement) { return lookup(placement_words, placement); }

std::string kind_text(const Transform& problem) {
    if (problem.kind != TransformKind::mixed) return name_of(problem.kind);
    std::string text;
    for (const TransformKind kind : problem.kinds) text.append(text.empty() ? "" : ",").append(name_of(kind));
    return text;
}

std::string to_text(const Transform& problem) {
    std::string text = kind_text(problem);
    if (has_formula(problem))
        text += " " + problem.matrix.text();
    else
        for (std::size_t i = 0; i < problem.dimensions.size(); ++i)
            text += fmt::format("{}{}", i == 0 ? " " : "x", problem.dimensions[i].length);
    append_unless_default(text, direction_words, problem.direction);
    if (const DataType type = named_type(problem); type != default_type(problem.kind))
        text.append(" ").append(name_of(type));
    append_unless_default(text, layout_words, problem.layout);
    append_unless_default(text, placement_words, problem.placement);
    text += stride_options(problem);
    text += batch_option(problem);
    if (problem.scale != 1.0) text += fmt::format(" scale={}", problem.scale);
    if (problem.spectrum != Sharing::shared)
        text += fmt::format(" spectrum={}", lookup(sharing_words, problem.spectrum));
    if (!problem.load.is_identity()) text += fmt::format(" load=\"{}\"", problem.load.text());
    if (!problem.store.is_identity()) text += fmt::format(" store=\"{}\"", problem.store.text());
    return text;
}

} // namespace swirl
