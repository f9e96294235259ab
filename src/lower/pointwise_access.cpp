#include "lower/pointwise_access.hpp"

#include "base/error.hpp"
#include "lower/emit_element.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

std::vector<Location> locations_of(const std::vector<ElementAccess>& accesses) {
    std::vector<Location> element_locations;
    for (const ElementAccess& element : accesses) element_locations.push_back(element.location);
    return element_locations;
}

} // namespace

PointwiseAccess::PointwiseAccess(Context& context, const Memory& memory,
                                 const std::vector<Location>& locations, bool complex,
                                 const std::optional<Pointwise>& pointwise, const std::vector<Loop>& loops,
                                 bool loading, const std::optional<VectorLoop>& lane)
    : context_(context),
      memory_(memory),
      buffers_(context.buffers_of(memory)),
      locations_(locations),
      pointwise_(pointwise),
      accesses_(element_accesses(locations, complex, pointwise).value()),
      element_locations_(locations_of(accesses_)),
      tables_(context, element_locations_, loops),
      emitter_(context, pointwise, element_locations_, loops),
      loading_(loading) {
    if (context.request.loops.for_gpu) return;
    using Access = GuardedElements::Access;
    std::vector<Access> accesses;
    for (const ElementAccess& element : accesses_) {
        const bool is_skipped = !loading && !element.re; // the zero next to a real element
        accesses.push_back(is_skipped ? Access::none : element.whole ? Access::complex : Access::real);
    }
    guarded_.emplace(context, memory, element_locations_, std::move(accesses), emitter_, loading, lane);
}

void PointwiseAccess::before(const Affine& first, Integer count) {
    if (loading_) guarded_->read(first, count);
}

void PointwiseAccess::after(const Affine& first, Integer count) {
    if (!loading_) guarded_->write(first, count);
}

void PointwiseAccess::set_lane(const Affine& lane) {
    lane_ = lane;
    emitter_.set_lane(lane.is_constant() ? std::nullopt : std::optional(lane.terms().front().variable));
}

Integer PointwiseAccess::scalars_of_element() const {
    return memory_.kind == Memory::Kind::interleaved || pointwise_->half ? 2 : 1;
}

/// The element in memory if it is to be accessed, else zero.
PointwiseAccess::ComplexValue PointwiseAccess::guarded(std::size_t position) {
    const bool whole = accesses_[position].whole;
    const Component component{position, 0};
    const Touch touch = emitter_.touch(component, true);
    if (touch == Touch::never) return emitter_.zero(whole);
    if (guarded_ && touch == Touch::sometimes) return guarded_->load(position, lane_);
    const Location& location = element_locations_[position];
    ir::Builder& builder = context_.builder;
    Affine index = context_.placed(memory_, location.re);
    ir::Value dynamic = tables_.dynamic(position), chooser = ir::no_value;
    if (touch == Touch::sometimes) {
        chooser = emitter_.condition(component, true);
        ir::Value wanted = builder.index(index);
        if (dynamic != ir::no_value) wanted = builder.add(wanted, dynamic);
        const ir::Value instead = emitter_.integer(component, pointwise_->safe, scalars_of_element());
        dynamic = builder.select(chooser, wanted, instead);
        index = 0;
    }
    ComplexValue value;
    if (whole && !is_one_access(context_, memory_, location)) {
        const bool adjacent = location.im == location.re + 1;
        ensure(chooser == ir::no_value || adjacent, "separate components of an element that may not be read");
        value.re = builder.load(buffers_.re, index, {.dynamic = dynamic});
        value.im = builder.load(buffers_.im, adjacent ? index + 1 : context_.placed(memory_, location.im),
                                {.dynamic = dynamic});
    } else if (whole) {
        const ir::Value both =
            builder.load(buffers_.re, index, {.lanes = 2, .active = 2, .dynamic = dynamic});
        value = {builder.shuffle(both, both, {0}), builder.shuffle(both, both, {1})};
    } else {
        value.re = builder.load(buffers_.re, index, {.dynamic = dynamic});
    }
    if (chooser == ir::no_value) return value;
    const ComplexValue zero = emitter_.zero(whole);
    value.re = builder.select(chooser, value.re, zero.re);
    if (whole) value.im = builder.select(chooser, value.im, zero.im);
    return value;
}

/// Reads an element and applies the load callback.
PointwiseAccess::ComplexValue PointwiseAccess::loaded(std::size_t index) {
    const Component component{index, 0};
    const ComplexValue value = emitter_.apply(component, guarded(index));
    const Touch touch = emitter_.touch(component, false);
    if (touch == Touch::always) return value;
    const ComplexValue zero = emitter_.zero(accesses_[index].whole);
    if (touch == Touch::never) return zero;
    if (guarded_) return emitter_.masked(component, value);
    const ir::Value chooser = emitter_.condition(component, false);
    ir::Builder& builder = context_.builder;
    return {builder.select(chooser, value.re, zero.re),
            zero.im == ir::no_value ? ir::no_value : builder.select(chooser, value.im, zero.im)};
}

std::vector<Scaled> PointwiseAccess::load() {
    std::vector<Scaled> sources(locations_.size());
    for (std::size_t k = 0; k < accesses_.size(); ++k) {
        const ComplexValue value = loaded(k);
        const auto put = [&](const ElementAccess::Component& component, ir::Value own) {
            const Location& location = locations_[component.position];
            if (component.imaginary)
                sources[component.position].im = {own, location.im_negative};
            else
                sources[component.position].re = {own, location.re_negative};
        };
        if (accesses_[k].re) put(*accesses_[k].re, value.re);
        if (accesses_[k].im) put(*accesses_[k].im, value.im);
    }
    return sources;
}

void PointwiseAccess::store(std::size_t position, const ComplexValue& value) {
    const Component component{position, 0};
    const Location& location = element_locations_[position];
    const Touch touch = emitter_.touch(component, false);
    if (touch == Touch::never) return;
    ir::Builder& builder = context_.builder;
    const ir::Value dynamic = tables_.dynamic(position);
    const auto write = [&] {
        const ComplexValue result = emitter_.apply(component, value);
        const Affine index = context_.placed(memory_, location.re);
        if (!accesses_[position].whole)
            return builder.store(buffers_.re, index, result.re, {.dynamic = dynamic});
        if (is_one_access(context_, memory_, location))
            return builder.store(buffers_.re, index, builder.shuffle(result.re, result.im, {0, 1}),
                                 {.active = 2, .dynamic = dynamic});
        builder.store(buffers_.re, index, result.re, {.dynamic = dynamic});
        builder.store(buffers_.im, context_.placed(memory_, location.im), result.im, {.dynamic = dynamic});
    };
    if (touch == Touch::always)
        write();
    else if (guarded_)
        guarded_->store(position, emitter_.apply(component, value), lane_);
    else
        builder.if_then(emitter_.conditions(component, false), write);
}

void PointwiseAccess::store(const std::vector<Scaled>& targets, Arithmetic& arithmetic) {
    const auto value_of = [&](const ElementAccess::Component& component) {
        const Location& location = locations_[component.position];
        const Scaled& target = targets[component.position];
        const Real& value = component.imaginary ? target.im : target.re;
        const bool negative = component.imaginary ? location.im_negative : location.re_negative;
        return arithmetic.materialize(negative ? -value : value);
    };
    for (std::size_t k = 0; k < accesses_.size(); ++k) {
        const ElementAccess& element = accesses_[k];
        if (!element.re) continue; // the zero next to a real element, written with it
        ComplexValue value{value_of(*element.re), ir::no_value};
        if (element.whole) value.im = element.im ? value_of(*element.im) : emitter_.zero(true).im;
        store(k, value);
    }
}

} // namespace swirl::lower
