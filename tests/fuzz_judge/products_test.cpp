#include "fuzz/product_data.hpp"
#include "fuzz/setting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace swirl::fuzz {
namespace products_test {

/// As workers do: what is planned through C or multiplied is for this CPU too.
const int for_this_cpu = setenv("SWIRL_CPU", "portable", 1);

/// False where it does not apply.
using Fault = std::function<bool(ProductData&, GuardedMemory* reduced)>;

constexpr std::uint64_t seeds = 250;

struct Outcome {
    std::string kind; ///< of the failure, or "", or what was thrown
    bool is_planted = false;
};

/// A case with a fault planted after this execution.
Outcome outcome_of(std::uint64_t seed, int execution, const Fault& plant) {
    static const auto record = std::make_unique<Record>();
    Journal journal(*record);
    int executions = 0;
    Outcome outcome;
    Setting setting{.cpu = "portable"};
    setting.limits.elements = 1 << 10;
    setting.tampering.product = [&](ProductData& data, GuardedMemory* reduced) {
        if (executions++ == execution) outcome.is_planted = plant(data, reduced);
    };
    try {
        fuzz_product(seed, setting, journal);
    } catch (const Failure& failure) {
        outcome.kind = failure.kind;
    }
    return outcome;
}

void expect_found(const Fault& plant, const std::set<std::string>& kinds, int at_least) {
    int planted = 0;
    for (const int execution : {0, 1, 2})
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            const Outcome outcome = outcome_of(seed, execution, plant);
            if (!outcome.is_planted) continue;
            EXPECT_TRUE(kinds.contains(outcome.kind))
                << "seed " << seed << ", execution " << execution << ": '" << outcome.kind << "'";
            ++planted;
        }
    EXPECT_GE(planted, at_least);
}

/// Some bytes of an element of C, if there is one.
std::byte* some_element(ProductData& data) {
    std::byte* element = nullptr;
    data.for_each_place([&](Integer offset) {
        if (element == nullptr || offset % 3 == 0) element = data.c().origin() + offset;
    });
    return element;
}

TEST(FuzzOfProducts, FindsNothingWhereNothingIsWrong) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        EXPECT_EQ(outcome_of(seed, 0, [](ProductData&, GuardedMemory*) { return true; }).kind, "");
}

TEST(FuzzOfProducts, FindsAnElementOfOtherBits) {
    expect_found(
        [](ProductData& data, GuardedMemory*) {
            std::byte* const element = some_element(data);
            if (element == nullptr) return false;
            // The highest bits: sign and exponent of a number, or half of an integer's range.
            element[bytes_of(data.product().type_of_c()) - 1] ^= std::byte{0x55};
            return true;
        },
        {"wrong product", "wrong reduction", "other bits"}, 300);
}

TEST(FuzzOfProducts, FindsNaNs) {
    expect_found(
        [](ProductData& data, GuardedMemory*) {
            std::byte* const element = some_element(data);
            const DataType data_type = data.product().type_of_c();
            const bool has_nan = data_type == DataType::float32 || data_type == DataType::float64 ||
                                 data_type == DataType::bfloat16 || data_type == DataType::float16 ||
                                 is_complex(data_type);
            if (element == nullptr || !has_nan) return false;
            write_element(element, data_type, std::numeric_limits<long double>::quiet_NaN());
            return true;
        },
        {"wrong product", "wrong reduction", "other bits"}, 200);
}

/// A write beyond a fence would end the program, which workers find: that plants nothing.
bool write(GuardedMemory& array, Integer offset) {
    using enum GuardedMemory::Fence;
    if ((array.fence() == before && offset < array.lowest()) ||
        (array.fence() == behind && offset >= array.end()))
        return false;
    array.origin()[offset] ^= std::byte{1};
    return true;
}

TEST(FuzzOfProducts, FindsWritesOutsideOfMatrices) {
    const std::set<std::string> kinds = {"guard zone"};
    for (GuardedMemory& (ProductData::*matrix)() : {&ProductData::a, &ProductData::b, &ProductData::c}) {
        expect_found(
            [&](ProductData& data, GuardedMemory*) {
                GuardedMemory& memory = (data.*matrix)();
                return write(memory, memory.end());
            },
            kinds, 200);
        expect_found(
            [&](ProductData& data, GuardedMemory*) {
                GuardedMemory& memory = (data.*matrix)();
                return write(memory, memory.lowest() - 1);
            },
            kinds, 200);
    }
}

TEST(FuzzOfProducts, FindsOperandsThatChanged) {
    for (GuardedMemory& (ProductData::*matrix)() : {&ProductData::a, &ProductData::b})
        expect_found(
            [&](ProductData& data, GuardedMemory*) {
                (data.*matrix)().origin()[0] ^= std::byte{1};
                return true;
            },
            {"written outside"}, 300);
}

TEST(FuzzOfProducts, FindsWritesIntoGapsOfC) {
    expect_found(
        [](ProductData& data, GuardedMemory*) {
            const Integer bytes = bytes_of(data.product().type_of_c());
            std::set<Integer> elements;
            data.for_each_place([&](Integer offset) { elements.insert(offset); });
            for (Integer offset = data.c().lowest(); offset < data.c().end(); offset += bytes)
                if (!elements.contains(offset)) {
                    data.c().origin()[offset] ^= std::byte{1};
                    return true;
                }
            return false;
        },
        {"written outside"}, 30);
}

TEST(FuzzOfProducts, FindsWrongReductions) {
    expect_found(
        [](ProductData&, GuardedMemory* reduced) {
            if (reduced == nullptr) return false;
            reduced->origin()[3] ^= std::byte{0x41};
            return true;
        },
        {"wrong reduction", "other bits"}, 10);
}

/// Where all summands are the same, so are the errors of most additions: they add up instead of cancelling.
TEST(FuzzOfProducts, ToleratesAccumulationRounding) {
    constexpr Integer k = 181;
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 1, 1, k);
    product.a.column_stride = product.b.row_stride = 0;
    validate(product);
    const auto element = [](GuardedMemory& memory) { return reinterpret_cast<float*>(memory.origin()); };
    double largest = 0; // error, in units of float32's rounding
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        Random random(seed);
        ProductData data(product, {1, 0}, random);
        const float a = *element(data.a()), b = *element(data.b());
        float sum = 0;
        for (Integer i = 0; i < k; ++i) sum += a * b;
        *element(data.c()) = sum;
        EXPECT_NO_THROW(data.require_right(random)) << seed;
        const double exact = static_cast<double>(k) * static_cast<double>(a) * static_cast<double>(b);
        largest = std::max(largest, std::abs(static_cast<double>(sum) - exact) / std::abs(exact) * 0x1p24);
        *element(data.c()) = static_cast<float>(exact * (1 + 0x1p-24 * (k + 40)));
        EXPECT_THROW(data.require_right(random), Failure) << seed;
    }
    EXPECT_GT(largest, 16 + 2 * std::sqrt(k)) << "the bound of independent roundings";
}

} // namespace products_test
} // namespace swirl::fuzz
