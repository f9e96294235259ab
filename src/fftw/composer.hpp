#pragma once

#include "fftw/guru_problem.hpp"
#include "fftw/sequence.hpp"

#include <span>
#include <utility>
#include <vector>

namespace swirl::fftw {

/// An array of real or complex numbers, one stride for each axis of the problem: its dimensions, then its loops. Strides
/// count real numbers, or complex ones (for planar data, those of one of the two arrays).
struct View {
    Places places = {};
    std::vector<Integer> strides = {};
};

/// Appends transforms to a sequence, and hands out its scratch memory.
class Composer {
public:
    /// `arrays` are those of planning: they say which views share memory.
    Composer(DataType precision, const Arrays& arrays) : precision_(precision), arrays_(arrays) {}
    Sequence take() { return std::move(sequence_); }

    /// Scratch memory, contiguous and row-major, for these lengths.
    View scratch(const std::vector<Integer>& lengths);
    View complex_scratch(const std::vector<Integer>& lengths, ComplexLayout layout);

    /// A transform along some axes; the others are loops around it.
    Transform transform(TransformKind kind, const std::vector<Integer>& lengths,
                        std::span<const std::size_t> along, const View& from, const View& to) const;
    /// Appends a transform of views that share no memory.
    void append(Transform transform, const View& from, const View& to) {
        sequence_.steps.push_back({std::move(transform), from.places, to.places});
    }
    /// Appends a transform of any two views: in place or out of place where that is possible, else into scratch memory, from
    /// which the result is copied.
    void append_any(Transform transform, const std::vector<Integer>& lengths,
                    std::span<const std::size_t> along, const View& from, const View& to);
    /// The copy of real data, element by element.
    Transform identity(const std::vector<Integer>& lengths, const View& from, const View& to) const;
    void copy_complex(const std::vector<Integer>& lengths, ComplexLayout layout, const View& from,
                      const View& to);

private:
    Integer real_bytes() const { return static_cast<Integer>(bytes_of(precision_)); }
    Place take_scratch(Integer reals);
    bool are_one_array(const Transform& transform, const View& from, const View& to) const;
    bool overlap(const Transform& transform, const View& from, const View& to) const;

    DataType precision_;
    Arrays arrays_;
    Sequence sequence_;
};

/// Lengths of the problem's dimensions, then of its loops.
std::vector<Integer> lengths_of(const GuruProblem& problem);

} // namespace swirl::fftw
