#include "cli/blas.hpp"

#include "base/error.hpp"
#include "blas/routines.hpp"

#include <charconv>
#include <complex>
#include <optional>
#include <string_view>

namespace swirl::cli {

namespace {

using blas::TriangularTask;

constexpr std::string_view usage =
    "use a routine, its letters and the extents of B, as in 'dtrsm LLNN 100x300' (side, triangle, "
    "transposition, diagonal), 'dtrmm RUTU 64x64', 'dsymm LU 100x300' or 'zhemm RL 64x64'";

/// A routine without the letter of its data type.
struct Routine {
    std::string_view name;
    std::size_t letters;
    bool is_complex_only = false;
};
constexpr Routine routines[] = {{"trmm", 4}, {"trsm", 4}, {"symm", 2}, {"hemm", 2, true}};

const Routine* routine_of(const std::string& word) {
    for (const Routine& routine : routines)
        if (word.size() == 5 && word.substr(1) == routine.name) {
            const std::string_view types = routine.is_complex_only ? "cz" : "sdcz";
            if (types.find(word.front()) != std::string_view::npos) return &routine;
        }
    return nullptr;
}

struct Extents {
    Integer m = 0, n = 0;
};
std::optional<Extents> extents_of(const std::string& word) {
    Extents extents;
    const char* const end = word.data() + word.size();
    const auto first = std::from_chars(word.data(), end, extents.m);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != 'x') return std::nullopt;
    const auto second = std::from_chars(first.ptr + 1, end, extents.n);
    if (second.ec != std::errc() || second.ptr != end || extents.m < 1 || extents.n < 1) return std::nullopt;
    return extents;
}

template <class Call> Call checked(const Call& call, const std::vector<std::string>& words) {
    if (call.first_wrong() != 0)
        throw UserError("'{}': the letters '{}' are not those of {}\n  {}", words[0], words[1], words[0],
                        usage);
    return call;
}

template <class T>
std::vector<ir::Program> programs_of(const std::vector<std::string>& words, const Extents& extents,
                                     const target::Cpu& cpu) {
    const std::string name = words[0].substr(1), &letters = words[1];
    const auto [m, n] = extents;
    const Integer order = blas::is(letters[0], 'L') ? m : n;
    if (name == "symm" || name == "hemm") {
        const blas::Symm<T> call{letters[0], letters[1], m, n,    T(1),    nullptr,
                                 order,      nullptr,    m, T(0), nullptr, m};
        return blas::programs_of(checked(call, words), name == "hemm", cpu);
    }
    const blas::Trmm<T> call{letters[0], letters[1], letters[2], letters[3], m, n,
                             T(1),       nullptr,    order,      nullptr,    m};
    return blas::programs_of(name == "trsm" ? TriangularTask::solve : TriangularTask::multiply,
                             checked(call, words), cpu);
}

} // namespace

bool is_blas_routine(const std::vector<std::string>& words) {
    return !words.empty() && routine_of(words.front()) != nullptr;
}

std::vector<ir::Program> blas_programs(const std::vector<std::string>& words, const target::Cpu& cpu) {
    const Routine& routine = *routine_of(words.front());
    if (words.size() != 3 || words[1].size() != routine.letters)
        throw UserError("'{}' takes {} letters and two extents\n  {}", words.front(), routine.letters, usage);
    const std::optional<Extents> extents = extents_of(words[2]);
    if (!extents) throw UserError("'{}' are no extents of a matrix\n  {}", words[2], usage);
    if (cpu.set == target::InstructionSet::portable || cpu.emitted_only)
        throw UserError("no code of routines is generated for {}", cpu.name);
    switch (words.front().front()) {
    case 's': return programs_of<float>(words, *extents, cpu);
    case 'd': return programs_of<double>(words, *extents, cpu);
    case 'c': return programs_of<std::complex<float>>(words, *extents, cpu);
    default: return programs_of<std::complex<double>>(words, *extents, cpu);
    }
}

} // namespace swirl::cli
