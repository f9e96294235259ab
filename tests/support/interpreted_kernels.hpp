#pragma once

#include "formula/formula.hpp"
#include "ir/interpreter.hpp"
#include "lower/gpu/lowering.hpp"
#include "rules/rule.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace swirl::support {

/// A request for `batch` transforms of contiguous elements.
inline lower::KernelRequest request_for(Integer batch, const formula::Formula& transform,
                                        DataType scalar = DataType::float32) {
    const formula::Formula all = batch == 1 ? transform : formula::kron({formula::I(batch), transform});
    return {.name = "kernel",
            .loops = {.formula = all,
                      .scalar = scalar,
                      .input = loops::Layout::contiguous(all.columns()),
                      .output = loops::Layout::contiguous(all.rows())}};
}
inline lower::KernelRequest request_for(Integer batch, Integer n, const std::string& tree,
                                        DataType scalar = DataType::float32) {
    return request_for(batch, rules::expand(formula::DFT(n), rules::parse_tree(tree)), scalar);
}

/// Kernels of one request, run in sequence.
struct InterpretedKernels {
    double error = 0; ///< relative root-sum-square error, against the formula
    std::vector<ir::InterpreterReport> reports;
    Integer sectors = 0;    ///< of the arguments, read and written
    double transferred = 0; ///< the same, relative to the minimum
};

/// The value of entry i.
using InputValues = std::function<formula::Complex(std::size_t)>;
inline InputValues random_values() {
    return [generator = std::mt19937(3),
            uniform = std::uniform_real_distribution<float>(-1, 1)](std::size_t) mutable {
        const float re = uniform(generator);
        return formula::Complex{re, uniform(generator)};
    };
}

/// Runs in the interpreter, which, if `throws`, throws for data races, divergent barriers, and accesses that are out of
/// bounds or read uninitialised memory. Scratch memory persists between kernels.
inline InterpretedKernels interpreted(const lower::KernelRequest& request,
                                      const std::vector<ir::Program>& programs,
                                      const InputValues& given = random_values(), bool throws = true) {
    std::map<std::string, std::shared_ptr<ir::Memory>> memories;
    for (const ir::Program& program : programs)
        for (const ir::BufferInfo& buffer : program.buffers)
            if (buffer.space == ir::Space::argument)
                memories.try_emplace(buffer.name, std::make_shared<ir::Memory>(buffer));
    ir::Memory& in = *memories.at(request.loops.in_place ? "data" : "input");
    const ir::Memory& out = *memories.at(request.loops.in_place ? "data" : "output");
    std::vector<formula::Complex> x(static_cast<std::size_t>(request.loops.formula.columns()));
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = given(i);
        in.set(static_cast<Integer>(2 * i), x[i].real());
        in.set(static_cast<Integer>(2 * i + 1), x[i].imag());
    }
    InterpretedKernels result;
    for (const ir::Program& program : programs) {
        ir::Arguments arguments(program);
        for (const ir::BufferInfo& buffer : program.buffers)
            if (buffer.space == ir::Space::argument || buffer.space == ir::Space::scratch)
                arguments.bind(
                    buffer.name,
                    memories.try_emplace(buffer.name, arguments.shared(buffer.name)).first->second);
        result.reports.push_back(ir::Interpreter(program).run(arguments, {.throw_on_diagnostic = throws}));
        for (std::size_t b = 0; b < program.buffers.size(); ++b)
            if (program.buffers[b].space == ir::Space::argument)
                result.sectors +=
                    result.reports.back().loads[b].sectors + result.reports.back().stores[b].sectors;
    }
    const auto expected = formula::apply(request.loops.formula, x);
    long double difference = 0, norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto at = static_cast<Integer>(2 * i);
        difference += std::norm(formula::Complex(out[at], out[at + 1]) - expected[i]);
        norm += std::norm(expected[i]);
    }
    result.error = static_cast<double>(std::sqrt(difference / norm));
    const Integer bytes = 2 * bytes_of(request.loops.scalar) * std::ssize(x);
    result.transferred =
        static_cast<double>(result.sectors) / (2 * static_cast<double>(ceil_divide(bytes, 32)));
    return result;
}

} // namespace swirl::support
