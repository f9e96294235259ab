#pragma once

#include "lower/pointwise_access.hpp"
#include "plan/expression_evaluation.hpp"
#include "plan/portable/addresses.hpp"
#include "plan/portable/memory.hpp"
#include "plan/transform/cpu/plan.hpp"

#include <optional>
#include <vector>

namespace swirl::planning {

/// The elements of the caller's memory that a portable call reads through a load callback, or writes through a store
/// callback.
template <class T> class PortableElements {
public:
    /// `arrays`: all auxiliary arrays of the problem. `split`: whether the caller stores the memory as two arrays.
    PortableElements(const std::vector<loops::Location>& locations, const loops::Memory& memory, bool complex,
                     bool split, const loops::Pointwise& pointwise,
                     const std::vector<lower::AuxiliaryArray>& arrays, AddressForms& forms);

    /// One entry of the call in all iterations that run at once.
    struct Lanes {
        T* re;
        T* im;
    };
    /// `entry(k)`: the lanes of the call's entry k.
    template <class Entry>
    void load(const PortableMemory<T>& memory, int array, const LaneBases* bases, Integer count,
              Entry&& entry) const;
    template <class Entry>
    void store(const PortableMemory<T>& memory, int array, const LaneBases* bases, Integer count,
               Entry&& entry) const;

private:
    using Op = loops::Pointwise::Op;
    /// The value of a form: a base, by its index, plus a constant.
    struct Form {
        std::size_t base;
        Integer constant;
        Integer at(const LaneBases* bases, Integer lane) const { return bases[base][lane] + constant; }
    };
    struct Element {
        ComponentLocation re;
        ComponentLocation im;
        std::vector<Form> forms;
        bool whole; ///< complex
        /// The entries of the call that are its components.
        std::optional<loops::ElementAccess::Component> of_re;
        std::optional<loops::ElementAccess::Component> of_im;
    };
    bool holds(const std::vector<loops::Pointwise::Condition>& conditions, const Element& element,
               const LaneBases* bases, Integer lane) const;
    const Values<T>& apply(NodeEvaluation<T>& evaluation, const Element& element, const Values<T>& x,
                           const PortableMemory<T>& memory, const LaneBases* bases, Integer count) const;

    const loops::Pointwise pointwise_;
    std::vector<bool> is_complex_;                ///< by auxiliary array
    std::vector<bool> negative_re_, negative_im_; ///< by entry: memory holds the negated component
    std::vector<Element> elements_;
};

template <class T>
template <class Entry>
void PortableElements<T>::load(const PortableMemory<T>& memory, int array, const LaneBases* bases,
                               Integer count, Entry&& entry) const {
    NodeEvaluation<T> evaluation;
    for (const Element& element : elements_) {
        Values<T> x;
        x.is_complex = element.whole;
        for (Integer l = 0; l < count; ++l) {
            const auto k = static_cast<std::size_t>(l);
            const bool is_read =
                holds(pointwise_.where, element, bases, l) && holds(pointwise_.needed, element, bases, l);
            x.re[k] = is_read ? memory.read(array, element.re, bases, l) : T{0};
            x.im[k] = is_read && element.whole ? memory.read(array, element.im, bases, l) : T{0};
        }
        const Values<T>& value = apply(evaluation, element, x, memory, bases, count);
        for (Integer l = 0; l < count; ++l) {
            const auto k = static_cast<std::size_t>(l);
            const bool is_there = holds(pointwise_.where, element, bases, l);
            const auto put = [&](const loops::ElementAccess::Component& to, T stored) {
                const Lanes lanes = entry(to.position);
                const bool negative = (to.imaginary ? negative_im_ : negative_re_)[to.position];
                const T found = is_there ? stored : T{0};
                (to.imaginary ? lanes.im : lanes.re)[l] = negative ? -found : found;
            };
            if (element.of_re) put(*element.of_re, value.re[k]);
            if (element.of_im) put(*element.of_im, value.is_complex ? value.im[k] : T{0});
        }
    }
}

template <class T>
template <class Entry>
void PortableElements<T>::store(const PortableMemory<T>& memory, int array, const LaneBases* bases,
                                Integer count, Entry&& entry) const {
    NodeEvaluation<T> evaluation;
    for (const Element& element : elements_) {
        if (!element.of_re) continue; // the zero next to a real element, written with it
        Values<T> x;
        x.is_complex = element.whole;
        for (Integer l = 0; l < count; ++l) {
            const auto take = [&](const loops::ElementAccess::Component& from) {
                const Lanes lanes = entry(from.position);
                const T value = (from.imaginary ? lanes.im : lanes.re)[l];
                return (from.imaginary ? negative_im_ : negative_re_)[from.position] ? -value : value;
            };
            const auto k = static_cast<std::size_t>(l);
            x.re[k] = take(*element.of_re);
            x.im[k] = element.of_im ? take(*element.of_im) : T{0};
        }
        const Values<T>& value = apply(evaluation, element, x, memory, bases, count);
        for (Integer l = 0; l < count; ++l) {
            if (!holds(pointwise_.where, element, bases, l)) continue;
            const auto k = static_cast<std::size_t>(l);
            memory.write(array, element.re, bases, l, value.re[k]);
            if (element.whole)
                memory.write(array, element.im, bases, l, value.is_complex ? value.im[k] : T{0});
        }
    }
}

} // namespace swirl::planning
