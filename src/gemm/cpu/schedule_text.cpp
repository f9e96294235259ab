// Schedules as text.

#include "base/error.hpp"
#include "gemm/cpu/dot_gemm.hpp"
#include "gemm/cpu/schedule.hpp"
#include "gemm/cpu/small_gemm.hpp"
#include "problem/matrix_product.hpp"
#include "target/extensions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

namespace swirl::gemm {

namespace {

/// Beyond these limits a schedule is rejected; kernels would take long to generate.
constexpr Integer most_tile = 64, most_unroll = 64, most_block = 1 << 24, most_prefetch = 1 << 16;
/// Kernels take k as an argument; their programs need a bound on it.
constexpr Integer most_kc = 1 << 16;

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (end > 0) words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

/// The parameters of one kind of kernel: name=value, each once, in any order.
class Parameters {
public:
    Parameters(std::string_view schedule, std::span<const std::string_view> words) : schedule_(schedule) {
        for (const std::string_view word : words) {
            const std::size_t equals = word.find('=');
            if (equals == std::string_view::npos) fail("'{}' is not of the form name=value", word);
            const std::string_view name = word.substr(0, equals);
            if (find(name) != nullptr) fail("parameter '{}' is given twice", name);
            given_.push_back({name, word.substr(equals + 1)});
        }
    }

    Integer integer(std::string_view name, Integer most) {
        const std::string_view text = value(name, "an integer");
        return integer_in(name, text, text, most);
    }
    bool is_rows(std::string_view name) {
        const std::string_view text = value(name, "rows or columns");
        if (text != "rows" && text != "columns") fail("{} is '{}'; use rows or columns", name, text);
        return text == "rows";
    }
    bool has(std::string_view name) { return find(name) != nullptr; }
    /// "none", or names from `known` separated by commas; the last may be "a" and a distance.
    std::vector<std::string_view> prefetches(std::span<const std::string_view> known, int* distance) {
        const std::string_view text = value("prefetch", "none");
        std::vector<std::string_view> wanted;
        if (text == "none") return wanted;
        for (const std::string_view what : split(text, ',')) {
            if (distance != nullptr && what.size() > 1 && what.front() == 'a')
                *distance = static_cast<int>(integer_in("prefetch", text, what.substr(1), most_prefetch));
            else if (std::find(known.begin(), known.end(), what) != known.end())
                wanted.push_back(what);
            else
                fail("prefetch is '{}'; use none, or some of {}{}, separated by commas", text,
                     fmt::join(known, ", "), distance != nullptr ? " and a followed by a distance" : "");
        }
        return wanted;
    }
    /// Throws for parameters that nobody has asked for.
    void require_all_used() const {
        for (const Given& given : given_)
            if (!given.used) fail("unknown parameter '{}'; use {}", given.name, fmt::join(asked_, ", "));
    }

    template <class... Args>
    [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
        throw UserError("schedule '{}': {}", schedule_, fmt::format(format, std::forward<Args>(args)...));
    }

private:
    struct Given {
        std::string_view name, value;
        bool used = false;
    };
    Given* find(std::string_view name) {
        const auto at =
            std::find_if(given_.begin(), given_.end(), [&](const Given& each) { return each.name == name; });
        return at == given_.end() ? nullptr : &*at;
    }
    std::string_view value(std::string_view name, std::string_view example) {
        asked_.push_back(name);
        Given* const given = find(name);
        if (given == nullptr) fail("parameter '{}' is missing; add {}= and {}", name, name, example);
        given->used = true;
        return given->value;
    }
    Integer integer_in(std::string_view name, std::string_view value, std::string_view digits,
                       Integer most) const {
        Integer result = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result);
        if (error != std::errc() || end != digits.data() + digits.size() || result < 1 || result > most)
            fail("{} is '{}'; use an integer from 1 to {}", name, value, most);
        return result;
    }

    std::string_view schedule_;
    std::vector<Given> given_;
    std::vector<std::string_view> asked_;
};

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

Tile read_tile(Parameters& parameters, int lanes) {
    const Integer rows = parameters.integer("mr", most_tile * lanes),
                  columns = parameters.integer("nr", most_tile);
    if (rows % lanes != 0)
        parameters.fail("mr is {}; use a multiple of {}, the lanes of a vector", rows, lanes);
    return {.lanes = lanes, .vectors = static_cast<int>(rows / lanes), .columns = static_cast<int>(columns)};
}

BlockedGemm read_blocked(Parameters& parameters, int lanes) {
    constexpr std::array<std::string_view, 2> prefetches{"c", "next"};
    BlockedGemm blocked{.tile = read_tile(parameters, lanes)};
    blocked.unroll = static_cast<int>(parameters.integer("unroll", most_unroll));
    blocked.mc = parameters.integer("mc", most_block);
    blocked.kc = parameters.integer("kc", most_kc);
    blocked.nc = parameters.integer("nc", most_block);
    blocked.rows_innermost = parameters.is_rows("loop");
    const auto wanted = parameters.prefetches(prefetches, &blocked.prefetch_a);
    blocked.prefetch_c = contains(wanted, "c");
    blocked.prefetch_next = contains(wanted, "next");
    parameters.require_all_used();
    return blocked;
}

UnpackedGemm read_unpacked(Parameters& parameters, int most_lanes) {
    constexpr std::array<std::string_view, 2> prefetches{"a", "c"};
    const Integer lanes = parameters.integer("lanes", most_lanes);
    if (!std::has_single_bit(static_cast<unsigned>(lanes)))
        parameters.fail("lanes is {}; use a power of two up to {}", lanes, most_lanes);
    UnpackedGemm unpacked{.tile = read_tile(parameters, static_cast<int>(lanes))};
    unpacked.unroll = static_cast<int>(parameters.integer("unroll", most_unroll));
    unpacked.kc = parameters.integer("kc", most_kc);
    unpacked.rows_outermost = parameters.is_rows("loop");
    const auto wanted = parameters.prefetches(prefetches, nullptr);
    unpacked.prefetch_a = contains(wanted, "a");
    unpacked.prefetch_c = contains(wanted, "c");
    unpacked.along_columns = parameters.has("along") && !parameters.is_rows("along");
    parameters.require_all_used();
    return unpacked;
}

DotGemm read_dot(Parameters& parameters, int most_lanes) {
    DotGemm dot;
    dot.rows = static_cast<int>(parameters.integer("mr", most_tile));
    dot.columns = static_cast<int>(parameters.integer("nr", most_tile));
    dot.lanes = static_cast<int>(parameters.integer("lanes", most_lanes));
    dot.chains = static_cast<int>(parameters.integer("chains", most_unroll));
    dot.unroll = static_cast<int>(parameters.integer("unroll", most_unroll));
    dot.kc = parameters.integer("kc", most_kc);
    dot.rows_outermost = parameters.is_rows("loop");
    parameters.require_all_used();
    return dot;
}

AmxGemm read_amx(Parameters& parameters) {
    AmxGemm amx;
    amx.term_products = static_cast<int>(parameters.integer("products", 6));
    amx.mc = parameters.integer("mc", most_block);
    amx.kc = parameters.integer("kc", most_kc);
    amx.nc = parameters.integer("nc", most_block);
    parameters.require_all_used();
    return amx;
}

std::string text_of_prefetches(std::initializer_list<std::pair<bool, std::string>> all) {
    std::string text;
    for (const auto& [is_wanted, what] : all)
        if (is_wanted) text += (text.empty() ? "" : ",") + what;
    return text.empty() ? "none" : text;
}

std::string text_of_parameters(const BlockedGemm& blocked) {
    return fmt::format(
        "mr={} nr={} unroll={} mc={} kc={} nc={} loop={} prefetch={}", blocked.tile.rows(),
        blocked.tile.columns, blocked.unroll, blocked.mc, blocked.kc, blocked.nc,
        blocked.rows_innermost ? "rows" : "columns",
        text_of_prefetches({{blocked.prefetch_c, "c"},
                            {blocked.prefetch_next, "next"},
                            {blocked.prefetch_a > 0, fmt::format("a{}", blocked.prefetch_a)}}));
}

std::string text_of(const EmptyGemm&) { return "empty"; }
std::string text_of(const BuiltinGemm&) { return "builtin"; }
std::string text_of(const BlockedGemm& blocked) { return "blocked " + text_of_parameters(blocked); }
std::string text_of(const UnpackedGemm& unpacked) {
    return fmt::format("unpacked mr={} nr={} lanes={} unroll={} kc={} loop={} prefetch={}{}",
                       unpacked.tile.rows(), unpacked.tile.columns, unpacked.tile.lanes, unpacked.unroll,
                       unpacked.kc, unpacked.rows_outermost ? "rows" : "columns",
                       text_of_prefetches({{unpacked.prefetch_a, "a"}, {unpacked.prefetch_c, "c"}}),
                       unpacked.along_columns ? " along=columns" : "");
}
std::string text_of(const DotGemm& dot) {
    return fmt::format("dot mr={} nr={} lanes={} chains={} unroll={} kc={} loop={}", dot.rows, dot.columns,
                       dot.lanes, dot.chains, dot.unroll, dot.kc, dot.rows_outermost ? "rows" : "columns");
}
std::string text_of(const AmxGemm& amx) {
    return fmt::format("amx products={} mc={} kc={} nc={}{}{}", amx.term_products, amx.mc, amx.kc, amx.nc,
                       amx.fallback ? " fallback " : "",
                       amx.fallback ? text_of_parameters(*amx.fallback) : "");
}

template <class... Args>
[[noreturn]] void reject(const CpuGemm& schedule, fmt::format_string<Args...> format, Args&&... args) {
    throw UserError("schedule '{}': {}", to_string(schedule),
                    fmt::format(format, std::forward<Args>(args)...));
}

void require_kc(const CpuGemm& schedule, Integer kc) {
    if (kc < 1 || kc > most_kc) reject(schedule, "kc is {}; use an integer from 1 to {}", kc, most_kc);
}

void require_blocked(const CpuGemm& schedule, const BlockedGemm& blocked, const target::Cpu& cpu,
                     const MatrixProduct& product) {
    const OperandTypes types = operand_types_on(product, cpu);
    const Tile& tile = blocked.tile;
    if (tile.lanes != target::lanes(cpu, scalar_of(product.data_type)))
        reject(schedule, "its vectors have {} lanes; {} of {} has {}", tile.lanes, name_of(product.data_type),
               cpu.name, target::lanes(cpu, scalar_of(product.data_type)));
    if (!fits_registers(types, tile, cpu))
        reject(schedule,
               "a tile of {} by {} has more accumulators than the {} registers of {}; use a smaller mr or nr",
               tile.rows(), tile.columns, cpu.vector_registers, cpu.name);
    if (!can_be_packed(types, tile.columns))
        reject(schedule, "nr is {}; for {} and {} use 1, 2, 4 or 8", tile.columns, name_of(types.a),
               name_of(types.b));
    require_kc(schedule, blocked.kc);
}

void require_unpacked(const CpuGemm& schedule, const UnpackedGemm& unpacked, const target::Cpu& cpu,
                      const MatrixProduct& product) {
    if (product.widens() || product.converts() || product.c.row_stride != 1)
        reject(schedule,
               "operands are read in place only if A, B and C have one data type and C a unit stride; "
               "use blocked");
    // Accumulators, the operands of one k, and what a target without fused multiply-adds spills.
    const int vectors = scalars_in(product.data_type) * unpacked.tile.vectors;
    if (vectors * (unpacked.tile.columns + 1) + 1 > cpu.vector_registers)
        reject(schedule,
               "a tile of {} by {} has more accumulators than the {} registers of {}; use a smaller mr or nr",
               unpacked.tile.rows(), unpacked.tile.columns, cpu.vector_registers, cpu.name);
    require_kc(schedule, unpacked.kc);
    if (unpacked.along_columns && is_complex(product.data_type))
        reject(schedule, "along is columns; use rows for complex products");
    if (Integer{unpacked.unroll} > product.k)
        reject(schedule, "unroll is {}; use at most k, {}", unpacked.unroll, product.k);
}

void require_dot(const CpuGemm& schedule, const DotGemm& dot, const target::Cpu& cpu,
                 const MatrixProduct& product) {
    if (const std::string_view why = dot_gemm_infeasibility(product); !why.empty())
        reject(schedule, "{}; use blocked", why);
    const int most = target::lanes(cpu, scalar_of(product.data_type)),
              least = static_cast<int>(16 / bytes_of(scalar_of(product.data_type)));
    if (!std::has_single_bit(static_cast<unsigned>(dot.lanes)) || dot.lanes < least || dot.lanes > most)
        reject(schedule, "lanes is {}; use a power of two from {} to {}", dot.lanes, least, most);
    if (dot.unroll % dot.chains != 0)
        reject(schedule, "unroll is {}; use a multiple of chains, {}", dot.unroll, dot.chains);
    if (dot_registers(dot, product.data_type) > cpu.vector_registers)
        reject(schedule,
               "a tile of {} by {} in {} chains has more accumulators than the {} registers of {}; use a "
               "smaller mr, nr or chains",
               dot.rows, dot.columns, dot.chains, cpu.vector_registers, cpu.name);
    require_kc(schedule, dot.kc);
    const int k_of_vector = dot.lanes / scalars_in(product.data_type);
    if (dot.kc < product.k && dot.kc % k_of_vector != 0)
        reject(schedule, "kc is {}; use k, {}, or a multiple of {}, the k indices of a vector", dot.kc,
               product.k, k_of_vector);
}

void require_amx(const CpuGemm& schedule, const AmxGemm& amx, const target::Cpu& cpu,
                 const MatrixProduct& product) {
    const bool is_split = product.data_type == DataType::float32 && !product.widens();
    const bool is_direct = product.type_of_a() == DataType::bfloat16 || product.data_type == DataType::int32;
    if (cpu.set != target::InstructionSet::avx512)
        reject(schedule, "{} has no tile registers; use blocked", cpu.name);
    if (!(is_split || is_direct) || product.c.row_stride != 1)
        reject(schedule,
               "tile registers multiply float32, bfloat16 and bytes with a C of unit stride; use blocked");
    if (is_direct ? amx.term_products != 1
                  : amx.term_products != 1 && amx.term_products != 3 && amx.term_products != 6)
        reject(schedule, "products is {}; use {}", amx.term_products, is_direct ? "1" : "1, 3 or 6");
    require_kc(schedule, amx.kc);
    if (is_split != amx.fallback.has_value())
        reject(schedule, "{}",
               is_split ? "add a fallback: fallback mr=… nr=… and so on"
                        : "only float32 has a fallback; leave it out");
    if (amx.fallback) require_blocked(schedule, *amx.fallback, cpu, product);
}

} // namespace

OperandTypes operand_types_on(const MatrixProduct& product, const target::Cpu& cpu) {
    if (!product.widens()) return OperandTypes::all(product.data_type);
    return operand_types_of(product, cpu,
                            &cpu == &target::host_cpu() ? target::host_extensions() : target::Extensions{});
}

std::string to_string(const BlockedGemm& schedule) { return text_of(schedule); }

std::string to_string(const CpuGemm& schedule) {
    return std::visit([](const auto& kernel) { return text_of(kernel); }, schedule.kernel);
}

void require_suitable(const CpuGemm& schedule, const target::Cpu& cpu, const MatrixProduct& product) {
    const bool is_empty = std::min({product.rows, product.columns, product.k, product.batch}) == 0;
    if (is_empty != std::holds_alternative<EmptyGemm>(schedule.kernel))
        reject(
            schedule, "{}",
            is_empty ? "nothing is multiplied here; use empty" : "it is for problems with an extent of zero");
    const bool is_portable = cpu.set == target::InstructionSet::portable || cpu.emitted_only;
    if (!is_empty && is_portable != std::holds_alternative<BuiltinGemm>(schedule.kernel))
        reject(schedule, "{}",
               is_portable ? fmt::format("{} runs no generated code; use builtin", cpu.name)
                           : std::string("use 'portable: builtin'"));
    if (const UnpackedGemm* const unpacked = schedule.unpacked())
        require_unpacked(schedule, *unpacked, cpu, product);
    if (const DotGemm* const dot = schedule.dot()) require_dot(schedule, *dot, cpu, product);
    if (const BlockedGemm* const blocked = schedule.blocked())
        require_blocked(schedule, *blocked, cpu, product);
    if (const AmxGemm* const amx = schedule.amx()) require_amx(schedule, *amx, cpu, product);
}

CpuGemm parse_cpu_gemm(std::string_view text, const target::Cpu& cpu, const MatrixProduct& product) {
    CpuGemm schedule;
    const std::vector<std::string_view> words = split(text, ' ');
    const std::string_view kind = words.empty() ? std::string_view() : words.front();
    const std::span<const std::string_view> all = std::span(words).subspan(words.empty() ? 0 : 1);
    const auto fallback = std::find(all.begin(), all.end(), "fallback");
    const bool is_amx = kind == "amx";
    const std::span<const std::string_view> own = is_amx ? std::span(all.begin(), fallback) : all;
    Parameters parameters(text, own);
    const int lanes =
        cpu.set == target::InstructionSet::portable ? 1 : target::lanes(cpu, scalar_of(product.data_type));
    if (kind == "empty" || kind == "builtin") {
        parameters.require_all_used();
        if (kind == "builtin") schedule.kernel = BuiltinGemm{};
    } else if (kind == "blocked") {
        schedule.kernel = read_blocked(parameters, lanes);
    } else if (kind == "unpacked") {
        schedule.kernel = read_unpacked(parameters, lanes);
    } else if (kind == "dot") {
        schedule.kernel = read_dot(parameters, lanes);
    } else if (is_amx) {
        AmxGemm amx = read_amx(parameters);
        if (fallback != all.end()) {
            Parameters of_fallback(text, std::span(fallback + 1, all.end()));
            amx.fallback = read_blocked(of_fallback, lanes);
        }
        schedule.kernel = amx;
    } else {
        parameters.fail("unknown kind of kernel '{}'; use blocked, unpacked, dot, amx, builtin or empty",
                        kind);
    }
    require_suitable(schedule, cpu, product);
    return schedule;
}

} // namespace swirl::gemm
