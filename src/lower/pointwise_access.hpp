#pragma once

#include "lower/emit_pointwise.hpp"
#include "lower/gpu_parts.hpp"

#include <optional>
#include <vector>

/// The caller's numbers at a call's places, with what is done to each.
namespace swirl::lower {

/// A number in memory, and which entries of a call are its parts.
struct NumberAt {
    /// A place's real part, or its imaginary one.
    struct Part {
        std::size_t place;
        bool imaginary;
    };
    Location location; ///< of its real part, with one list of forms
    bool whole = true; ///< the number is complex
    std::optional<Part> re;
    std::optional<Part> im;
};

/// The numbers that places are, or are parts of. Nothing where reals of a half spectrum do not tell which part they are.
std::optional<std::vector<NumberAt>> numbers_at(const std::vector<Location>& places, bool complex,
                                                const std::optional<Pointwise>& pointwise);

/// Whether the number, in all iterations, is one of a half spectrum that has no imaginary part.
bool is_real_number(const NumberAt& number, const Pointwise::HalfSpectrum& half, const Extents& extents);

/// Whether steps that read or write a half spectrum on which something is done have what that takes: they know which part each real
/// is, and write both parts of a number in one iteration.
bool has_whole_numbers(const GpuParts& parts, const std::optional<Pointwise>& load,
                       const std::optional<Pointwise>& store);

/// Reads numbers and does to them what is asked for; or writes what becomes of them.
class PointwiseAccess {
public:
    PointwiseAccess(Context& context, const Memory& memory, const std::vector<Location>& places, bool complex,
                    const std::optional<Pointwise>& pointwise, const std::vector<Loop>& loops);

    std::vector<Scaled> load(); ///< the call's sources
    void store(const std::vector<Scaled>& targets, Arithmetic& arithmetic);

private:
    using Part = PointwiseEmitter::Part;
    using Number = PointwiseEmitter::Number;
    using Touch = PointwiseEmitter::Touch;

    Number loaded(std::size_t number);
    Number guarded(std::size_t number);
    void store(std::size_t number, const Number& value);
    Integer scalars_of_element() const;

    Context& context_;
    const Memory memory_;
    const Buffers buffers_;
    const std::vector<Location>& places_;
    const std::optional<Pointwise>& pointwise_;
    std::vector<NumberAt> numbers_;
    std::vector<Location> locations_; ///< of the numbers
    IndexTables tables_;
    PointwiseEmitter emitter_;
};

} // namespace swirl::lower
