#pragma once

#include "loops/loop_program.hpp"

#include <span>
#include <vector>

/// Addresses of a call's entries for several iterations at once.
namespace swirl::planning {

/// Maximum number of iterations that a portable kernel runs at once.
constexpr Integer max_lanes = 64;

/// Offset of a set of entries, besides their constants, in each of the iterations that run at once.
struct LaneBases {
    bool uniform; ///< lane l is first + l·stride; otherwise each lane is listed
    Integer first;
    Integer stride;
    Integer lanes[max_lanes];

    Integer operator[](Integer lane) const { return uniform ? first + lane * stride : lanes[lane]; }
};

/// A call's loops as one sequence of iterations, the last loop fastest.
class Iterations {
public:
    explicit Iterations(std::vector<loops::Loop> loops);

    Integer count() const { return count_; }
    const std::vector<loops::Loop>& loops() const { return loops_; }

    void start(Integer* values) const {
        for (const loops::Loop& loop : loops_) values[loop.variable] = 0;
    }
    /// Whether the next `lanes` iterations differ only in the last loop's variable.
    bool is_consecutive(const Integer* values, Integer lanes) const {
        return lanes == 1 || values[loops_.back().variable] + lanes <= loops_.back().count;
    }
    void advance(Integer* values, Integer by) const {
        for (std::size_t k = loops_.size(); k-- > 0 && by > 0;) {
            Integer& value = values[loops_[k].variable];
            value += by;
            by = value / loops_[k].count;
            value %= loops_[k].count;
        }
    }

private:
    std::vector<loops::Loop> loops_;
    Integer count_ = 1;
};

/// The distinct linear forms of a call's addresses. Entries whose addresses differ by a constant share a form.
class AddressForms {
public:
    /// `around`: the loops around the call, outermost first.
    AddressForms(const Iterations& iterations, std::vector<loops::Loop> around);

    /// Index of the form of `address`; the constant is left to the entry.
    std::size_t add(const Affine& address) { return add({terms_of(address), {}, 0}); }
    /// The same for a location that may have an index table; `address` is its `re` or `im`.
    std::size_t add(const Affine& address, const loops::Location& location);

    std::size_t size() const { return forms_.size(); }
    /// All loops; those of the call come last.
    const std::vector<loops::Loop>& loops() const { return loops_; }

    /// Fills one LaneBases per form for the next `lanes` iterations and advances past them.
    void next(Integer* values, Integer lanes, std::span<LaneBases> bases) const;

private:
    struct Form {
        Affine::Terms terms;
        std::vector<Integer> table; ///< empty, or the offsets that its row `row` adds
        Affine row;
        bool operator==(const Form&) const = default;
    };
    static Affine::Terms terms_of(const Affine& address) { return address.terms(); }
    std::size_t add(Form form);
    static Integer evaluate(const Form& form, const Integer* values);

    const Iterations& iterations_;
    std::vector<loops::Loop> loops_;
    std::vector<Form> forms_;
    std::vector<Integer> strides_; ///< by form, along the call's last loop
};

/// Row index in a table over the values of the loops' variables, the last loop fastest.
Affine row_of(const std::vector<loops::Loop>& loops);

} // namespace swirl::planning
