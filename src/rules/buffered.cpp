//   DFT_n = tile(DFT_n),  RDFT_n = tile(RDFT_n)
//
// The transform itself, as a tile of the loops around it. It is for loops whose neighbouring iterations are neighbours in
// memory, on one side or both, where the transform's entries are not: a few transforms together are copied between the
// caller's array and contiguous buffers, so that whole cache lines are used (FFTW's "buffered" solvers: Frigo and Johnson
// 2005, section 4.2).

#include "rules/building_blocks.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_buffered(const Formula& f) {
    if (!f.is<Dft>() && !f.is<RealDft>()) return not_a("DFT or RDFT");
    if (f.rows() < 2) return rejected("one point needs no buffer");
    return accepted();
}

Formula build_buffered(const Formula& f, const Choice& choice) {
    require(buffered.name, f, applicable_buffered(f));
    require_choice(choice.empty(), buffered.name, f, choice, "nothing");
    return formula::tile(f);
}

} // namespace

constinit const BreakdownRule buffered = {
    .name = "buffered",
    .identity = "DFT_n = tile(DFT_n), RDFT_n = tile(RDFT_n)",
    .applicable = applicable_buffered,
    .choices = one_choice,
    .build = build_buffered,
};

} // namespace swirl::rules
