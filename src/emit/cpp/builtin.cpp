#include "emit/cpp/builtin.hpp"

#include "emit/cpp/cpp.hpp"
#include "formula/print.hpp"
#include "ir/builder.hpp"
#include "ir/count.hpp"
#include "lower/straight_line.hpp"
#include "passes/pipeline.hpp"

#include <algorithm>
#include <cctype>

namespace swirl::emit {

using namespace formula;

namespace {

constexpr Integer largest_dft = 32; ///< every size up to this is built in
constexpr Integer largest_power = 64;

bool is_complex(const Formula& formula) { return formula.is<Dft>(); }

/// "DFT(16)", float64 → "swirl_builtin_dft_16_float64"
std::string function_name(const BuiltinCodelet& codelet) {
    std::string name = "swirl_builtin_";
    for (const char c : to_text(codelet.formula))
        if (std::isalnum(static_cast<unsigned char>(c)))
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (c == '(')
            name += '_';
    return fmt::format("{}_float{}", name, 8 * bytes_of(codelet.scalar));
}

/// The buffers of an input or output, and its entries as straight-line values.
class Side {
public:
    Side(ir::Builder& builder, const char* name, const BuiltinCodelet& codelet, Integer entries, bool written)
        : builder_(builder) {
        const bool complex = is_complex(codelet.formula);
        for (const ir::Component component : {ir::Component::real, ir::Component::imaginary}) {
            if (!complex && buffers_.size() == 1) continue;
            ir::BufferInfo info;
            info.role.argument = written ? ir::ArgumentRole::output : ir::ArgumentRole::input;
            info.role.component = complex ? component : ir::Component::both;
            info.name = name;
            info.name += ir::suffix_of(info.role.component);
            info.element = codelet.scalar;
            info.elements = entries * builtin_lanes;
            info.alignment = 64;
            info.written = written;
            buffers_.push_back(builder.add(std::move(info)));
        }
    }

    lower::Scaled load(const Affine& index) {
        lower::Scaled value;
        value.re.value = builder_.load(buffers_[0], index);
        if (buffers_.size() > 1) value.im.value = builder_.load(buffers_[1], index);
        return value;
    }

    void store(const Affine& index, const lower::Scaled& value, lower::Arithmetic& arithmetic) {
        const lower::Scaled settled = arithmetic.settle(value);
        builder_.store(buffers_[0], index, arithmetic.materialize(settled.re));
        if (buffers_.size() > 1) builder_.store(buffers_[1], index, arithmetic.materialize(settled.im));
    }

private:
    ir::Builder& builder_;
    std::vector<ir::Buffer> buffers_;
};

/// Distributes the codelets over files that take about equally long to compile.
std::vector<std::vector<std::size_t>> dealt_out(const std::vector<ir::Program>& programs, std::size_t files) {
    std::vector<std::size_t> order(programs.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return programs[a].operations.size() > programs[b].operations.size();
    });
    std::vector<std::vector<std::size_t>> shares(files);
    std::vector<std::size_t> weights(files);
    for (const std::size_t k : order) {
        const auto lightest = std::min_element(weights.begin(), weights.end()) - weights.begin();
        shares[static_cast<std::size_t>(lightest)].push_back(k);
        weights[static_cast<std::size_t>(lightest)] += programs[k].operations.size();
    }
    for (auto& share : shares) std::sort(share.begin(), share.end());
    return shares;
}

} // namespace

std::vector<BuiltinCodelet> builtin_codelets() {
    std::vector<BuiltinCodelet> codelets;
    for (const DataType scalar : {DataType::float64, DataType::float32}) {
        for (Integer n = 2; n <= largest_dft; ++n) codelets.push_back({DFT(n), scalar});
        codelets.push_back({DFT(largest_power), scalar});
        for (Integer n = 2; n <= largest_power; n *= 2) codelets.push_back({WHT(n), scalar});
    }
    return codelets;
}

ir::Program builtin_program(const BuiltinCodelet& codelet) {
    const target::Cpu& cpu = target::portable_cpu();
    const Integer lanes = target::lanes(cpu, codelet.scalar);
    ir::Builder builder(function_name(codelet), {.share = true});
    Side in(builder, "input", codelet, codelet.formula.columns(), false);
    Side out(builder, "output", codelet, codelet.formula.rows(), true);
    const Affine vectors = builder.parameter("vectors");
    builder.for_loop("vector", vectors, [&](const Affine& v) {
        builder.for_loop("lane", 0, lanes, 1, ir::For::Kind::vector, [&](const Affine& l) {
            lower::Arithmetic arithmetic(builder, codelet.scalar, lower::Multiplication::plain);
            std::vector<lower::Scaled> x;
            for (Integer e = 0; e < codelet.formula.columns(); ++e)
                x.push_back(in.load(builtin_lanes * e + lanes * v + l));
            const auto y = lower::straight_line(codelet.formula, x, arithmetic);
            for (Integer e = 0; e < codelet.formula.rows(); ++e)
                out.store(builtin_lanes * e + lanes * v + l, y[static_cast<std::size_t>(e)], arithmetic);
        });
    });
    return passes::run_for_cpu(builder.finish(), cpu);
}

std::vector<SourceFile> builtin_sources(std::size_t files) {
    const std::vector<BuiltinCodelet> codelets = builtin_codelets();
    std::vector<ir::Program> programs;
    for (const BuiltinCodelet& codelet : codelets) programs.push_back(builtin_program(codelet));
    std::vector<SourceFile> sources;
    for (const std::vector<std::size_t>& share : dealt_out(programs, files)) {
        std::vector<const ir::Program*> chosen;
        for (const std::size_t k : share) chosen.push_back(&programs[k]);
        const CppOptions options{.typed_overload = false,
                                 .comment = "Codelets on several transforms at once, generated by swirl."};
        sources.push_back({fmt::format("builtin_{}.cpp", sources.size()), emit_cpp(chosen, options)});
    }
    std::string list;
    for (std::size_t k = 0; k < codelets.size(); ++k)
        list += fmt::format("SWIRL_BUILTIN(\"{}\", float{}, {}, {})\n", to_text(codelets[k].formula),
                            8 * bytes_of(codelets[k].scalar), programs[k].name,
                            ir::count_operations(programs[k], {.loops = false}).flops());
    sources.push_back({"builtin_list.inc", std::move(list)});
    return sources;
}

} // namespace swirl::emit
