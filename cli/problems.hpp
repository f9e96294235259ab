#pragma once

#include "problem/problem.hpp"

#include <string>
#include <vector>

namespace swirl::cli {

/// The lengths of `--sizes`: "1..64", "64..65536*2" (each twice the one before) or "64,1000,1155". Throws UserError.
std::vector<Integer> parse_sizes(const std::string& text);

/// The problems of a command line: words joined, with a new problem at each transform name. With `sizes`, each problem
/// is instantiated for each size, which replaces the letter n among its lengths; without words, the problem is "dft n".
/// All are validated. Throws UserError.
std::vector<Transform> parse_problems(const std::vector<std::string>& words, const std::string& sizes = {});

/// The same for commands that take exactly one.
Transform parse_one_problem(const std::vector<std::string>& words);

/// Texts of transforms and products: an argument with spaces is one; words are joined, with a new problem at each name of a
/// transform or a product.
std::vector<std::string> problem_texts(const std::vector<std::string>& arguments);

/// Whether other libraries have such transforms: without callbacks, of float32 or float64, and no convolution.
bool is_common(const Transform& problem);

} // namespace swirl::cli
