#pragma once

#include "fuzz/guarded_memory.hpp"
#include "fuzz/product_data.hpp"

#include <memory>

namespace swirl::fuzz {

/// An epilogue that is drawn, with what it computes, and its array "v", if it has one.
class Epilogue {
public:
    /// Perhaps gives the product an epilogue; real products only.
    Epilogue(MatrixProduct& product, Random& random);

    /// Of the element (i, j) of a matrix, x.
    long double operator()(long double x, Integer matrix, Integer i, Integer j) const;
    bool is_identity() const { return kind_ == Kind::none; }
    /// Null where there is none.
    GuardedMemory* array() const { return array_.get(); }

    /// Errors of x grow by no more.
    static constexpr long double growth = 2;

private:
    enum class Kind { none, biased, scaled, chosen, by_matrix };
    long double value(Integer at) const;

    Kind kind_ = Kind::none;
    Integer rows_;
    DataType data_type_;
    std::unique_ptr<GuardedMemory> array_;
};

} // namespace swirl::fuzz
