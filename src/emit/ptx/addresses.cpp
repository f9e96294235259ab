#include "emit/ptx/addresses.hpp"

#include "base/error.hpp"
#include "emit/gpu_c/launch.hpp"
#include "ir/analysis.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace swirl::emit {
namespace {

constexpr Integer least_32 = std::numeric_limits<std::int32_t>::min();
constexpr Integer most_32 = std::numeric_limits<std::int32_t>::max();

bool is_32_bit(Integer value) { return value >= least_32 && value <= most_32; }

PtxRegister integer_register(bool wide) { return wide ? PtxRegister::int64 : PtxRegister::int32; }

} // namespace

bool fits_32_bits(const std::optional<ir::Range>& range) {
    return range && is_32_bit(range->low) && is_32_bit(range->high);
}

PtxSides::PtxSides(const Affine& form) : right(-form.constant()) {
    for (const Affine::Term& term : form.terms())
        if (term.coefficient > 0)
            left += Affine::of(term.variable, term.coefficient);
        else
            right -= Affine::of(term.variable, term.coefficient);
}

PtxAddresses::PtxAddresses(PtxAssembly& out, const ir::Program& program, const Usage& usage,
                           const PtxLayout& layout)
    : out_(out),
      program_(program),
      usage_(usage),
      layout_(layout),
      ranges_(program),
      bound_(program.variables.size()),
      bases_(program.buffers.size()),
      scopes_(1) {}

/// index / divisor mod modulus, by shifts and masks where both are powers of two.
std::string PtxAddresses::digit_of(const std::string& index, const ir::VariableInfo& info) {
    const auto is_power = [](Integer n) { return (n & (n - 1)) == 0; };
    const auto log = [](Integer n) {
        return std::to_string(std::countr_zero(static_cast<std::uint64_t>(n)));
    };
    const auto computed = [&](const char* operation, const std::string& a, const std::string& b) {
        return out_.result(PtxRegister::int32, operation, {a, b});
    };
    std::string digit = index;
    if (info.divisor != 1)
        digit = is_power(info.divisor) ? computed("shr.u32", digit, log(info.divisor))
                                       : computed("div.u32", digit, std::to_string(info.divisor));
    if (info.modulus != 0)
        digit = is_power(info.modulus) ? computed("and.b32", digit, std::to_string(info.modulus - 1))
                                       : computed("rem.u32", digit, std::to_string(info.modulus));
    return digit;
}

void PtxAddresses::declare() {
    using Kind = ir::VariableInfo::Kind;
    for (std::size_t v = 0; v < program_.variables.size(); ++v) {
        const ir::VariableInfo& info = program_.variables[v];
        if (!usage_.variables[v] || (info.kind != Kind::thread && info.kind != Kind::block)) continue;
        const std::string source = fmt::format("%{}.{}", info.kind == Kind::thread ? "tid" : "ctaid",
                                               "xyz"[static_cast<std::size_t>(info.axis)]);
        const std::string index = out_.result(PtxRegister::int32, "mov.u32", {source});
        bind(static_cast<Variable>(v), {digit_of(index, info), false, false});
    }
    for (std::size_t n = 0; n < layout_.variables.size(); ++n)
        if (usage_.variables[static_cast<std::size_t>(layout_.variables[n])])
            bind(layout_.variables[n],
                 {out_.result(PtxRegister::int64, "ld.param.s64", {fmt::format("[{}]", layout_.integers[n])}),
                  true, false});
    for (std::size_t b = 0; b < bases_.size(); ++b) {
        if (!usage_.buffers[b]) continue;
        const BufferLocation& location = layout_.locations[b];
        if (location.space == BufferLocation::Space::registers) continue;
        if (location.space == BufferLocation::Space::parameter) {
            bases_[b] = location.name;
        } else if (program_.buffers[b].absolute) { // a generic address, valid for global memory
            bases_[b] = out_.result(PtxRegister::int64, "mov.u64", {"0"});
        } else if (location.is_passed) {
            const std::string generic =
                out_.result(PtxRegister::int64, "ld.param.u64", {fmt::format("[{}]", location.name)});
            bases_[b] = out_.result(PtxRegister::int64, "cvta.to.global.u64", {generic});
        } else if (location.space == BufferLocation::Space::global) {
            bases_[b] = out_.result(PtxRegister::int64, "mov.u64", {location.name});
        } else {
            bases_[b] = out_.result(PtxRegister::int32, "mov.u32", {location.name});
        }
    }
}

void PtxAddresses::bind(Variable variable, PtxInteger value) {
    bound(variable) = {std::move(value), static_cast<int>(scopes_.size()) - 1};
}

Integer PtxAddresses::element_size(ir::Buffer buffer) const {
    return bytes_of(program_.buffers[static_cast<std::size_t>(buffer)].element);
}

// ---- forms ----------------------------------------------------------------------------------------------------

Affine PtxAddresses::live_terms(const Affine& form) const {
    using Kind = ir::VariableInfo::Kind;
    Affine result = form - form.constant();
    for (const Affine::Term& term : form.terms()) {
        const ir::VariableInfo& info = program_.variables[static_cast<std::size_t>(term.variable)];
        const auto axis = static_cast<std::size_t>(info.axis);
        if ((info.kind == Kind::thread && program_.launch.threads[axis] == 1) ||
            (info.kind == Kind::block && program_.launch.blocks[axis] == 1))
            result -= Affine::of(term.variable, term.coefficient);
    }
    return result;
}

Affine PtxAddresses::bound_terms(const Affine& form) {
    Affine result;
    const Affine live = live_terms(form);
    for (const Affine::Term& term : live.terms())
        if (const int depth = bound(term.variable).depth; depth >= 0 && ranges_.is_in_scope(term.variable))
            result += Affine::of(term.variable, term.coefficient);
    return result;
}

PtxInteger PtxAddresses::converted(const PtxInteger& value, bool wide) {
    if (value.is_literal || value.is_wide == wide) return {value.text, wide, value.is_literal};
    return {out_.result(integer_register(wide), wide ? "cvt.s64.s32" : "cvt.u32.u64", {value.text}), wide,
            false};
}

/// factor·coefficient + sum; `sum` may be the literal 0.
PtxInteger PtxAddresses::multiply_add(const PtxInteger& factor, Integer coefficient, const PtxInteger& sum,
                                      bool wide) {
    const bool is_first = sum.is_literal;
    const PtxRegister kind = integer_register(wide);
    const auto made = [&](std::string text) { return PtxInteger{std::move(text), wide, false}; };
    if (coefficient == 1) {
        const PtxInteger same = converted(factor, wide);
        if (is_first) return same;
        return made(out_.result(kind, wide ? "add.s64" : "add.s32", {sum.text, same.text}));
    }
    // A product that overflows belongs to a form that wraps: only its low bits count.
    const std::string constant =
        fmt::format("{}", wide ? coefficient : static_cast<Integer>(static_cast<std::int32_t>(coefficient)));
    if (wide && !factor.is_wide && is_32_bit(coefficient)) {
        if (is_first) return made(out_.result(kind, "mul.wide.s32", {factor.text, constant}));
        return made(out_.result(kind, "mad.wide.s32", {factor.text, constant, sum.text}));
    }
    const std::string same = converted(factor, wide).text;
    if (is_first) return made(out_.result(kind, wide ? "mul.lo.s64" : "mul.lo.s32", {same, constant}));
    return made(out_.result(kind, wide ? "mad.lo.s64" : "mad.lo.s32", {same, constant, sum.text}));
}

PtxInteger PtxAddresses::variable_part(const Affine& form, bool wraps) {
    const Affine terms = live_terms(form);
    if (terms.is_constant()) return {};
    const bool fits = fits_32_bits(ranges_.range(terms));
    const bool wide = !fits && !wraps;
    const std::pair key(terms, !fits && wraps);
    for (const Scope& scope : scopes_)
        if (const auto at = scope.forms.find(key); at != scope.forms.end()) return at->second;
    int deepest = 0;
    for (const Affine::Term& term : terms.terms()) {
        ensure(bound(term.variable).depth >= 0, "ptx: variable '{}' is not in scope",
               program_.variables[static_cast<std::size_t>(term.variable)].name);
        deepest = std::max(deepest, bound(term.variable).depth);
    }
    Affine outer;
    for (const Affine::Term& term : terms.terms())
        if (bound(term.variable).depth < deepest) outer += Affine::of(term.variable, term.coefficient);
    PtxInteger sum = converted(variable_part(outer, !wide), wide);
    for (const Affine::Term& term : terms.terms())
        if (bound(term.variable).depth == deepest)
            sum = multiply_add(bound(term.variable).value, term.coefficient, sum, wide);
    scopes_.back().forms.emplace(key, sum);
    return sum;
}

PtxInteger PtxAddresses::value(const Affine& form) {
    const Integer constant = form.constant();
    const PtxInteger variable = variable_part(form);
    const std::string value = fmt::format("{}", constant);
    if (variable.is_literal) return {value, !is_32_bit(constant), true};
    if (constant == 0) return variable;
    const bool wide = !is_32_bit(constant) || !fits_32_bits(ranges_.range(form));
    const PtxInteger same = converted(variable, wide);
    return {out_.result(integer_register(wide), wide ? "add.s64" : "add.s32", {same.text, value}), wide,
            false};
}

// ---- addresses ------------------------------------------------------------------------------------------------

bool PtxAddresses::may_wrap(const ir::Address& address) const {
    if (location(address.buffer).space != BufferLocation::Space::global) return true; // 32-bit addresses
    if (address.dynamic != ir::no_value) return false;
    const ir::BufferInfo& buffer = program_.buffers[static_cast<std::size_t>(address.buffer)];
    const Integer first = buffer.first - address.index.constant();
    return is_32_bit(first) && is_32_bit(first + buffer.elements - 1);
}

std::string PtxAddresses::fixed_pointer(const ir::Address& address) {
    const ir::Buffer buffer = address.buffer;
    const Affine terms = live_terms(address.index);
    const std::string& base = bases_[static_cast<std::size_t>(buffer)];
    if (terms.is_constant()) return base;
    const bool wraps = may_wrap(address);
    const std::tuple key(buffer, terms, wraps);
    for (const Scope& scope : scopes_)
        if (const auto at = scope.pointers.find(key); at != scope.pointers.end()) return at->second;
    const bool wide = location(buffer).space == BufferLocation::Space::global;
    const PtxInteger from_base =
        multiply_add(variable_part(terms, wraps), element_size(buffer), {base, wide, false}, wide);
    scopes_.back().pointers.emplace(key, from_base.text);
    return from_base.text;
}

std::string PtxAddresses::pointer(const ir::Address& address, const std::string& dynamic) {
    const std::string fixed = fixed_pointer(address);
    if (dynamic.empty()) return fixed;
    const bool wide = location(address.buffer).space == BufferLocation::Space::global;
    return multiply_add({dynamic, true, false}, address.dynamic_scale * element_size(address.buffer),
                        {fixed, wide, false}, wide)
        .text;
}

/// By division: the block's rank depends on the whole index.
std::string PtxAddresses::computed_pointer(const ir::Address& address) {
    const std::string per_block =
        std::to_string(program_.buffers[static_cast<std::size_t>(address.buffer)].dsmem_elements_per_block);
    const std::string index = converted(value(address.index), false).text;
    const std::string rank = out_.result(PtxRegister::int32, "div.u32", {index, per_block});
    const std::string within = out_.result(PtxRegister::int32, "rem.u32", {index, per_block});
    ir::Address start = address;
    start.index = 0;
    const std::string own = multiply_add({within, false, false}, element_size(address.buffer),
                                         {fixed_pointer(start), false, false}, false)
                                .text;
    return out_.result(PtxRegister::int32, "mapa.shared::cluster.u32", {own, rank});
}

std::string PtxAddresses::remote_pointer(const ClusterAddress& location) {
    const std::string own = fixed_pointer(location.within);
    const std::pair key(own, location.rank);
    for (const Scope& scope : scopes_)
        if (const auto at = scope.remote.find(key); at != scope.remote.end()) return at->second;
    // mapa needs an address in the block's own memory, even if terms of the index are negative.
    const std::optional<ir::Range> range =
        ranges_.range(location.within.index - location.within.index.constant());
    ensure(range.has_value(), "ptx: an index into a cluster's memory without bounds");
    const Integer below = std::max<Integer>(-range->low, 0) * element_size(location.within.buffer);
    const auto moved = [&](const std::string& pointer, Integer bytes) {
        return below == 0 ? pointer
                          : out_.result(PtxRegister::int32, "add.s32", {pointer, fmt::format("{}", bytes)});
    };
    const std::string mapped = out_.result(PtxRegister::int32, "mapa.shared::cluster.u32",
                                           {moved(own, below), converted(value(location.rank), false).text});
    const std::string remote = moved(mapped, -below);
    scopes_.back().remote.emplace(key, remote);
    return remote;
}

std::string PtxAddresses::operand(const std::string& pointer, const ir::Address& address,
                                  Integer lane_offset) {
    const Integer displacement = (address.index.constant() + lane_offset) * element_size(address.buffer) +
                                 location(address.buffer).origin;
    if (displacement == 0) return fmt::format("[{}]", pointer);
    if (is_32_bit(displacement)) return fmt::format("[{}+{}]", pointer, displacement);
    return fmt::format(
        "[{}]", out_.result(PtxRegister::int64, "add.s64", {pointer, fmt::format("{}", displacement)}));
}

Integer PtxAddresses::alignment(const ir::Address& address) const {
    return known_alignment(ranges_, address, location(address.buffer).alignment,
                           element_size(address.buffer));
}

// ---- loop-invariant code motion ---------------------------------------------------------------------------------

void PtxAddresses::prepare(const Affine& form, bool wraps) { variable_part(bound_terms(form), wraps); }

void PtxAddresses::prepare(const ir::Address& address) {
    prepare(address.index, may_wrap(address));
    const bool in_cluster =
        program_.buffers[static_cast<std::size_t>(address.buffer)].dsmem_elements_per_block > 0;
    if (!in_cluster && is_bound(address.index)) fixed_pointer(address);
}

void PtxAddresses::prepare(const ir::Operation& operation) {
    if (operation.opcode == ir::Opcode::index) prepare(operation.address.index);
    if (ir::accesses_memory(operation.opcode)) prepare(operation.address);
    if (!ir::is_async_tile_operation(operation.opcode) || operation.opcode == ir::Opcode::wgmma) return;
    prepare(operation.address);
    for (const ir::Address& location : operation.tile->addresses) prepare(location);
}

void PtxAddresses::prepare(const ir::Body& body) {
    for (const ir::Statement& statement : body) {
        if (const auto* block = std::get_if<ir::StraightLineBlock>(&statement.node)) {
            for (const ir::Value value : block->operations)
                if (usage_.values[static_cast<std::size_t>(value)]) prepare(program_[value]);
        } else if (const auto* loop = std::get_if<ir::For>(&statement.node)) {
            prepare(loop->begin);
            prepare(loop->end);
            for (const ir::Induction& induction : loop->inductions) prepare(induction.start);
            prepare(loop->body);
        } else if (const auto* branch = std::get_if<ir::If>(&statement.node)) {
            for (const ir::Condition& condition : branch->conditions) {
                if (condition.value != ir::no_value) {
                    prepare(-1 * condition.form);
                    continue;
                }
                const PtxSides sides(condition.form);
                prepare(sides.left);
                prepare(sides.right);
            }
            prepare(branch->then);
            prepare(branch->otherwise);
        }
    }
}

} // namespace swirl::emit
