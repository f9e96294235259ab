#pragma once

#include "formula/chirp_spectrum.hpp"
#include "loops/twiddle.hpp"
#include "plan/portable/addresses.hpp"
#include "plan/portable/codelet.hpp"
#include "plan/portable/elements.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace swirl::planning {

/// Mutable state of a running kernel; all in workspace.
template <class T> struct PortableState {
    PortableMemory<T> memory;
    Integer* values;  ///< by variable
    LaneBases* bases; ///< one per form of the current call
    T* lanes;         ///< the call's entries, before and after the codelet
};

/// The spectrum of a long chirp, whose entries are evaluated as they are multiplied by.
struct PortableSpectrum {
    formula::ChirpSpectrumFunction function;
    Integer first; ///< index where the form is 0
    std::shared_ptr<const formula::ChirpSpectrum> values;
};

/// A twiddle factor in every lane.
template <class T> struct PortableFactor {
    T re = 1;
    T im = 0;
    std::optional<std::size_t> form; ///< of the row in `table`; absent: the constant above
    std::vector<T> table_re = {};
    std::vector<T> table_im = {};
    std::optional<PortableSpectrum> spectrum = {}; ///< instead of a table; `form` is its index

    bool is_one() const { return !form && re == 1 && im == 0; }
};

/// A loops::Call prepared for execution: addresses, twiddle tables, the codelet.
template <class T> class PortableCall {
public:
    /// `split`: by array, whether the caller stores it as two.
    PortableCall(const loops::Call& call, const lower::KernelRequest& request,
                 const loops::LoopProgram& program, const std::vector<loops::Loop>& around,
                 const std::vector<bool>& split);
    PortableCall(const PortableCall&) = delete;
    PortableCall& operator=(const PortableCall&) = delete;

    void run(const PortableState<T>& state) const;

    std::size_t forms() const { return forms_.size(); }
    std::size_t lane_elements() const; ///< required size of PortableState::lanes

    // ---- for descriptions: over all iterations of the call, without the loops around it
    Integer flops() const;
    Integer elements_loaded() const; ///< scalars, tables included
    Integer elements_stored() const;
    std::size_t table_bytes() const;

private:
    struct SpectrumEntry {
        ComponentLocation at;
        bool conjugate;
    };
    struct Entry {
        ComponentLocation re;
        ComponentLocation im;
        bool re_negative;
        bool im_negative;
        std::vector<std::size_t> factors;   ///< indices of its twiddle factors
        std::vector<SpectrumEntry> spectra; ///< factors in the convolution's auxiliary array
    };
    std::vector<Entry> entries_of(const std::vector<loops::Location>& locations, const loops::Memory& memory,
                                  const loops::LoopProgram& program, bool split);
    PortableFactor<T> twiddle_of(const loops::Twiddle& factor, const loops::Extents& extents);
    std::shared_ptr<const formula::ChirpSpectrum> values_of(
        const formula::ChirpSpectrumFunction& function) const;
    template <class F> void for_each_factor(F&& f) const; ///< for each entry of both sides
    T* lane(T* lanes, std::size_t entry) const { return lanes + static_cast<Integer>(entry) * lanes_; }
    void load(const PortableState<T>& state, const LaneVector<T>& x, Integer count) const;
    void store(const PortableState<T>& state, const LaneVector<T>& y, Integer count) const;
    void multiply(const Entry& entry, const PortableState<T>& state, T* re, T* im, Integer count) const;
    void multiply(const PortableFactor<T>& factor, const LaneBases* bases, T* re, T* im, Integer count) const;

    int input_;
    int output_;
    bool complex_;
    Integer rows_;
    Integer lanes_; ///< iterations run at once
    Iterations iterations_;
    AddressForms forms_;
    std::optional<PortableCodelet<T>> codelet_; ///< absent: copies and zeros only
    std::vector<Entry> sources_;
    std::vector<Entry> targets_;
    std::vector<PortableFactor<T>> factors_;
    std::size_t spectrum_ = 0;                  ///< the convolution's auxiliary array
    std::optional<PortableElements<T>> loads_;  ///< replaces plain accesses
    std::optional<PortableElements<T>> stores_; ///< the same
};

} // namespace swirl::planning
