#include "fftw/compose.hpp"

#include "base/error.hpp"
#include "fftw/composer.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

namespace swirl::fftw {
namespace {

bool is_next(const void* real, const void* imaginary, DataType precision) {
    return reinterpret_cast<std::uintptr_t>(imaginary) - reinterpret_cast<std::uintptr_t>(real) ==
           static_cast<std::uintptr_t>(bytes_of(precision));
}

/// How the complex components of a side lie, as their pointers and strides say.
enum class Pairs : std::uint8_t {
    real_first,      ///< interleaved
    imaginary_first, ///< interleaved, with the components exchanged
    apart,           ///< planar
};

bool have_even_strides(const GuruProblem& problem, Side side) {
    for (const auto* axes : {&problem.dimensions, &problem.loops})
        for (const GuruAxis& axis : *axes) {
            const Integer stride = side == Side::input ? axis.input_stride : axis.output_stride;
            if (axis.length > 1 && stride % 2 != 0) return false;
        }
    return true;
}

Pairs pairs_of(const GuruProblem& problem, Side side) {
    const Arrays& arrays = problem.arrays;
    const void* const real = side == Side::input ? arrays.input_real : arrays.output_real;
    const void* const imaginary = side == Side::input ? arrays.input_imaginary : arrays.output_imaginary;
    if (!have_even_strides(problem, side)) return Pairs::apart;
    if (is_next(real, imaginary, problem.precision)) return Pairs::real_first;
    if (is_next(imaginary, real, problem.precision)) return Pairs::imaginary_first;
    return Pairs::apart;
}

constexpr std::array<Memory, 2> memory_of(Side side) {
    return side == Side::input ? std::array{Memory::input_real, Memory::input_imaginary}
                               : std::array{Memory::output_real, Memory::output_imaginary};
}

/// One side of the problem. Strides count units of so many real numbers: 2 for interleaved data.
View view_of(const GuruProblem& problem, Side side, Integer unit) {
    View view;
    const auto memory = memory_of(side);
    view.places = {Place{memory[0], 0}, Place{memory[1], 0}};
    for (const auto* axes : {&problem.dimensions, &problem.loops})
        for (const GuruAxis& axis : *axes)
            view.strides.push_back((side == Side::input ? axis.input_stride : axis.output_stride) / unit);
    return view;
}

View interleaved(const GuruProblem& problem, Side side, Pairs pairs) {
    View view = view_of(problem, side, 2);
    if (pairs == Pairs::imaginary_first) std::swap(view.places[0], view.places[1]);
    return view;
}

std::vector<std::size_t> all_dimensions(const GuruProblem& problem) {
    std::vector<std::size_t> along(problem.dimensions.size());
    std::iota(along.begin(), along.end(), std::size_t{0});
    return along;
}

void compose_dft(const GuruProblem& problem, Composer& composer) {
    const Pairs input = pairs_of(problem, Side::input), output = pairs_of(problem, Side::output);
    const bool is_planar = input != output || input == Pairs::apart;
    const View from = is_planar ? view_of(problem, Side::input, 1) : interleaved(problem, Side::input, input);
    const View to =
        is_planar ? view_of(problem, Side::output, 1) : interleaved(problem, Side::output, output);
    Transform dft =
        composer.transform(TransformKind::dft, lengths_of(problem), all_dimensions(problem), from, to);
    dft.layout = is_planar ? ComplexLayout::planar : ComplexLayout::interleaved;
    if (!is_planar && input == Pairs::imaginary_first) dft.direction = Direction::backward;
    composer.append_any(std::move(dft), lengths_of(problem), all_dimensions(problem), from, to);
}

void compose_real_dft(const GuruProblem& problem, Composer& composer) {
    const bool forward = problem.kind == GuruKind::r2c;
    const Side spectrum = forward ? Side::output : Side::input, reals = forward ? Side::input : Side::output;
    const bool is_planar = pairs_of(problem, spectrum) != Pairs::real_first;
    const View complex_side = view_of(problem, spectrum, is_planar ? 1 : 2),
               real_side = view_of(problem, reals, 1);
    const View &from = forward ? real_side : complex_side, &to = forward ? complex_side : real_side;
    Transform rdft =
        composer.transform(TransformKind::real_dft, lengths_of(problem), all_dimensions(problem), from, to);
    rdft.layout = is_planar ? ComplexLayout::planar : ComplexLayout::interleaved;
    if (!forward) rdft.direction = Direction::backward;
    composer.append_any(std::move(rdft), lengths_of(problem), all_dimensions(problem), from, to);
}

void compose_r2r(const GuruProblem& problem, Composer& composer) {
    const View from = view_of(problem, Side::input, 1), to = view_of(problem, Side::output, 1);
    const std::vector<Integer> lengths = lengths_of(problem);
    if (problem.dimensions.empty())
        return composer.append_any(composer.identity(lengths, from, to), lengths, {}, from, to);
    const std::vector<TransformKind>& kinds = problem.kinds;
    const bool is_mixed =
        std::adjacent_find(kinds.begin(), kinds.end(), std::not_equal_to<>()) != kinds.end();
    Transform r2r = composer.transform(is_mixed ? TransformKind::mixed : kinds.front(), lengths,
                                       all_dimensions(problem), from, to);
    if (is_mixed) r2r.kinds = kinds;
    composer.append_any(std::move(r2r), lengths, all_dimensions(problem), from, to);
}

} // namespace

Sequence compose(const GuruProblem& problem) {
    Composer composer(problem.precision, problem.arrays);
    const auto is_empty = [](const GuruAxis& axis) { return axis.length == 0; };
    if (std::any_of(problem.loops.begin(), problem.loops.end(), is_empty)) return {};
    switch (problem.kind) {
    case GuruKind::dft: compose_dft(problem, composer); break;
    case GuruKind::r2c:
    case GuruKind::c2r: compose_real_dft(problem, composer); break;
    case GuruKind::r2r: compose_r2r(problem, composer); break;
    }
    return composer.take();
}

} // namespace swirl::fftw
