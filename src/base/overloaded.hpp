#pragma once

namespace swirl {

/// Combines lambdas into one visitor of a variant; the compiler names an alternative that no lambda handles.
template <class... Cases> struct Overloaded : Cases... { using Cases::operator()...; };
template <class... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;

} // namespace swirl
