#include "fftw/plan.hpp"

#include "ir/count.hpp"
#include "plan/schedule.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <utility>

namespace swirl::fftw {
namespace {

struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
};

char* at(const std::array<char*, memories>& bases, const Place& place) {
    return bases[static_cast<std::size_t>(place.memory)] + place.offset;
}

planning::Arguments arguments_of(const Plan::Part& part, const std::array<char*, memories>& bases) {
    return {.input = at(bases, part.from[0]),
            .output = at(bases, part.to[0]),
            .input_imaginary = at(bases, part.from[1]),
            .output_imaginary = at(bases, part.to[1])};
}

[[noreturn]] void give_up(const std::exception& reason) {
    fmt::print(stderr, "swirl: fftw_execute: {}\n", reason.what());
    std::abort();
}

} // namespace

Plan::Plan(std::vector<Part> parts, const Sequence& sequence, const Arrays& arrays, bool is_backward)
    : parts_(std::move(parts)),
      scratch_bytes_(sequence.scratch_bytes),
      arrays_(arrays),
      is_backward_(is_backward) {
    if (parts_.size() == 1 && scratch_bytes_ == 0)
        bound_ = parts_[0].plan->bound(arguments_of(parts_[0], bases_of(arrays_)));
}

Plan::Bases Plan::bases_of(const Arrays& arrays) {
    return {static_cast<char*>(arrays.input_real), static_cast<char*>(arrays.input_imaginary),
            static_cast<char*>(arrays.output_real), static_cast<char*>(arrays.output_imaginary), nullptr};
}

void Plan::execute(const Arrays& arrays) const {
    if (foreign_ != nullptr) return foreign_->execute(arrays.input_real, arrays.output_real);
    const Bases bases = bases_of(arrays);
    try {
        if (scratch_bytes_ == 0)
            run(bases);
        else
            run_with_scratch(bases);
    } catch (const std::exception& reason) {
        give_up(reason);
    }
}

void Plan::run(Bases bases) const {
    for (const Part& part : parts_) part.plan->execute(arguments_of(part, bases));
}

void Plan::run_with_scratch(Bases bases) const {
    const std::unique_ptr<char, Free> scratch(
        static_cast<char*>(std::aligned_alloc(scratch_alignment, scratch_bytes_)));
    if (scratch == nullptr) throw std::bad_alloc();
    bases[static_cast<std::size_t>(Memory::scratch)] = scratch.get();
    run(bases);
}

double Plan::flops() const {
    if (foreign_ != nullptr) return foreign_->flops();
    double flops = 0;
    for (const Part& part : parts_) flops += part.plan->flops();
    return flops;
}

Plan::Operations Plan::operations() const {
    Operations sum;
    if (foreign_ != nullptr) sum.additions = foreign_->flops();
    for (const Part& part : parts_)
        for (const planning::PassDescription& pass : part.plan->describe()) {
            const ir::OperationCounts counts = ir::count_operations(pass.program, {.lanes = true});
            sum.additions += static_cast<double>(counts.additions);
            sum.multiplications += static_cast<double>(counts.multiplications + counts.divisions);
            sum.fused += static_cast<double>(counts.fused);
        }
    return sum;
}

std::string Plan::text() const {
    if (foreign_ != nullptr) return "(swirl\n" + foreign_->text() + ")";
    std::string text = "(swirl";
    for (const Part& part : parts_)
        text += fmt::format("\n  \"{}\"  {}", to_text(part.plan->problem()),
                            planning::to_string(part.plan->schedule()));
    return text + ")";
}

} // namespace swirl::fftw
