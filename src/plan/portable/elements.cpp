#include "plan/portable/elements.hpp"

namespace swirl::planning {

template <class T>
PortableElements<T>::PortableElements(const std::vector<loops::Location>& locations,
                                      const loops::Memory& memory, bool complex, bool split,
                                      const loops::Pointwise& pointwise,
                                      const std::vector<lower::AuxiliaryArray>& arrays, AddressForms& forms)
    : pointwise_(pointwise) {
    for (const lower::AuxiliaryArray& array : arrays) is_complex_.push_back(array.is_complex);
    for (const loops::Location& location : locations) {
        negative_re_.push_back(location.re_negative);
        negative_im_.push_back(location.im_negative);
    }
    const auto accesses = loops::element_accesses(locations, complex, pointwise);
    for (const loops::ElementAccess& access : accesses.value()) {
        Element element{location_of(access.location.re, access.location, split, forms),
                        location_of(access.location.im, access.location, split, forms),
                        {},
                        access.whole,
                        access.re,
                        access.im};
        if (memory.kind == loops::Memory::Kind::planar) element.im.in = ComponentLocation::In::second;
        for (const Affine& form : access.location.forms.front())
            element.forms.push_back({forms.add(form, access.location), form.constant()});
        elements_.push_back(std::move(element));
    }
}

template <class T>
bool PortableElements<T>::holds(const std::vector<loops::Pointwise::Condition>& conditions,
                                const Element& element, const LaneBases* bases, Integer lane) const {
    for (const auto& [op, form] : conditions) {
        const Integer value = element.forms[static_cast<std::size_t>(form)].at(bases, lane);
        const bool one = op == Op::form_negative      ? value < 0
                         : op == Op::form_nonnegative ? value >= 0
                                                      : value == 0;
        if (!one) return false;
    }
    return true;
}

template <class T>
const Values<T>& PortableElements<T>::apply(NodeEvaluation<T>& evaluation, const Element& element,
                                            const Values<T>& x, const PortableMemory<T>& memory,
                                            const LaneBases* bases, Integer count) const {
    return evaluation.evaluate(
        pointwise_.nodes, count, [&](const loops::Pointwise::Node& node, Values<T>& values) {
            if (node.op == Op::x) {
                values = x;
                return;
            }
            const auto array = static_cast<std::size_t>(node.array);
            values.is_complex = node.op == Op::array && is_complex_[array];
            for (Integer l = 0; l < count; ++l) {
                const auto k = static_cast<std::size_t>(l);
                const Integer form = element.forms[static_cast<std::size_t>(node.form)].at(bases, l);
                switch (node.op) {
                case Op::array:
                    values.re[k] = memory.auxiliary(array, is_complex_[array], false, form);
                    if (values.is_complex) values.im[k] = memory.auxiliary(array, true, true, form);
                    break;
                case Op::form: values.re[k] = static_cast<T>(form); break;
                case Op::form_negative: values.re[k] = form < 0 ? T{1} : T{0}; break;
                case Op::form_nonnegative: values.re[k] = form >= 0 ? T{1} : T{0}; break;
                default: values.re[k] = form == 0 ? T{1} : T{0};
                }
            }
        });
}

template class PortableElements<float>;
template class PortableElements<double>;

} // namespace swirl::planning
