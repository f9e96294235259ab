#pragma once

namespace swirl {

/// Several lambdas as one visitor of a variant: the compiler names the alternative that lacks one.
template <class... Cases> struct Overloaded : Cases... { using Cases::operator()...; };
template <class... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;

} // namespace swirl
