#include "gemm/gpu/schedule_text.hpp"

#include "base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace swirl::gemm {

namespace {

constexpr std::array<std::string_view, 6> fma_order_words = {
    "rows", "columns", "serpentine_rows", "serpentine_columns", "swirl_rows", "swirl_columns"};
constexpr std::array<std::string_view, 5> load_words = {"cp_async", "tma", "tma_k_major", "tma_transpose",
                                                        "global"};

// ---- access to members by paths of member pointers

/// A parameter without its access, for designated initialisers in the tables.
struct ParameterDescription {
    std::string_view name;
    std::string_view meaning;
    int least = 1;
    int most = max_parameter;
    std::string_view needs = {};
};

template <class Member> constexpr std::span<const std::string_view> words_of() {
    if constexpr (std::is_same_v<Member, FmaOrder>) return fma_order_words;
    if constexpr (std::is_same_v<Member, OperandLoad>) return load_words;
    return {};
}

template <class Member>
constexpr ScheduleParameter described_parameter(const ParameterDescription& described) {
    ScheduleParameter result{described.name, described.meaning,  described.least,
                             described.most, words_of<Member>(), described.needs};
    if (std::is_same_v<Member, bool>) std::tie(result.least, result.most) = std::pair(0, 1);
    if (!result.words.empty())
        std::tie(result.least, result.most) = std::pair(0, static_cast<int>(result.words.size()) - 1);
    return result;
}

template <auto... path, class Object> auto& member_at(Object& object) { return (object.*....*path); }

/// A member that all schedules of the kernel have.
template <class Kernel, auto... path>
constexpr ScheduleParameter parameter_for(const ParameterDescription& described) {
    using Member = std::remove_cvref_t<decltype(member_at<path...>(std::declval<Kernel&>()))>;
    ScheduleParameter result = described_parameter<Member>(described);
    result.get = [](const GpuGemmSchedule& schedule) -> std::optional<int> {
        return static_cast<int>(member_at<path...>(std::get<Kernel>(schedule)));
    };
    result.set = [](GpuGemmSchedule& schedule, int value) {
        member_at<path...>(std::get<Kernel>(schedule)) = static_cast<Member>(value);
        return true;
    };
    return result;
}

/// A member of one alternative of a variant.
template <class Kernel, auto variant, class Alternative, auto... path>
constexpr ScheduleParameter parameter_of_alternative(const ParameterDescription& described) {
    using Member = std::remove_cvref_t<decltype(member_at<path...>(std::declval<Alternative&>()))>;
    ScheduleParameter result = described_parameter<Member>(described);
    result.get = [](const GpuGemmSchedule& schedule) -> std::optional<int> {
        const auto* const held = std::get_if<Alternative>(&(std::get<Kernel>(schedule).*variant));
        return held != nullptr ? std::optional(static_cast<int>(member_at<path...>(*held))) : std::nullopt;
    };
    result.set = [](GpuGemmSchedule& schedule, int value) {
        auto* const held = std::get_if<Alternative>(&(std::get<Kernel>(schedule).*variant));
        if (held != nullptr) member_at<path...>(*held) = static_cast<Member>(value);
        const Alternative usual{}; // that value is the same as none
        return held != nullptr || static_cast<int>(member_at<path...>(usual)) == value;
    };
    return result;
}

/// Chooses an alternative of a variant; `absent` stands for the variant's first alternative.
/// Other values are a member of the chosen alternative, or 1 if it has no such member.
template <class Kernel, auto variant, class Alternative, int absent, auto... path>
constexpr ScheduleParameter choosing_parameter(const ParameterDescription& described) {
    ScheduleParameter result = described_parameter<int>(described);
    result.least = absent;
    if (sizeof...(path) == 0) result.most = 1;
    result.get = [](const GpuGemmSchedule& schedule) -> std::optional<int> {
        const auto* const held = std::get_if<Alternative>(&(std::get<Kernel>(schedule).*variant));
        if (held == nullptr) return absent;
        if constexpr (sizeof...(path) == 0)
            return 1;
        else
            return member_at<path...>(*held);
    };
    result.set = [](GpuGemmSchedule& schedule, int value) {
        auto& choices = std::get<Kernel>(schedule).*variant;
        using Choices = std::remove_cvref_t<decltype(choices)>;
        const bool is_held = std::holds_alternative<Alternative>(choices);
        if (value == absent) {
            if (is_held) choices = Choices{};
            return true;
        }
        if (!is_held && choices != Choices{}) return false;
        if (!is_held) choices = Alternative{};
        if constexpr (sizeof...(path) > 0) member_at<path...>(std::get<Alternative>(choices)) = value;
        return true;
    };
    return result;
}

template <auto... path> constexpr auto simt_member = parameter_for<SimtGemm, path...>;
template <class Alternative, auto... path>
constexpr auto math_member = parameter_of_alternative<SimtGemm, &SimtGemm::math, Alternative, path...>;
template <class Alternative, auto... path>
constexpr auto decomposition_member =
    parameter_of_alternative<SimtGemm, &SimtGemm::decomposition, Alternative, path...>;
template <auto... path> constexpr auto wgmma_member = parameter_for<WgmmaGemm, path...>;
template <auto... path> constexpr auto batched_member = parameter_for<BatchedGemm, path...>;
template <class Alternative, auto... path>
constexpr auto operands_member =
    parameter_of_alternative<WgmmaGemm, &WgmmaGemm::operands, Alternative, path...>;

// ---- the tables. A choice precedes the members that need it.

constexpr std::array simt_parameters = {
    simt_member<&SimtGemm::cta_tile, &CtaTile::m>(
        {.name = "cta_m", .meaning = "rows of C that a block computes"}),
    simt_member<&SimtGemm::cta_tile, &CtaTile::n>(
        {.name = "cta_n", .meaning = "columns of C that a block computes"}),
    simt_member<&SimtGemm::cta_tile, &CtaTile::k>({.name = "cta_k", .meaning = "k indices of a k-tile"}),
    simt_member<&SimtGemm::thread_tile, &Extents::m>(
        {.name = "thread_m", .meaning = "rows of C that a thread holds in registers"}),
    simt_member<&SimtGemm::thread_tile, &Extents::n>(
        {.name = "thread_n", .meaning = "columns of C that a thread holds in registers"}),
    choosing_parameter<SimtGemm, &SimtGemm::math, MmaSync, 0, &MmaSync::k>(
        {.name = "mma_k",
         .meaning = "K of the tensor cores' mma.sync; 0: threads multiply with multiply-adds",
         .needs = "no warp_lanes_m, warp_lanes_n, zigzag, fma_order or reorder_sass"}),
    math_member<Fma, &Fma::warp_lanes, &Extents::m>(
        {.name = "warp_lanes_m", .meaning = "threads of a warp along M", .needs = "mma_k=0"}),
    math_member<Fma, &Fma::warp_lanes, &Extents::n>(
        {.name = "warp_lanes_n",
         .meaning = "threads of a warp along N; 32 in all where a slice of K has a warp or more",
         .needs = "mma_k=0"}),
    math_member<Fma, &Fma::zigzag>(
        {.name = "zigzag",
         .meaning = "1: adjacent threads alternate between two columns, so that eight threads load four "
                    "vectors of A and two of B",
         .needs = "mma_k=0"}),
    math_member<Fma, &Fma::order>({.name = "fma_order",
                                   .meaning = "order of a thread's multiply-adds for one k index",
                                   .needs = "mma_k=0"}),
    math_member<Fma, &Fma::reorder_sass>(
        {.name = "reorder_sass",
         .meaning = "1: the compiled main loop is reordered in SASS where that is proved possible",
         .needs = "mma_k=0"}),
    choosing_parameter<SimtGemm, &SimtGemm::decomposition, SplitK, 1, &SplitK::splits>(
        {.name = "split_k",
         .meaning = "blocks that share K of a tile",
         .needs = "stream_k_blocks=0 and matrices=1"}),
    decomposition_member<SplitK, &SplitK::in_workspace>(
        {.name = "split_k_in_workspace",
         .meaning = "1: accumulators of the splits are reduced in global memory, all blocks being resident; "
                    "0: in a cluster's shared memory",
         .needs = "split_k>1"}),
    decomposition_member<SplitK, &SplitK::interleaved>(
        {.name = "interleaved_split_k",
         .meaning =
             "1: splits take k-tiles alternately, so that concurrent ones are adjacent in memory; 0: each "
             "has a contiguous range",
         .needs = "split_k>1"}),
    choosing_parameter<SimtGemm, &SimtGemm::decomposition, StreamK, 0, &StreamK::blocks>(
        {.name = "stream_k_blocks",
         .meaning = "blocks that share the k-tiles of all tiles; 0: no Stream-K",
         .needs = "split_k=1 and matrices=1"}),
    decomposition_member<StreamK, &StreamK::data_parallel_tiles>(
        {.name = "data_parallel_tiles",
         .meaning = "tiles that each of these blocks computes alone, before its share of the rest",
         .least = 0,
         .needs = "stream_k_blocks>0"}),
    decomposition_member<DataParallel, &DataParallel::matrices>(
        {.name = "matrices",
         .meaning = "matrices of a batch that a block computes, each with threads of its own",
         .needs = "split_k=1 and stream_k_blocks=0"}),
    simt_member<&SimtGemm::sliced_k>(
        {.name = "sliced_k",
         .meaning = "groups of a block's threads that share a k-tile's K and reduce their accumulators"}),
    simt_member<&SimtGemm::stages>(
        {.name = "stages", .meaning = "k-tiles in shared memory, all but one in flight"}),
    simt_member<&SimtGemm::a, &SimtOperand::load>(
        {.name = "a_load",
         .meaning = "how A reaches the threads: they copy it (cp_async); TMA loads it with rows along M "
                    "(tma), along K (tma_k_major), or along K for threads to transpose (tma_transpose); they "
                    "load all of K to registers (global)"}),
    simt_member<&SimtGemm::b, &SimtOperand::load>({.name = "b_load", .meaning = "how B reaches the threads"}),
    simt_member<&SimtGemm::a, &SimtOperand::vector_mn>(
        {.name = "a_vector_m", .meaning = "elements of A that one copy moves along M"}),
    simt_member<&SimtGemm::b, &SimtOperand::vector_mn>(
        {.name = "b_vector_n", .meaning = "elements of B that one copy moves along N"}),
    simt_member<&SimtGemm::c_vector_m>(
        {.name = "c_vector_m", .meaning = "elements of C that one access moves along M"}),
    simt_member<&SimtGemm::a, &SimtOperand::vector_k>(
        {.name = "a_vector_k",
         .meaning = "elements of A that one copy moves along K; if more than 1, shared memory is K-major"}),
    simt_member<&SimtGemm::b, &SimtOperand::vector_k>(
        {.name = "b_vector_k", .meaning = "elements of B that one copy moves along K"}),
    simt_member<&SimtGemm::copy_k>(
        {.name = "copy_k",
         .meaning = "k indices of a row or column that adjacent threads copy, if these are contiguous"}),
    simt_member<&SimtGemm::interleave_copies>(
        {.name = "interleave_copies",
         .meaning = "1: copies are spread over a k-tile's k indices; 0: all come at its first"}),
    simt_member<&SimtGemm::raster_group>(
        {.name = "raster_group",
         .meaning = "tiles along M that come before the next along N, while A and B are in L2"}),
    simt_member<&SimtGemm::resident>(
        {.name = "resident",
         .meaning = "blocks per multiprocessor, which bounds registers; 0: left to the compiler",
         .least = 0}),
};

constexpr std::array wgmma_parameters = {
    wgmma_member<&WgmmaGemm::cta_tile, &CtaTile::m>(
        {.name = "cta_m", .meaning = "rows of C that a block computes"}),
    wgmma_member<&WgmmaGemm::cta_tile, &CtaTile::n>(
        {.name = "cta_n", .meaning = "columns of C that a block computes"}),
    wgmma_member<&WgmmaGemm::cta_tile, &CtaTile::k>({.name = "cta_k", .meaning = "k indices of a k-tile"}),
    wgmma_member<&WgmmaGemm::stages>(
        {.name = "stages", .meaning = "k-tiles in shared memory, which TMA loads ahead"}),
    wgmma_member<&WgmmaGemm::warpgroups>(
        {.name = "warpgroups", .meaning = "warpgroups that multiply, each with a share of the tile"}),
    wgmma_member<&WgmmaGemm::cluster, &Extents::m>(
        {.name = "cluster_m", .meaning = "blocks of a cluster along M, which share loads of B"}),
    wgmma_member<&WgmmaGemm::cluster, &Extents::n>(
        {.name = "cluster_n", .meaning = "blocks of a cluster along N, which share loads of A"}),
    wgmma_member<&WgmmaGemm::split_k>(
        {.name = "split_k", .meaning = "blocks of a cluster that share K of a tile"}),
    choosing_parameter<WgmmaGemm, &WgmmaGemm::operands, Bf16Terms, 0, &Bf16Terms::count>(
        {.name = "bf16_split",
         .meaning = "bfloat16 terms into which kernels before this one split each float32; 0: no split",
         .needs = "tf32=0"}),
    operands_member<Bf16Terms, &Bf16Terms::range_check>(
        {.name = "range_check",
         .meaning = "1: a SIMT fallback computes C if a value is not finite or outside the split's range; 0: "
                    "no value is",
         .needs = "bf16_split>0"}),
    choosing_parameter<WgmmaGemm, &WgmmaGemm::operands, Tf32, 0>(
        {.name = "tf32",
         .meaning = "1: TMA rounds float32 operands to 11 significant bits",
         .needs = "bf16_split=0"}),
    operands_member<Tf32, &Tf32::transpose_a>(
        {.name = "transpose_a",
         .meaning = "1: if A is not K-major, a kernel before this one makes it so; 0: threads load it to "
                    "registers",
         .needs = "tf32=1"}),
    wgmma_member<&WgmmaGemm::accumulation_interval>(
        {.name = "accumulation_interval",
         .meaning = "k-tiles after which tensor-core accumulators, which truncate, are added to float32 "
                    "accumulators, which round; 0: never",
         .least = 0}),
    wgmma_member<&WgmmaGemm::promotion_interval>(
        {.name = "promotion_interval",
         .meaning = "k indices after which accumulators of the leading terms are added likewise; 0: with the "
                    "others",
         .least = 0}),
    wgmma_member<&WgmmaGemm::epilogue_tile_m>(
        {.name = "epilogue_tile_m",
         .meaning = "rows of C in shared memory at once on their way out; 0: threads store C from registers",
         .least = 0}),
    wgmma_member<&WgmmaGemm::raster_group>(
        {.name = "raster_group",
         .meaning = "tiles along M that come before the next along N, while A and B are in L2"}),
};

constexpr std::array batched_parameters = {
    batched_member<&BatchedGemm::thread_tile, &Extents::m>(
        {.name = "thread_m", .meaning = "rows of C that a thread holds in registers"}),
    batched_member<&BatchedGemm::thread_tile, &Extents::n>(
        {.name = "thread_n", .meaning = "columns of C that a thread holds in registers"}),
    batched_member<&BatchedGemm::matrices>(
        {.name = "matrices",
         .meaning = "matrices of a batch that a block computes, each with threads of its own"}),
    batched_member<&BatchedGemm::resident>(
        {.name = "resident",
         .meaning = "blocks per multiprocessor, which bounds registers; 0: left to the compiler",
         .least = 0}),
};

constexpr std::string_view simt_word = "simt", wgmma_word = "wgmma", batched_word = "batched";

std::string_view kernel_word(const GpuGemmSchedule& schedule) {
    if (is_batched(schedule)) return batched_word;
    return is_wgmma(schedule) ? wgmma_word : simt_word;
}

// ---- parsing

[[noreturn]] void fail_schedule(std::string_view text, const std::string& why, const std::string& works) {
    throw UserError("{}\n  schedule: {}\n  {}", why, text, works);
}

/// The words after the kernel, by name.
using Assignments = std::map<std::string, std::string, std::less<>>;

Assignments assignments_of(std::istringstream& words, std::string_view text) {
    Assignments result;
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos)
            fail_schedule(text, fmt::format("'{}' is no parameter of a GPU schedule", word),
                          "parameters look like 'cta_m=128'");
        result.insert_or_assign(word.substr(0, equals), word.substr(equals + 1));
    }
    return result;
}

std::optional<int> parsed_value(const ScheduleParameter& parameter, std::string_view word) {
    if (!parameter.words.empty()) {
        const auto found = std::find(parameter.words.begin(), parameter.words.end(), word);
        if (found == parameter.words.end()) return std::nullopt;
        return static_cast<int>(found - parameter.words.begin());
    }
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    if (!parameter.infeasibility_of(value).empty()) return std::nullopt;
    return value;
}

std::string possible_values(const ScheduleParameter& parameter) {
    return parameter.words.empty() ? fmt::format("{} … {}", parameter.least, parameter.most)
                                   : fmt::format("{}", fmt::join(parameter.words, ", "));
}

std::string parameter_names(std::span<const ScheduleParameter> parameters) {
    std::string result;
    for (const ScheduleParameter& parameter : parameters)
        result += fmt::format("{}{}", result.empty() ? "" : ", ", parameter.name);
    return result;
}

} // namespace

std::string ScheduleParameter::text_of(int value) const {
    return words.empty() ? std::to_string(value) : std::string(words[static_cast<std::size_t>(value)]);
}

std::string ScheduleParameter::infeasibility_of(int value) const {
    if (least <= value && value <= most) return {};
    return fmt::format("{} is {}; {} … {} are possible", name, value, least, most);
}

std::span<const ScheduleParameter> parameters_of(const GpuGemmSchedule& schedule) {
    if (is_wgmma(schedule)) return wgmma_parameters;
    if (is_batched(schedule)) return batched_parameters;
    return simt_parameters;
}

std::optional<GpuGemmSchedule> with_value(const GpuGemmSchedule& schedule, const ScheduleParameter& parameter,
                                          int value) {
    GpuGemmSchedule result = schedule;
    if (!parameter.infeasibility_of(value).empty() || !parameter.set(result, value)) return std::nullopt;
    return result;
}

std::string to_string(const GpuGemmSchedule& schedule) {
    std::string text(kernel_word(schedule));
    for (const ScheduleParameter& parameter : parameters_of(schedule))
        if (const std::optional<int> value = parameter.get(schedule))
            text += fmt::format(" {}={}", parameter.name, parameter.text_of(*value));
    return text;
}

GpuGemmSchedule parse_gpu_schedule(std::string_view text) {
    std::istringstream words{std::string(text)};
    std::string kernel(simt_word);
    if (text.substr(0, text.find(' ')).find('=') == std::string_view::npos) words >> kernel;
    if (kernel != simt_word && kernel != wgmma_word && kernel != batched_word)
        fail_schedule(text, fmt::format("a GPU schedule begins with '{}'", kernel),
                      "begin with 'simt', 'wgmma' or 'batched', as in 'simt cta_m=128 cta_n=128'");
    GpuGemmSchedule result = SimtGemm{};
    if (kernel == wgmma_word) result = WgmmaGemm{};
    if (kernel == batched_word) result = BatchedGemm{};
    Assignments assignments = assignments_of(words, text);
    for (const ScheduleParameter& parameter : parameters_of(result)) {
        const auto found = assignments.find(parameter.name);
        if (found == assignments.end()) continue;
        const std::optional<int> value = parsed_value(parameter, found->second);
        if (!value)
            fail_schedule(text, fmt::format("{} is {}", parameter.name, found->second),
                          fmt::format("possible: {}", possible_values(parameter)));
        if (!parameter.set(result, *value))
            fail_schedule(text, fmt::format("{}={} needs {}", parameter.name, found->second, parameter.needs),
                          fmt::format("leave {} out, or change the others", parameter.name));
        assignments.erase(found);
    }
    if (!assignments.empty())
        fail_schedule(text,
                      fmt::format("'{}={}' is no parameter of a {} schedule", assignments.begin()->first,
                                  assignments.begin()->second, kernel),
                      fmt::format("begin with 'simt', 'wgmma' or 'batched'; parameters of {}: {}", kernel,
                                  parameter_names(parameters_of(result))));
    return result;
}

} // namespace swirl::gemm
