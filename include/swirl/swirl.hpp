/// swirl's C++ interface:
///
///     std::vector<std::complex<double>> x(1024), y(1024);
///     swirl::plan("dft 1024").execute(x.data(), y.data());
#pragma once

#include <swirl/data_type.hpp>
#include <swirl/element.hpp>
#include <swirl/error.hpp>
#include <swirl/expression.hpp>
#include <swirl/gpu.hpp>
#include <swirl/half.hpp>
#include <swirl/kinds.hpp>
#include <swirl/matrix_product.hpp>
#include <swirl/plan.hpp>
#include <swirl/transform.hpp>
#include <swirl/version.hpp>
