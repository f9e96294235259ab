#pragma once

#include "cli/output.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "search/cost/cpu/machine_model.hpp"
#include "search/timer/cpu/timing.hpp"

#include <string>

namespace swirl::cli {

/// The lower bounds for a plan on this machine, which is probed first if wisdom has no probe.
search::Floors floors_of(const planning::Plan& plan);
search::Floors floors_of(const MatrixProduct& product, double flops);

/// The probe that they use.
const search::HostProbe& this_probe();

/// The model of this machine, by the same probe.
search::MachineModel this_machine();

/// "arithmetic 281 ns, traffic 61.6 ns (L1): arithmetic binds"
std::string describe_floors(const search::Floors& floors);

Json json_of_floors(const search::Floors& floors);

/// Which of the two is binding: "arithmetic" or "traffic".
const char* binding_name(const search::Floors& floors);

} // namespace swirl::cli
