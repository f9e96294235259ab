#include <swirl/matrix_formula.hpp>

#include "formula/formula.hpp"
#include "formula/print.hpp"
#include "formula/properties.hpp"

namespace swirl {

MatrixFormula::MatrixFormula(const formula::Formula& term)
    : term_(std::make_shared<const formula::Formula>(term)) {}

std::string MatrixFormula::text() const { return term_ ? formula::to_text(*term_) : std::string(); }
Integer MatrixFormula::rows() const { return term_ ? term_->rows() : 0; }
Integer MatrixFormula::columns() const { return term_ ? term_->columns() : 0; }
bool MatrixFormula::is_real() const { return !term_ || !formula::find_complex(*term_); }

bool operator==(const MatrixFormula& a, const MatrixFormula& b) {
    return a.term_ && b.term_ ? *a.term_ == *b.term_ : a.term_ == b.term_;
}

} // namespace swirl
