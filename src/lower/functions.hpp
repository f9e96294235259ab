#pragma once

#include "lower/function_constants.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace swirl::lower {

/// Functions of real constants as arithmetic that rounds identically everywhere: results are bitwise equal in all
/// languages and on all hosts with fused multiply-add. With FMA, errors are below 1 unit in the last place for e^x,
/// 1.5 for tanh, 2.5 for the sigmoid and 3.5 for gelu, subnormal results included. Zeros keep their sign where the
/// function does, and NaN stays NaN.
///
/// Argument reduction of the exponential subtracts multiples of ln 2 in two parts (Cody and Waite, Software Manual for
/// the Elementary Functions, 1980). A polynomial evaluates the remainder. 2^n is multiplied in as two powers, so that
/// only the last product rounds if the result is subnormal (Tang, Table-driven implementation of the exponential
/// function, 1989).
///
/// `Operations` has a type Value and the operations constant(long double), add, subtract, multiply, divide, fma (a·b +
/// c), fms (a·b − c), fnma (c − a·b), negate, magnitude, power_of_two (see ir::Opcode), less and select(less, a, b).
template <class Operations> class Functions {
public:
    using Value = typename Operations::Value;

    Functions(Operations& operations, DataType scalar)
        : operations_(operations), constants_(function_constants(scalar)) {}

    Value exponential(Value x) {
        const Power power = power_of_e(x);
        return operations_.multiply(operations_.multiply(power.fraction, power.first), power.second);
    }

    /// 1/(1 + e^−x), as e^x/(1 + e^x) where x < 0.
    Value sigmoid(Value x) {
        const Value one = constant(1);
        return times_sigmoid(x, one, one, {});
    }

    Value tangent(Value x) {
        const Value size = operations_.magnitude(x);
        const Value square = operations_.multiply(x, x);
        const Value zero = constant(0), one = constant(1), two = constant(2), bound = constant(tangent_bound);
        const Value series = polynomial(constants_.tangent, square);
        const Value small = operations_.multiply(x, operations_.fma(square, series, one));
        const Value growth = exponential(operations_.add(size, size));
        const Value rest = operations_.divide(two, operations_.add(growth, one));
        const Value large = operations_.subtract(one, rest);
        const auto is_negative = operations_.less(x, zero);
        const Value is_signed = operations_.select(is_negative, operations_.negate(large), large);
        return operations_.select(operations_.less(size, bound), small, is_signed);
    }

    /// x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))) = x·sigmoid(2·√(2/π)·(x + 0.044715·x³)), after Hendrycks and Gimpel
    /// (2016). The sigmoid's argument is kept as a sum of two values: it grows with |x|, and so does the effect of its
    /// error on the result.
    Value gelu(Value x) {
        const Value below = at_least(x, -gelu_bound);
        const Value bounded = at_most(below, gelu_bound);
        const Value square = operations_.multiply(bounded, bounded);
        const Value square_rest = operations_.fms(bounded, bounded, square);
        const Value linear = constant(constants_.gelu_linear), cubic = constant(constants_.gelu_cubic);
        const Value sum = operations_.fma(cubic, square, linear);
        const Value most = operations_.subtract(sum, linear); // Knuth's two-sum recovers the rounding error
        const Value linear_lost = operations_.subtract(linear, operations_.subtract(sum, most));
        const Value cubic_lost = operations_.fms(cubic, square, most);
        Value sum_rest = operations_.fma(cubic, square_rest, operations_.add(linear_lost, cubic_lost));
        sum_rest = operations_.fma(square, constant(constants_.gelu_cubic_rest), sum_rest);
        sum_rest = operations_.add(sum_rest, constant(constants_.gelu_linear_rest));
        const Value argument = operations_.multiply(bounded, sum);
        const Value argument_rest =
            operations_.fma(bounded, sum_rest, operations_.fms(bounded, sum, argument));
        return times_sigmoid(argument, below, x, argument_rest);
    }

private:
    /// e^x as fraction·first·second, the last two powers of two.
    struct Power {
        Value fraction, first, second;
    };

    Value constant(long double value) { return operations_.constant(value); }

    Value at_least(Value x, long double bound) {
        const Value least = constant(bound);
        return operations_.select(operations_.less(x, least), least, x);
    }
    Value at_most(Value x, long double bound) {
        const Value greatest = constant(bound);
        return operations_.select(operations_.less(greatest, x), greatest, x);
    }

    Value polynomial(std::span<const long double> coefficients, Value x) {
        Value sum = constant(coefficients.back());
        for (std::size_t k = coefficients.size() - 1; k-- > 0;)
            sum = operations_.fma(sum, x, constant(coefficients[k]));
        return sum;
    }

    /// The integer nearest to x·by.
    Value rounded_product(Value x, long double by) {
        const Value factor = constant(by), rounder = constant(constants_.rounder);
        return operations_.subtract(operations_.fma(x, factor, rounder), rounder);
    }

    /// e^x, or e^(x + rest) if there is a rest.
    Power power_of_e(Value x, std::optional<Value> rest = {}) {
        x = at_most(at_least(x, constants_.least), constants_.greatest);
        const Value n = rounded_product(x, constants_.log2_of_e);
        Value r = operations_.fnma(n, constant(constants_.ln2), x);
        r = operations_.fnma(n, constant(constants_.ln2_rest), r);
        if (rest) r = operations_.add(r, *rest);
        const Value square = operations_.multiply(r, r);
        const Value beyond_one = operations_.fma(square, polynomial(constants_.exponential, r), r);
        const Value half = rounded_product(n, 0.5L);
        return {operations_.add(beyond_one, constant(1)), operations_.power_of_two(half),
                operations_.power_of_two(operations_.subtract(n, half))};
    }

    /// a/(1 + e^−x) with a = `where_negative` for x < 0, else `otherwise`; x + rest replaces x if there is a rest. The
    /// power of two that may make the result subnormal is multiplied last.
    Value times_sigmoid(Value x, Value where_negative, Value otherwise, std::optional<Value> rest) {
        const Value zero = constant(0), one = constant(1);
        const auto is_negative = operations_.less(x, zero);
        if (rest) rest = operations_.select(is_negative, *rest, operations_.negate(*rest));
        const Power power = power_of_e(operations_.negate(operations_.magnitude(x)), rest);
        const Value scaled = operations_.multiply(power.fraction, power.first);
        const Value divisor = operations_.add(operations_.multiply(scaled, power.second), one);
        const Value product = operations_.multiply(where_negative, scaled);
        const Value quotient =
            operations_.divide(operations_.select(is_negative, product, otherwise), divisor);
        return operations_.multiply(quotient, operations_.select(is_negative, power.second, one));
    }

    Operations& operations_;
    const FunctionConstants& constants_;
};

} // namespace swirl::lower
