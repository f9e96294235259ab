#include "fuzz/epilogue.hpp"

#include <algorithm>

namespace swirl::fuzz {

Epilogue::Epilogue(MatrixProduct& product, Random& random)
    : rows_(product.rows), data_type_(product.data_type) {
    if (product.data_type != DataType::float32 && product.data_type != DataType::float64) return;
    if (random.chance(60)) return;
    kind_ = random.one_of({Kind::biased, Kind::scaled, Kind::chosen, Kind::by_matrix});
    Integer elements = 0;
    switch (kind_) {
    case Kind::biased: product.epilogue = Expression("max(0, x + v[i])"), elements = product.rows; break;
    case Kind::scaled: product.epilogue = Expression("x * v[j] + 1"), elements = product.columns; break;
    case Kind::chosen: product.epilogue = Expression("i < 3 ? x : 2 * x - j"); break;
    default: product.epilogue = Expression("abs(x) + v[b, i]"), elements = product.batch * product.rows;
    }
    if (kind_ == Kind::chosen) return;
    const Integer bytes = bytes_of(data_type_);
    array_ = std::make_unique<GuardedMemory>("array v", 0, std::max<Integer>(elements, 1) * bytes, 0,
                                             draw_fence(random));
    for (Integer k = 0; k < elements; ++k)
        write_element(array_->origin() + k * bytes, data_type_, random.uniform());
}

long double Epilogue::value(Integer at) const {
    return read_element(array_->origin() + at * bytes_of(data_type_), data_type_).real();
}

long double Epilogue::operator()(long double x, Integer matrix, Integer i, Integer j) const {
    switch (kind_) {
    case Kind::none: return x;
    case Kind::biased: return std::max(0.0L, x + value(i));
    case Kind::scaled: return x * value(j) + 1;
    case Kind::chosen: return i < 3 ? x : 2 * x - static_cast<long double>(j);
    case Kind::by_matrix: return std::abs(x) + value(matrix * rows_ + i);
    }
    return x;
}

} // namespace swirl::fuzz
