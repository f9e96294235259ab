// Reductions over products on CPUs, against long double over the elements that the same product leaves in C.

#include "problem/expression.hpp"
#include "support/error_of.hpp"
#include "support/random_matrix.hpp"
#include "support/reduced.hpp"

#include <gtest/gtest.h>
#include <swirl/swirl.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace swirl {
namespace matrix_reductions_test {

std::vector<Reduction> all_kinds(bool are_complex) {
    std::vector<Reduction> result;
    const std::string real = are_complex ? "abs2(x) - im(x)" : "x";
    for (const Over over : {Over::columns, Over::rows, Over::all}) {
        const std::string name(name_of(over));
        result.push_back(
            {"sum_" + name, Reduce::sum, over, Expression(real + " * weight[j] + i - 2 * j + b")});
        result.push_back(
            {"most_" + name, Reduce::maximum, over, Expression("max(-1, " + real + ") * shift[i]")});
    }
    result.push_back({"least", Reduce::minimum, Over::rows, Expression(real)});
    return result;
}

/// A product with reductions on random values.
template <class T> class Case {
public:
    using Real = typename support::RealOf<T>::type;

    Case(const MatrixProduct& product, unsigned seed) : random_(seed), product_(product) {
        if (product_.reductions.empty()) product_.reductions = all_kinds(is_complex(product.data_type));
        a_ = filled(product_.a, product_.rows, product_.k);
        b_ = filled(product_.b, product_.k, product_.columns);
        before_ = filled(product_.c, product_.rows, product_.columns);
        beta_ = T(static_cast<Real>(seed % 3) / 2);
        for (const AuxiliaryArray& array : arrays_of(product_)) {
            std::vector<Real>& values = arrays_[array.name];
            values.resize(static_cast<std::size_t>(array.elements));
            for (Real& value : values) value = support::random_real<Real>(random_);
        }
    }

    struct Run {
        std::vector<T> c;
        std::map<std::string, std::vector<Real>> results;
        bool operator==(const Run& other) const {
            return std::memcmp(c.data(), other.c.data(), c.size() * sizeof(T)) == 0 &&
                   results == other.results;
        }
    };
    Run run(int threads, T alpha = T(1)) {
        Run run{before_, {}};
        Plan plan = swirl::plan(product_, {.threads = threads});
        for (const auto& [name, values] : arrays_) plan = plan.with(name, values.data());
        for (const AuxiliaryArray& result : results_of(product_)) {
            std::vector<Real>& values = run.results[result.name];
            values.assign(static_cast<std::size_t>(result.elements), Real(99)); // which is written over
            plan = plan.with(result.name, values.data());
        }
        plan.execute(alpha, a_.data(), b_.data(), beta_, run.c.data());
        return run;
    }

    void expect_right(const Run& run) const {
        for (const Reduction& reduction : product_.reductions) {
            const auto value = [&](Integer matrix, Integer i, Integer j) -> long double {
                const std::complex<double> x = run.c[support::offset_in(product_.c, matrix, i, j)];
                if (reduction.of.tree() == nullptr) return x.real();
                return support::value_of(*reduction.of.tree(), product_, x, {matrix, i, j},
                                         [&](const std::string& name, Integer k) -> double {
                                             return arrays_.at(name)[static_cast<std::size_t>(k)];
                                         })
                    .real();
            };
            const auto expected = support::reduced_by_definition(product_, reduction, value);
            const std::vector<Real>& found = run.results.at(reduction.name);
            ASSERT_EQ(found.size(), expected.size());
            for (std::size_t r = 0; r < found.size(); ++r)
                ASSERT_NEAR(static_cast<double>(found[r]), static_cast<double>(expected[r].value),
                            static_cast<double>(16 * std::numeric_limits<Real>::epsilon() *
                                                (1 + expected[r].magnitude)))
                    << reduction.name << " " << r << " of " << product_.rows << " by " << product_.columns;
        }
    }

private:
    std::vector<T> filled(const MatrixLayout& layout, Integer rows, Integer columns) {
        return support::random_matrices<T>(random_, layout, product_.batch, rows, columns);
    }

    std::mt19937 random_;
    MatrixProduct product_;
    std::vector<T> a_, b_, before_;
    std::map<std::string, std::vector<Real>> arrays_;
    T beta_;
};

template <class T> void expect_reductions(const MatrixProduct& product, unsigned seed) {
    Case<T> one(product, seed);
    const auto run = one.run(1);
    one.expect_right(run);
    for (const int threads : {2, 5}) EXPECT_TRUE(one.run(threads) == run) << threads << " threads";
}

TEST(MatrixReductions, AreThoseOfElements) {
    unsigned seed = 1;
    for (const auto& [rows, columns, k_extent] : {std::array{1, 1, 1},
                                                  {7, 5, 3},
                                                  {64, 300, 20},
                                                  {257, 65, 130},
                                                  {300, 270, 300},
                                                  {1, 700, 9},
                                                  {700, 1, 9}})
        for (const bool by_rows : {false, true}) {
            const auto product = [&, rows = rows, columns = columns,
                                  k_extent = k_extent](DataType data_type) {
                return by_rows ? MatrixProduct::row_major(data_type, rows, columns, k_extent)
                               : MatrixProduct::column_major(data_type, rows, columns, k_extent);
            };
            expect_reductions<float>(product(DataType::float32), seed++);
            expect_reductions<double>(product(DataType::float64), seed++);
            if (rows < 100) expect_reductions<std::complex<float>>(product(DataType::complex64), seed++);
            if (rows < 100) expect_reductions<std::complex<double>>(product(DataType::complex128), seed++);
        }
}

TEST(MatrixReductions, OfElementsThatAnEpilogueHasFinished) {
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 130, 70, 50);
    product.epilogue = Expression("max(0, x + residual[i,j])");
    expect_reductions<float>(product, 3);
    product.rows = product.columns = 9;
    expect_reductions<float>(product, 4);
}

TEST(MatrixReductions, OfAScatteredC) {
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 90, 40, 30);
    product.c = {2, 200};
    expect_reductions<float>(product, 5);
}

TEST(MatrixReductions, OfEachMatrixOfABatch) {
    for (const Integer extent : {6, 60}) {
        MatrixProduct product = MatrixProduct::row_major(DataType::float64, extent, extent + 1, extent);
        product.batch = 9;
        product.a.batch_stride = product.b.batch_stride = product.c.batch_stride = extent * (extent + 2);
        expect_reductions<double>(product, 6);
    }
}

TEST(MatrixReductions, OfWhatIsNotMultiplied) {
    Case<float> one(MatrixProduct::column_major(DataType::float32, 40, 30, 0), 7);
    one.expect_right(one.run(1));
    Case<float> other(MatrixProduct::column_major(DataType::float32, 40, 30, 20), 8);
    other.expect_right(other.run(1, 0.0F));
}

TEST(MatrixReductions, OfNothingAreNeutral) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 0, 3, 5);
    product.reductions = {{"sum", Reduce::sum, Over::rows, {}},
                          {"most", Reduce::maximum, Over::rows, {}},
                          {"least", Reduce::minimum, Over::all, {}},
                          {"rows", Reduce::sum, Over::columns, {}}};
    std::vector<float> sum(3, 7), most(3, 7);
    float least = 7;
    plan(product)
        .with("sum", sum.data())
        .with("most", most.data())
        .with("least", &least)
        .execute(1, nullptr, nullptr, 0, static_cast<float*>(nullptr));
    EXPECT_EQ(sum, std::vector<float>(3, 0));
    EXPECT_EQ(most, std::vector<float>(3, -infinity));
    EXPECT_EQ(least, infinity);
}

TEST(MatrixReductions, AreNaNWhereAnElementIs) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                    infinity = std::numeric_limits<float>::infinity();
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 20, 20, 1);
    product.reductions = {{"most", Reduce::maximum, Over::columns, {}},
                          {"least", Reduce::minimum, Over::rows, {}}};
    for (const float special : {nan, infinity, -infinity}) {
        std::vector<float> a(20, 1), b(20, 1), c(400, 2), most(20), least(20);
        c[7 * 20 + 5] = special;
        plan(product)
            .with("most", most.data())
            .with("least", least.data())
            .execute(1, a.data(), b.data(), 1, c.data());
        for (std::size_t k = 0; k < 20; ++k) {
            const float expected_most = k == 5 && !(special < 0) ? special : 3;
            const float expected_least = k == 7 && !(special > 0) ? special : 3;
            EXPECT_TRUE(most[k] == expected_most || (std::isnan(expected_most) && std::isnan(most[k]))) << k;
            EXPECT_TRUE(least[k] == expected_least || (std::isnan(expected_least) && std::isnan(least[k])))
                << k;
        }
    }
}

/// Elements before they are stored: bytes would be 127 at most.
TEST(MatrixReductions, OfElementsBeforeTheyAreStored) {
    MatrixProduct product = MatrixProduct::row_major(DataType::int32, 1100, 70, 40);
    product.a_type = product.b_type = product.c_type = DataType::int8;
    product.epilogue = Expression("0.5 * x + j");
    product.reductions = {{"amax", Reduce::maximum, Over::columns, Expression("abs(x)")},
                          {"sums", Reduce::sum, Over::rows, {}},
                          {"all", Reduce::sum, Over::all, Expression("x * x")}};
    std::mt19937 random(9);
    std::vector<std::int8_t> a(1100 * 40), b(40 * 70), c(1100 * 70);
    for (std::int8_t& value : a) value = static_cast<std::int8_t>(random());
    for (std::int8_t& value : b) value = static_cast<std::int8_t>(random());
    std::vector<float> first_all;
    for (const int threads : {1, 3}) {
        std::vector<float> amax(1100), sums(70), all(1);
        plan(product, {.threads = threads})
            .with("amax", amax.data())
            .with("sums", sums.data())
            .with("all", all.data())
            .execute(1, a.data(), b.data(), 0, c.data());
        std::vector<double> expected_sums(70);
        double expected_all = 0;
        for (std::size_t i = 0; i < 1100; ++i) {
            float expected = 0;
            for (std::size_t j = 0; j < 70; ++j) {
                int sum = 0;
                for (std::size_t k = 0; k < 40; ++k) sum += a[i * 40 + k] * b[k * 70 + j];
                const float x = 0.5F * static_cast<float>(sum) + static_cast<float>(j);
                expected = std::max(expected, std::abs(x));
                expected_sums[j] += x;
                expected_all += static_cast<double>(x) * x;
            }
            ASSERT_EQ(amax[i], expected) << i;
        }
        for (std::size_t j = 0; j < 70; ++j) EXPECT_EQ(sums[j], static_cast<float>(expected_sums[j]));
        EXPECT_NEAR(all[0], expected_all, 1e-5 * expected_all);
        if (first_all.empty()) first_all = all;
        EXPECT_EQ(all, first_all) << "of other threads";
    }
}

TEST(MatrixReductions, AreTheSameOfPackedOperands) {
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 150, 90, 60);
    product.reductions = {{"sum", Reduce::sum, Over::columns, {}}};
    std::vector<float> a(150 * 60, 0.5F), b(60 * 90), c(150 * 90), sum(150), packed_sum(150);
    for (std::size_t k = 0; k < b.size(); ++k) b[k] = static_cast<float>(k % 17);
    const Plan planned = plan(product);
    planned.with("sum", sum.data()).execute(1, a.data(), b.data(), 0, c.data());
    planned.with("sum", packed_sum.data()).execute(1, planned.pack_a(a.data()), b.data(), 0, c.data());
    EXPECT_EQ(sum, packed_sum);
    EXPECT_NE(sum, std::vector<float>(150));
}

TEST(MatrixReductions, SayWhatIsWrong) {
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 4, 3, 2);
    const auto error = [&](const Reduction& reduction) {
        product.reductions = {reduction};
        return error_of([&] { validate(product); });
    };
    const auto expect = [](const std::string& message, std::initializer_list<const char*> phrases) {
        for (const char* phrase : phrases) EXPECT_NE(message.find(phrase), std::string::npos) << message;
    };
    expect(error({"", Reduce::sum, Over::all, {}}), {"name is ''", "letters"});
    expect(error({"a", Reduce::sum, Over::all, Expression("x * k")}), {"no index k", "i, j, b"});
    expect(error({"a", Reduce::sum, Over::all, Expression("x * a[i]")}), {"taken by another array"});
    expect(error({"a", Reduce::sum, Over::all, Expression("x < 1")}), {"condition"});
    product.data_type = DataType::complex64;
    expect(error({"a", Reduce::sum, Over::all, {}}), {"complex", "re(x)"});
    product.data_type = DataType::float32;
    product.reductions = {{"total", Reduce::sum, Over::rows, Expression("x * w[i]")}};
    std::vector<float> a(8), b(6), c(12), total(3), w(4);
    const Plan planned = plan(product);
    const auto executed = [&](const Plan& one) {
        return error_of([&] { one.execute(1, a.data(), b.data(), 0, c.data()); });
    };
    const Plan weighted = planned.with("w", w.data());
    expect(executed(weighted), {"total", "with(\"total\""});
    expect(executed(planned.with("total", total.data())), {"array w"});
    expect(executed(weighted.with("total", c.data() + 2)), {"array total", "'c'", "overlap"});
    expect(executed(weighted.with("total", a.data() + 7)), {"array total", "'a'", "overlap"});
    expect(executed(weighted.with("total", w.data())), {"array total", "array w", "overlap"});
    const float* const constant = total.data();
    expect(error_of([&] { planned.with("total", constant); }), {"total", "const float"});
    expect(error_of([&] { planned.with("sum", total.data()); }), {"sum", "w, total"});
    const float *const as[] = {a.data()}, *const bs[] = {b.data()};
    float* const cs[] = {c.data()};
    expect(error_of([&] { weighted.with("total", total.data()).execute_each(1, as, bs, 0, cs, 1); }),
           {"total", "execute()"});
}

} // namespace matrix_reductions_test
} // namespace swirl
