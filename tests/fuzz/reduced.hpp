#pragma once

#include "fuzz/guarded_memory.hpp"
#include "fuzz/product_data.hpp"

#include <memory>

namespace swirl::fuzz {

/// Perhaps gives the product a reduction "r"; real products only whose C holds sums.
void draw_reduction(MatrixProduct& product, Random& random);

/// The results "r" of a product's reduction, if it has one.
class Reduced {
public:
    explicit Reduced(const MatrixProduct& product);

    /// Null where nothing is reduced.
    GuardedMemory* array() const { return array_.get(); }
    /// Call before an execution, and after it: throws a Failure where anything else than results has changed.
    void save();
    void require_unharmed();
    /// Throws a Failure unless results are those of what C holds now, in long double.
    void require_right(const ProductData& data) const;

private:
    const MatrixProduct& product_;
    std::unique_ptr<GuardedMemory> array_;
};

} // namespace swirl::fuzz
