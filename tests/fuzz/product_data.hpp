#pragma once

#include "fuzz/definition.hpp"
#include "fuzz/guarded_memory.hpp"
#include "fuzz/random.hpp"

#include <swirl/matrix_product.hpp>

#include <array>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

namespace swirl::fuzz {

/// A stored element as long double, and back; bytes of int32 wrap around.
Complex read_element(const std::byte* at, DataType data_type);
void write_element(std::byte* at, DataType data_type, Complex value);

/// Whether sums are integers, exact modulo 2^32.
bool is_exact(const MatrixProduct& product);

/// α and β, rounded to the accumulators' type.
struct Factors {
    Complex alpha = 1, beta = 0;
};
Factors draw_factors(const MatrixProduct& product, Random& random);

class Epilogue;

/// α or β as a value.
template <class S> S factor(Complex value) {
    if constexpr (std::is_arithmetic_v<S>)
        return static_cast<S>(value.real());
    else
        return S(value);
}

/// The three matrices of a product, of all of its batch, in guarded memory. Where β is zero C begins as NaN.
class ProductData {
public:
    ProductData(const MatrixProduct& product, const Factors& factors, Random& random,
                const Epilogue* epilogue = nullptr, bool for_pairs = false);

    /// C as it was before the first execution.
    void restore();
    /// Call before an execution, and after it: throws a Failure where anything else than C's elements has changed.
    void save();
    void require_unharmed();

    /// Throws a Failure where elements of C are wrong: all of them in small products, else some at random and corners.
    void require_right(Random& random) const;

    const MatrixProduct& product() const { return product_; }
    /// The offsets of C's elements, in bytes.
    void for_each_place(const std::function<void(Integer)>& f) const;
    /// What C holds now.
    void for_each_result(const std::function<void(Integer, Integer, Integer, Complex)>& f) const;

    GuardedMemory& a() { return *a_; }
    GuardedMemory& b() { return *b_; }
    GuardedMemory& c() { return *c_; }

private:
    struct Expected {
        Complex value;
        long double allowed;
    };
    Expected expected(Integer matrix, Integer i, Integer j) const;
    void require_right(Integer matrix, Integer i, Integer j) const;

    MatrixProduct product_;
    Factors factors_;
    const Epilogue* epilogue_; ///< null: none
    std::unique_ptr<GuardedMemory> a_, b_, c_;
    std::vector<std::byte> before_; ///< C
};

} // namespace swirl::fuzz
