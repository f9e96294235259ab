#pragma once

#include "lower/factors.hpp"
#include "plan/portable_addresses.hpp"
#include "plan/portable_codelet.hpp"

#include <optional>
#include <vector>

namespace swirl::planning {

/// An array of a loop program in memory. Planar: its two parts. Else its scalars; `second` is null, or where the
/// program's one array is two in the caller's memory: then scalar 2k is first[k] and scalar 2k + 1 second[k].
template <class T> struct ArrayPointers {
    T* first;
    T* second;
};

/// Where one part of an entry lies in every iteration.
struct PartPlace {
    enum class In : std::uint8_t { first, second, either /**< the parity of the address says */ };
    In in;
    std::size_t form;
    Integer offset;
};

/// Where a running kernel keeps what changes; all of it workspace.
template <class T> struct PortableState {
    const ArrayPointers<T>* arrays; ///< by Memory::array
    Integer* values;                ///< by variable
    LaneBases* bases;               ///< one a form of the call at hand
    T* lanes;                       ///< for the call's entries, before and after the codelet
};

/// What an entry is multiplied by, in every lane.
template <class T> struct PortableFactor {
    T re = 1;
    T im = 0;
    std::optional<std::size_t> form; ///< of the row in `table`; absent: the constant above
    std::vector<T> table_re = {};
    std::vector<T> table_im = {};

    bool is_one() const { return !form && re == 1 && im == 0; }
};

/// One lower::Call made ready to run: addresses, tables of factors, the codelet.
template <class T> class PortableCall {
public:
    /// `split`: by array, whether it is two in the caller's memory.
    PortableCall(const lower::Call& call, const lower::LoopProgram& program,
                 const std::vector<lower::Loop>& around, const std::vector<bool>& split);
    PortableCall(const PortableCall&) = delete;
    PortableCall& operator=(const PortableCall&) = delete;

    void run(const PortableState<T>& state) const;

    std::size_t forms() const { return forms_.size(); }
    std::size_t lane_elements() const; ///< that PortableState::lanes needs

    // ---- for descriptions: of all iterations, the loops around not counted
    Integer flops() const;
    Integer elements_loaded() const; ///< scalars; those of tables too
    Integer elements_stored() const;
    std::size_t table_bytes() const;

private:
    struct Entry {
        PartPlace re;
        PartPlace im;
        bool re_negative;
        bool im_negative;
        std::vector<std::size_t> factors; ///< numbers of those it is multiplied by
    };
    std::vector<Entry> entries_of(const std::vector<lower::Location>& places, const lower::Memory& memory,
                                  const lower::LoopProgram& program, bool split);
    PartPlace place_of(const Affine& address, const lower::Location& place, bool split);
    PortableFactor<T> factor_of(const lower::Factor& factor);
    template <class F> void for_each_factor(F&& f) const; ///< of each entry of both sides
    T* lane(T* lanes, std::size_t entry) const { return lanes + static_cast<Integer>(entry) * lanes_; }
    void load(const PortableState<T>& state, const LaneVector<T>& x, Integer count) const;
    void store(const PortableState<T>& state, const LaneVector<T>& y, Integer count) const;
    void multiply(const PortableFactor<T>& factor, const LaneBases* bases, T* re, T* im, Integer count) const;

    int input_;
    int output_;
    bool complex_;
    Integer rows_;
    Integer lanes_; ///< iterations run at once
    Iterations iterations_;
    AddressForms forms_;
    std::optional<PortableCodelet<T>> codelet_; ///< absent: copies and zeros
    std::vector<Entry> sources_;
    std::vector<Entry> targets_;
    std::vector<PortableFactor<T>> factors_;
};

} // namespace swirl::planning
