#pragma once

#include "problem/data_type.hpp"
#include "problem/problem.hpp"
#include "problem/words.hpp"

#include <cmath>
#include <random>
#include <vector>

namespace swirl {

/// Problems of every kind with small sizes and strides of all sorts; most of them are not valid.
class RandomProblems {
public:
    explicit RandomProblems(unsigned seed) : random_(seed) {}

    Integer integer(Integer lowest, Integer highest) {
        return std::uniform_int_distribution<Integer>(lowest, highest)(random_);
    }
    bool chance(int percent) { return integer(1, 100) <= percent; }

    Transform operator()() {
        std::vector<Integer> lengths(static_cast<std::size_t>(integer(1, 4)));
        for (Integer& length : lengths) length = chance(5) ? integer(-2, 0) : integer(1, 9);
        TransformOptions options{.direction = one_of(direction_words),
                                 .precision = one_of(transform_types),
                                 .layout = one_of(layout_words),
                                 .placement = one_of(placement_words)};
        if (chance(40)) options.input_strides = strides(lengths.size());
        if (chance(40)) options.output_strides = chance(30) ? options.input_strides : strides(lengths.size());
        for (Integer loops = chance(50) ? integer(1, 3) : 0; loops > 0; --loops) {
            Batch batch{.count = integer(0, 5)};
            if (chance(40)) batch.input_stride = integer(-300, 300);
            if (chance(40)) batch.output_stride = chance(30) ? batch.input_stride : integer(-300, 300);
            options.batches.push_back(batch);
        }
        if (chance(20)) options.spectrum = Sharing::each;
        if (chance(40)) options.scale = std::exp(static_cast<double>(integer(-40, 40))) / 3;
        if (chance(15)) {
            std::vector<TransformKind> kinds;
            while (kinds.size() < lengths.size())
                if (const TransformKind kind = one_of(kind_words); is_real_to_real(kind))
                    kinds.push_back(kind);
            return Transform::mixed(kinds, lengths, options);
        }
        const TransformKind kind = one_of(kind_words);
        return has_formula(kind) ? formula(options) : Transform::make(kind, lengths, options);
    }

private:
    /// One dimension; complex data of types that have a word.
    Transform formula(TransformOptions options) {
        constexpr const char* formulas[] = {"DFT(8)",
                                            "(DFT(2) ⊗ I(4)) · T(8, 4) · (I(2) ⊗ DFT(4)) · L(8, 2)",
                                            "WHT(4) ⊕ DCT2(3)",
                                            "matrix(2, 3; 1, -2, 0.5, 4, 5, 6)",
                                            "G(h(3 → 9; 1, 2))",
                                            "diag(1, 2i, 3-0.25i)"};
        for (std::vector<Integer>* const strides : {&options.input_strides, &options.output_strides})
            if (!strides->empty()) strides->resize(1);
        const bool complex = bytes_of(options.precision) >= 4 && chance(50);
        return Transform::of_matrix(complex ? TransformKind::formula : TransformKind::real_formula,
                                    MatrixFormula(one_of(formulas)), options);
    }

    template <class Value, std::size_t count> Value one_of(const Value (&values)[count]) {
        return values[static_cast<std::size_t>(integer(0, count - 1))];
    }
    template <class Value, std::size_t count> Value one_of(const Word<Value> (&words)[count]) {
        return words[integer(0, count - 1)].value;
    }
    std::vector<Integer> strides(std::size_t count) {
        std::vector<Integer> result(count);
        for (Integer& stride : result) stride = integer(-100, 100);
        return result;
    }

    std::mt19937_64 random_;
};

} // namespace swirl
