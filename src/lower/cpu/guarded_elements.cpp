#include "lower/cpu/guarded_elements.hpp"

namespace swirl::lower {

using Touch = PointwiseEmitter::Touch;

GuardedElements::GuardedElements(Context& context, const Memory& memory,
                                 const std::vector<Location>& locations, std::vector<Access> accesses,
                                 PointwiseEmitter& emitter, bool loading,
                                 const std::optional<VectorLoop>& lane)
    : context_(context),
      memory_(memory),
      buffers_(context.buffers_of(memory)),
      locations_(locations),
      accesses_(std::move(accesses)),
      emitter_(emitter),
      loading_(loading),
      lanes_(lane ? lane->lanes : 1) {
    if (lane) lane_ = lane->loop.variable;
    Integer next = 0;
    for (std::size_t k = 0; k < locations.size(); ++k) {
        slots_.emplace_back();
        if (accesses_[k] == Access::none || emitter.touch({k, 0}, loading) != Touch::sometimes) continue;
        slots_[k] = next;
        next += (is_complex(k) ? 2 : 1) * lanes_;
    }
    if (next == 0) return;
    ir::BufferInfo info;
    info.name = context.fresh("guarded_elements_");
    info.element = context.request.loops.scalar;
    info.space = ir::Space::scratch;
    info.elements = next;
    info.written = true;
    info.nest_depth = ir::BufferInfo::innermost;
    scratch_ = context.builder.add(std::move(info));
}

Affine GuardedElements::staged(std::size_t element, bool imaginary, const Affine& lane) const {
    return lane + slots_[element].value() + (imaginary ? lanes_ : 0);
}

GuardedElements::ComplexValue GuardedElements::load(std::size_t element, const Affine& lane) {
    ir::Builder& builder = context_.builder;
    ComplexValue value;
    value.re = builder.load(scratch_, staged(element, false, lane));
    if (is_complex(element)) value.im = builder.load(scratch_, staged(element, true, lane));
    return value;
}

void GuardedElements::store(std::size_t element, const ComplexValue& value, const Affine& lane) {
    context_.builder.store(scratch_, staged(element, false, lane), value.re);
    if (is_complex(element)) context_.builder.store(scratch_, staged(element, true, lane), value.im);
}

void GuardedElements::read(const Affine& first, Integer count) { move(first, count); }
void GuardedElements::write(const Affine& first, Integer count) { move(first, count); }

void GuardedElements::move(const Affine& first, Integer count) {
    for (std::size_t k = 0; k < slots_.size(); ++k)
        if (is_guarded(k)) move(k, first, count);
}

void GuardedElements::bind(const Affine& iteration) {
    if (lane_) context_.bind(*lane_, iteration);
}

template <class Body>
void GuardedElements::in_lanes(const Affine& first, Integer count, ir::For::Kind kind, Body&& body) {
    if (count == 1) {
        bind(first);
        return body(Affine(0));
    }
    const Affine lane = context_.builder.open_loop(context_.fresh("lane_"), 0, count, 1, kind);
    bind(first + lane);
    body(lane);
    context_.builder.close_loop();
}

std::optional<std::vector<ir::Condition>> GuardedElements::conditions_of_all(std::size_t element,
                                                                             const Affine& first,
                                                                             Integer count) {
    bind(first);
    std::vector<ir::Condition> all = emitter_.conditions({element, 0}, loading_);
    if (count == 1) return all;
    bind(first + (count - 1));
    const std::vector<ir::Condition> at_last = emitter_.conditions({element, 0}, loading_);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const Affine change = at_last[k].form - all[k].form; // over all lanes
        if (change == Affine(0)) continue;
        if (all[k].relation == ir::Condition::Relation::zero) return std::nullopt;
        const bool is_upper = all[k].relation == ir::Condition::Relation::negative;
        if (is_upper == (change.constant() > 0)) all[k] = at_last[k];
    }
    return all;
}

void GuardedElements::move(std::size_t element, const Affine& first, Integer count) {
    const auto clear = [&] {
        if (loading_)
            in_lanes(first, count, ir::For::Kind::vector,
                     [&](const Affine& lane) { clear_lane(element, lane); });
    };
    const auto one_by_one = [&] {
        in_lanes(first, count, ir::For::Kind::serial, [&](const Affine& lane) {
            context_.builder.if_then(
                emitter_.conditions({element, 0}, loading_), [&] { move_lane(element, lane); },
                [&] {
                    if (loading_) clear_lane(element, lane);
                });
        });
    };
    const auto all = conditions_of_all(element, first, count);
    if (!all) return one_by_one();
    bind(first);
    bool is_uniform = true;
    const auto at_first = emitter_.conditions({element, 0}, loading_);
    bind(first + (count - 1));
    const auto at_last = emitter_.conditions({element, 0}, loading_);
    for (std::size_t k = 0; k < at_first.size(); ++k)
        is_uniform = is_uniform && at_first[k].form == at_last[k].form;
    context_.builder.if_then(
        *all,
        [&] {
            in_lanes(first, count, ir::For::Kind::vector,
                     [&](const Affine& lane) { move_lane(element, lane); });
        },
        [&] { count == 1 || is_uniform ? clear() : one_by_one(); });
}

void GuardedElements::move_lane(std::size_t element, const Affine& lane) {
    ir::Builder& builder = context_.builder;
    const Affine re = context_.placed(memory_, locations_[element].re);
    const Affine im = context_.placed(memory_, locations_[element].im);
    if (loading_) {
        ComplexValue value{builder.load(buffers_.re, re)};
        if (is_complex(element)) value.im = builder.load(buffers_.im, im);
        return store(element, value, lane);
    }
    const ComplexValue value = load(element, lane);
    builder.store(buffers_.re, re, value.re);
    if (is_complex(element)) builder.store(buffers_.im, im, value.im);
}

void GuardedElements::clear_lane(std::size_t element, const Affine& lane) {
    store(element, emitter_.zero(is_complex(element)), lane);
}

} // namespace swirl::lower
