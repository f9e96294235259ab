#include "fftw/definition.hpp"
#include "fftw/library.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

/// Random problems of the guru interfaces: kinds, layouts, signs of strides, ranks, in place and out of place, against the
/// definition.
namespace swirl::test {
namespace random_problems_test {

using Random = std::mt19937_64;

std::int64_t draw(Random& random, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

enum class Kind { dft, r2c, c2r, r2r };

/// One side: strides in real numbers, one for each axis.
struct Layout {
    std::vector<std::int64_t> strides;
    std::int64_t lowest = 0, highest = 0; ///< offsets of components from the element with index 0
};

/// Strides for axes that nest in a random order, with gaps, some of them negative. `unit`: real numbers of an element.
Layout random_layout(Random& random, const Lengths& lengths, std::int64_t unit) {
    std::vector<std::size_t> order(lengths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (draw(random, 0, 1) == 0)
        std::reverse(order.begin(), order.end()); // row-major
    else
        std::shuffle(order.begin(), order.end(), random);
    Layout layout;
    layout.strides.resize(lengths.size());
    std::int64_t extent = unit * draw(random, 1, 2);
    layout.highest = unit - 1;
    for (const std::size_t axis : order) {
        const bool is_negative = draw(random, 0, 3) == 0;
        layout.strides[axis] = is_negative ? -extent : extent;
        (is_negative ? layout.lowest : layout.highest) += (lengths[axis] - 1) * layout.strides[axis];
        extent = extent * lengths[axis] + unit * (draw(random, 0, 2) == 0 ? draw(random, 0, 3) : 0);
    }
    return layout;
}

struct Problem {
    Kind kind = Kind::dft;
    bool is_split = false;
    bool is_in_place = false;
    int sign = -1;
    Lengths dimensions, loops;
    std::vector<int> kinds;
    Layout input, output;
    bool is_32_bit = false; ///< by the interface with int, else with ptrdiff_t
    unsigned flags = FFTW_ESTIMATE;

    Lengths logical() const {
        Lengths all = dimensions;
        all.insert(all.end(), loops.begin(), loops.end());
        return all;
    }
    Lengths half() const {
        Lengths all = logical();
        if (!dimensions.empty()) all[dimensions.size() - 1] = all[dimensions.size() - 1] / 2 + 1;
        return all;
    }
    Lengths input_lengths() const { return kind == Kind::c2r ? half() : logical(); }
    Lengths output_lengths() const { return kind == Kind::r2c ? half() : logical(); }
    bool is_complex(bool of_input) const {
        return kind == Kind::dft || (kind == Kind::r2c && !of_input) || (kind == Kind::c2r && of_input);
    }

    std::string text() const {
        std::ostringstream text;
        const char* names[] = {"dft", "r2c", "c2r", "r2r"};
        text << names[static_cast<int>(kind)] << (is_split ? " split" : "")
             << (is_in_place ? " in place" : "") << " sign " << sign;
        const auto list = [&](const char* name, const auto& values) {
            text << ", " << name;
            for (const auto value : values) text << ' ' << value;
        };
        list("dimensions", dimensions);
        list("loops", loops);
        list("kinds", kinds);
        list("input strides", input.strides);
        list("output strides", output.strides);
        return text.str();
    }
};

Lengths random_lengths(Random& random, std::size_t rank, std::int64_t most, std::int64_t& left) {
    Lengths lengths;
    for (std::size_t i = 0; i < rank; ++i) {
        lengths.push_back(draw(random, 1, std::max<std::int64_t>(1, std::min(most, left))));
        left /= lengths.back();
    }
    return lengths;
}

/// In place, the reals of a row lie where its spectrum does, if the elements of a spectrum are next to each other.
void share_rows(Problem& problem) {
    const bool is_forward = problem.kind == Kind::r2c;
    const std::size_t row = problem.dimensions.size() - 1;
    const Layout& spectrum = is_forward ? problem.output : problem.input;
    if (spectrum.strides[row] != 2) return;
    Layout& reals = is_forward ? problem.input : problem.output;
    reals = spectrum;
    reals.strides[row] = 1;
}

Problem random_problem(Random& random) {
    Problem problem;
    problem.kind = static_cast<Kind>(draw(random, 0, 3));
    problem.is_split = problem.kind != Kind::r2r && draw(random, 0, 2) == 0;
    problem.is_in_place = draw(random, 0, 2) == 0;
    problem.sign = problem.is_split || problem.kind != Kind::dft || draw(random, 0, 1) == 0 ? -1 : 1;
    problem.is_32_bit = draw(random, 0, 1) == 0;
    std::int64_t left = 600;
    const auto rank = static_cast<std::size_t>(draw(random, 0, 4));
    problem.dimensions = random_lengths(random, rank, rank == 1 ? 80 : 12, left);
    problem.loops = random_lengths(random, static_cast<std::size_t>(draw(random, 0, 2)), 7, left);
    const bool of_one_kind = draw(random, 0, 1) == 0;
    const auto kind = static_cast<int>(draw(random, FFTW_R2HC, FFTW_RODFT11));
    if (problem.kind == Kind::r2r)
        for (std::int64_t& length : problem.dimensions) {
            problem.kinds.push_back(of_one_kind ? kind
                                                : static_cast<int>(draw(random, FFTW_R2HC, FFTW_RODFT11)));
            if (problem.kinds.back() == FFTW_REDFT00) length = std::max<std::int64_t>(length, 2);
        }
    const auto unit = [&](bool of_input) {
        return problem.is_complex(of_input) && !problem.is_split ? 2 : 1;
    };
    problem.input = random_layout(random, problem.input_lengths(), unit(true));
    problem.output = random_layout(random, problem.output_lengths(), unit(false));
    const bool has_same_strides = problem.is_in_place && draw(random, 0, 3) != 0;
    if (has_same_strides && (problem.kind == Kind::dft || problem.kind == Kind::r2r))
        problem.output = problem.input;
    else if (has_same_strides && !problem.is_split && !problem.dimensions.empty())
        share_rows(problem);
    return problem;
}

/// Numbers that are exact in both precisions.
Numbers random_numbers(Random& random, const Lengths& lengths, bool are_complex) {
    std::int64_t count = 1;
    for (const std::int64_t length : lengths) count *= length;
    Numbers numbers;
    const auto number = [&] { return static_cast<long double>(draw(random, -1000, 1000)) / 512; };
    for (std::int64_t i = 0; i < count; ++i) {
        const long double real = number();
        numbers.emplace_back(real, are_complex ? number() : 0);
    }
    return numbers;
}

/// Input and output by the definition.
std::pair<Numbers, Numbers> data_of(Random& random, const Problem& problem) {
    Lengths lengths = problem.logical();
    Numbers data = random_numbers(random, lengths, problem.kind == Kind::dft);
    Numbers result = data;
    for (std::size_t d = 0; d < problem.dimensions.size(); ++d)
        result = multiplied(result, lengths, d,
                            problem.kind == Kind::r2r ? r2r_matrix(problem.kinds[d], problem.dimensions[d])
                                                      : dft_matrix(problem.dimensions[d], problem.sign));
    if (problem.dimensions.empty() || problem.kind == Kind::dft || problem.kind == Kind::r2r)
        return {data, result};
    Numbers half = half_of(result, lengths, problem.dimensions.size() - 1);
    if (problem.kind == Kind::r2c) return {data, half};
    // The inverse of the spectrum is the data, times the number of points.
    long double points = 1;
    for (const std::int64_t n : problem.dimensions) points *= static_cast<long double>(n);
    for (Number& value : data) value *= points;
    return {half, data};
}

/// Calls visit(k, offset) for each element k of a side, in row-major order.
template <class Visit> void for_each_element(const Lengths& lengths, const Layout& layout, Visit&& visit) {
    std::vector<std::int64_t> index(lengths.size());
    for (std::size_t k = 0;; ++k) {
        std::int64_t offset = 0;
        for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * layout.strides[i];
        visit(k, offset);
        std::size_t axis = index.size();
        while (axis > 0 && ++index[axis - 1] == lengths[axis - 1]) index[--axis] = 0;
        if (axis == 0) return;
    }
}

/// Both arrays of components of a side: one array, if they are interleaved.
template <class R> struct Array {
    std::vector<R> memory;
    R* base = nullptr;

    Array(std::int64_t lowest, std::int64_t highest, std::int64_t shift)
        : memory(static_cast<std::size_t>(highest - lowest + 1 + shift), R(-77)),
          base(memory.data() + shift - lowest) {}
};

template <class R> class Execution {
public:
    Execution(const Problem& problem, Random& random) : problem_(problem) {
        std::int64_t lowest = problem.input.lowest, highest = problem.input.highest;
        if (problem.is_in_place) {
            lowest = std::min(lowest, problem.output.lowest);
            highest = std::max(highest, problem.output.highest);
        }
        // Real numbers at any multiple of their size.
        for (int component = 0; component < 2; ++component)
            arrays_.emplace_back(lowest, highest, draw(random, 0, 3));
        for (int component = 0; component < 2; ++component)
            arrays_.emplace_back(problem.output.lowest, problem.output.highest, draw(random, 0, 3));
    }

    R* input(std::size_t component) { return component_of(0, component, problem_.is_complex(true)); }
    R* output(std::size_t component) {
        return component_of(problem_.is_in_place ? 0 : 2, component, problem_.is_complex(false));
    }

    typename Precision<R>::Plan plan() {
        if (problem_.is_32_bit) return plan_by<fftw_iodim>();
        return plan_by<fftw_iodim64>();
    }

    void store_input(const Numbers& data) {
        for_each_element(problem_.input_lengths(), problem_.input, [&](std::size_t k, std::int64_t at) {
            input(0)[at] = static_cast<R>(data[k].real());
            if (problem_.is_complex(true)) input(1)[at] = static_cast<R>(data[k].imag());
        });
    }

    /// The distance from the expected output, relative to it.
    long double error(const Numbers& expected) {
        long double difference = 0, size = 0;
        for_each_element(problem_.output_lengths(), problem_.output, [&](std::size_t k, std::int64_t at) {
            const Number found(output(0)[at], problem_.is_complex(false) ? output(1)[at] : 0);
            difference += std::norm(found - expected[k]);
            size += std::norm(expected[k]);
        });
        return size == 0 ? difference : std::sqrt(difference / size);
    }

    /// Out of place: the input is as it was. Gaps between elements are always.
    bool kept_the_rest(const Numbers& data) {
        std::vector<std::vector<R>> expected;
        for (const Array<R>& array : arrays_) expected.emplace_back(array.memory.size(), R(-77));
        const auto mark = [&](const R* element, R value) {
            for (std::size_t i = 0; i < arrays_.size(); ++i) {
                const R* const first = arrays_[i].memory.data();
                if (element >= first && element < first + arrays_[i].memory.size())
                    expected[i][static_cast<std::size_t>(element - first)] = value;
            }
        };
        for_each_element(problem_.input_lengths(), problem_.input, [&](std::size_t k, std::int64_t at) {
            mark(input(0) + at, static_cast<R>(data[k].real()));
            if (problem_.is_complex(true)) mark(input(1) + at, static_cast<R>(data[k].imag()));
        });
        for_each_element(problem_.output_lengths(), problem_.output, [&](std::size_t, std::int64_t at) {
            mark(output(0) + at, output(0)[at]);
            if (problem_.is_complex(false)) mark(output(1) + at, output(1)[at]);
        });
        // In place, input that is no output may have any value.
        if (problem_.is_in_place)
            for_each_element(problem_.input_lengths(), problem_.input, [&](std::size_t, std::int64_t at) {
                mark(input(0) + at, input(0)[at]);
                if (problem_.is_complex(true)) mark(input(1) + at, input(1)[at]);
            });
        for (std::size_t i = 0; i < arrays_.size(); ++i)
            if (arrays_[i].memory != expected[i]) return false;
        return true;
    }

private:
    R* component_of(std::size_t first_array, std::size_t component, bool is_complex) {
        if (!is_complex) return arrays_[first_array].base;
        return problem_.is_split ? arrays_[first_array + component].base
                                 : arrays_[first_array].base + component;
    }

    template <class Axis> typename Precision<R>::Plan plan_by() {
        const Problem& p = problem_;
        const auto axes = [&](std::size_t first, const Lengths& lengths) {
            std::vector<Axis> result;
            const auto in_units = [&](const Layout& layout, std::size_t i, bool of_input) {
                return layout.strides[first + i] / (p.is_complex(of_input) && !p.is_split ? 2 : 1);
            };
            for (std::size_t i = 0; i < lengths.size(); ++i)
                result.push_back({static_cast<decltype(Axis::n)>(lengths[i]),
                                  static_cast<decltype(Axis::n)>(in_units(p.input, i, true)),
                                  static_cast<decltype(Axis::n)>(in_units(p.output, i, false))});
            return result;
        };
        const auto dimensions = axes(0, p.dimensions), loops = axes(p.dimensions.size(), p.loops);
        const int rank = static_cast<int>(dimensions.size()), loops_rank = static_cast<int>(loops.size());
        using C = typename Precision<R>::Complex;
        const auto complex_input = [&] { return reinterpret_cast<C*>(input(0)); };
        const auto complex_output = [&] { return reinterpret_cast<C*>(output(0)); };
        const auto call = [&](auto function, auto... rest) {
            return function(rank, dimensions.data(), loops_rank, loops.data(), rest...);
        };
        const auto by = [](auto narrow, auto wide) {
            if constexpr (std::is_same_v<Axis, fftw_iodim>)
                return narrow;
            else
                return wide;
        };
#define SWIRL_GURU(rest) by(SWIRL_CALL(R, plan_guru_##rest), SWIRL_CALL(R, plan_guru64_##rest))
        switch (p.kind) {
        case Kind::dft:
            if (!p.is_split) return call(SWIRL_GURU(dft), complex_input(), complex_output(), p.sign, p.flags);
            return call(SWIRL_GURU(split_dft), input(0), input(1), output(0), output(1), p.flags);
        case Kind::r2c:
            if (!p.is_split) return call(SWIRL_GURU(dft_r2c), input(0), complex_output(), p.flags);
            return call(SWIRL_GURU(split_dft_r2c), input(0), output(0), output(1), p.flags);
        case Kind::c2r:
            if (!p.is_split) return call(SWIRL_GURU(dft_c2r), complex_input(), output(0), p.flags);
            return call(SWIRL_GURU(split_dft_c2r), input(0), input(1), output(0), p.flags);
        case Kind::r2r: break;
        }
        std::vector<fftw_r2r_kind> kinds;
        for (const int kind : p.kinds) kinds.push_back(static_cast<fftw_r2r_kind>(kind));
        return call(SWIRL_GURU(r2r), input(0), output(0), kinds.data(), p.flags);
#undef SWIRL_GURU
    }

    const Problem& problem_;
    std::vector<Array<R>> arrays_;
};

template <class R> void expect_right(const Problem& problem, Random& random) {
    SCOPED_TRACE(problem.text() + (sizeof(R) == sizeof(float) ? ", float" : ", double"));
    Execution<R> execution(problem, random);
    const auto [data, expected] = data_of(random, problem);
    execution.store_input(data);
    const auto plan = execution.plan();
    ASSERT_NE(plan, nullptr);
    ASSERT_TRUE(execution.kept_the_rest(data)) << "planning by FFTW_ESTIMATE wrote";
    SWIRL_CALL(R, execute)(plan);
    EXPECT_LT(execution.error(expected), 30 * static_cast<long double>(std::numeric_limits<R>::epsilon()));
    EXPECT_TRUE(execution.kept_the_rest(data)) << "other memory was written";
    SWIRL_CALL(R, destroy_plan)(plan);
}

std::uint64_t seed() {
    const char* const given = std::getenv("SWIRL_FFTW_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
}
int count() {
    const char* const given = std::getenv("SWIRL_FFTW_COUNT");
    return given != nullptr ? std::atoi(given) : 300;
}

TEST(FftwProblems, EqualTheDefinitionInEveryLayout) {
    const std::uint64_t first = seed();
    std::cout << "SWIRL_FFTW_SEED=" << first << "\n";
    for (int k = 0; k < count() && !HasFatalFailure(); ++k) {
        Random random(first + static_cast<std::uint64_t>(k));
        const Problem problem = random_problem(random);
        SCOPED_TRACE("SWIRL_FFTW_COUNT=1 SWIRL_FFTW_SEED=" +
                     std::to_string(first + static_cast<std::uint64_t>(k)));
        if (k % 2 == 0)
            expect_right<double>(problem, random);
        else
            expect_right<float>(problem, random);
    }
}

} // namespace random_problems_test
} // namespace swirl::test
