/// swirl's C++ interface:
///
///     std::vector<std::complex<double>> x(1024), y(1024);
///     swirl::plan("dft 1024").execute(x, y);
#pragma once

#include <swirl/arrays.hpp>
#include <swirl/background.hpp>
#include <swirl/convolution.hpp>
#include <swirl/data_type.hpp>
#include <swirl/device.hpp>
#include <swirl/element.hpp>
#include <swirl/error.hpp>
#include <swirl/expression.hpp>
#include <swirl/gpu.hpp>
#include <swirl/half.hpp>
#include <swirl/kinds.hpp>
#include <swirl/matrix_formula.hpp>
#include <swirl/matrix_product.hpp>
#include <swirl/normalised.hpp>
#include <swirl/options.hpp>
#include <swirl/plan.hpp>
#include <swirl/problem.hpp>
#include <swirl/reduction.hpp>
#include <swirl/stft.hpp>
#include <swirl/stream.hpp>
#include <swirl/threads.hpp>
#include <swirl/transform.hpp>
#include <swirl/version.hpp>
#include <swirl/wisdom.hpp>
