#pragma once

#include "lower/function_numbers.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace swirl::lower {

/// Functions of real numbers as arithmetic that rounds alike wherever it runs: each result has the same bits in all languages
/// and on all machines that have fused multiply-adds. Where the arithmetic has those, errors are below 1 unit in the last place of
/// e^x, 1.5 of tanh, 2.5 of the sigmoid and 3.5 of gelu, subnormal results included; zeros keep their signs where the function
/// does, and what is no number stays so.
///
/// The exponential's argument is reduced by multiples of ln 2 in two parts (Cody and Waite, Software Manual for the Elementary
/// Functions, 1980), what is left goes through a polynomial, and 2^n is multiplied in two halves so that only the last product
/// rounds where results are subnormal (Tang, Table-driven implementation of the exponential function, 1989).
///
/// `Machine` has a type Value and makes new ones: number(long double), add, subtract, multiply, divide, fma (a·b + c), fms
/// (a·b − c), fnma (c − a·b), negate, magnitude, power_of_two (see ir::Opcode), less and select(less, a, b).
template <class Machine> class Functions {
public:
    using Value = typename Machine::Value;

    Functions(Machine& machine, ir::Scalar scalar) : machine_(machine), numbers_(function_numbers(scalar)) {}

    Value exponential(Value x) {
        const Power power = power_of_e(x);
        return machine_.multiply(machine_.multiply(power.fraction, power.first), power.second);
    }

    /// 1/(1 + e^−x), as e^x/(1 + e^x) where x < 0.
    Value sigmoid(Value x) {
        const Value one = number(1);
        return times_sigmoid(x, one, one, {});
    }

    Value tangent(Value x) {
        const Value size = machine_.magnitude(x);
        const Value square = machine_.multiply(x, x);
        const Value zero = number(0), one = number(1), two = number(2), bound = number(tangent_bound);
        const Value series = polynomial(numbers_.tangent, square);
        const Value small = machine_.multiply(x, machine_.fma(square, series, one));
        const Value growth = exponential(machine_.add(size, size));
        const Value rest = machine_.divide(two, machine_.add(growth, one));
        const Value large = machine_.subtract(one, rest);
        const auto is_negative = machine_.less(x, zero);
        const Value is_signed = machine_.select(is_negative, machine_.negate(large), large);
        return machine_.select(machine_.less(size, bound), small, is_signed);
    }

    /// x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))) = x·sigmoid(2·√(2/π)·(x + 0.044715·x³)), after Hendrycks and Gimpel (2016). The
    /// sigmoid's argument is a sum of two numbers: it grows with |x|, and with it what an error of it does to the result.
    Value gelu(Value x) {
        const Value below = at_least(x, -gelu_bound);
        const Value bounded = at_most(below, gelu_bound);
        const Value square = machine_.multiply(bounded, bounded);
        const Value square_rest = machine_.fms(bounded, bounded, square);
        const Value linear = number(numbers_.gelu_linear), cubic = number(numbers_.gelu_cubic);
        const Value sum = machine_.fma(cubic, square, linear);
        const Value most = machine_.subtract(sum, linear); // as Knuth's two-sum finds what a sum lacks
        const Value linear_lost = machine_.subtract(linear, machine_.subtract(sum, most));
        const Value cubic_lost = machine_.fms(cubic, square, most);
        Value sum_rest = machine_.fma(cubic, square_rest, machine_.add(linear_lost, cubic_lost));
        sum_rest = machine_.fma(square, number(numbers_.gelu_cubic_rest), sum_rest);
        sum_rest = machine_.add(sum_rest, number(numbers_.gelu_linear_rest));
        const Value argument = machine_.multiply(bounded, sum);
        const Value argument_rest = machine_.fma(bounded, sum_rest, machine_.fms(bounded, sum, argument));
        return times_sigmoid(argument, below, x, argument_rest);
    }

private:
    /// e^x as fraction·first·second, the last two powers of two.
    struct Power {
        Value fraction, first, second;
    };

    Value number(long double value) { return machine_.number(value); }

    Value at_least(Value x, long double bound) {
        const Value least = number(bound);
        return machine_.select(machine_.less(x, least), least, x);
    }
    Value at_most(Value x, long double bound) {
        const Value greatest = number(bound);
        return machine_.select(machine_.less(greatest, x), greatest, x);
    }

    Value polynomial(std::span<const long double> coefficients, Value x) {
        Value sum = number(coefficients.back());
        for (std::size_t k = coefficients.size() - 1; k-- > 0;)
            sum = machine_.fma(sum, x, number(coefficients[k]));
        return sum;
    }

    /// The whole number nearest to x·by.
    Value rounded_product(Value x, long double by) {
        const Value factor = number(by), rounder = number(numbers_.rounder);
        return machine_.subtract(machine_.fma(x, factor, rounder), rounder);
    }

    /// Of x + rest, where there is a rest.
    Power power_of_e(Value x, std::optional<Value> rest = {}) {
        x = at_most(at_least(x, numbers_.least), numbers_.greatest);
        const Value n = rounded_product(x, numbers_.log2_of_e);
        Value r = machine_.fnma(n, number(numbers_.ln2), x);
        r = machine_.fnma(n, number(numbers_.ln2_rest), r);
        if (rest) r = machine_.add(r, *rest);
        const Value square = machine_.multiply(r, r);
        const Value beyond_one = machine_.fma(square, polynomial(numbers_.exponential, r), r);
        const Value half = rounded_product(n, 0.5L);
        return {machine_.add(beyond_one, number(1)), machine_.power_of_two(half),
                machine_.power_of_two(machine_.subtract(n, half))};
    }

    /// a/(1 + e^−x) with a = `where_negative` for x < 0, else `otherwise`, and with x + rest for x where there is one. The power of
    /// two that may make the result subnormal is multiplied last.
    Value times_sigmoid(Value x, Value where_negative, Value otherwise, std::optional<Value> rest) {
        const Value zero = number(0), one = number(1);
        const auto is_negative = machine_.less(x, zero);
        if (rest) rest = machine_.select(is_negative, *rest, machine_.negate(*rest));
        const Power power = power_of_e(machine_.negate(machine_.magnitude(x)), rest);
        const Value scaled = machine_.multiply(power.fraction, power.first);
        const Value divisor = machine_.add(machine_.multiply(scaled, power.second), one);
        const Value product = machine_.multiply(where_negative, scaled);
        const Value quotient = machine_.divide(machine_.select(is_negative, product, otherwise), divisor);
        return machine_.multiply(quotient, machine_.select(is_negative, power.second, one));
    }

    Machine& machine_;
    const FunctionNumbers& numbers_;
};

} // namespace swirl::lower
