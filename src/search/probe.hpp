#pragma once

#include "search/machine.hpp"
#include "search/probe_kernels.hpp"
#include "search/probe_pages.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::search {

class Wisdom;

/// Bytes a second that one core moves when its data lies at one level of the memory hierarchy.
struct Bandwidth {
    std::string level;       ///< "L1", "L2", …, "memory"
    Integer working_set = 0; ///< bytes that were gone through
    double read = 0;
    double write = 0;
    double copy = 0; ///< bytes read plus bytes written
    bool operator==(const Bandwidth&) const = default;
};

/// What one core of the machine can do at best: the floors under every transform.
struct MachineProbe {
    Machine machine;
    std::string measured_with; ///< ProbeKernels::made_of
    double flops_float32 = 0;  ///< a second, fused multiply-adds as two
    double flops_float64 = 0;
    double latency_float32 = 0; ///< seconds until a multiply-add's result can go into the next one
    double latency_float64 = 0;
    int vector_registers = 0;         ///< that values stay in: the CPU's table says so
    std::vector<Bandwidth> bandwidth; ///< from the first cache to memory
    std::vector<PageCost> pages;      ///< by number
    bool operator==(const MachineProbe&) const = default;

    /// Multiply-adds of vectors that have to be on their way at once, so that none waits.
    double multiply_adds_at_once(double flops, double latency, int scalar_bytes) const {
        return flops * latency * scalar_bytes / (2 * machine.vector_bytes);
    }
    /// The fastest level that holds so many bytes.
    const Bandwidth& level_holding(Integer bytes) const;
};

struct ProbeOptions {
    double budget = 1.2;            ///< seconds for all measurements, roughly
    Integer memory_working_set = 0; ///< bytes; 0: several times the last cache
    Integer most_pages = 8192;      ///< to touch in turn
};

/// Measures this machine, on one core. Best times count: whatever else runs can only make it look slower.
MachineProbe probe(const ProbeOptions& options = {});
MachineProbe probe(const ProbeKernels& kernels, const ProbeOptions& options);

/// What wisdom knows about this machine; nothing is measured.
std::optional<MachineProbe> remembered_probe(Wisdom& wisdom);

/// What wisdom knows about this machine, else a measurement, which goes to wisdom.
MachineProbe known_probe(Wisdom& wisdom, const ProbeOptions& options = {});
/// A measurement in any case, which goes to wisdom.
MachineProbe new_probe(Wisdom& wisdom, const ProbeOptions& options = {});

std::string to_json(const MachineProbe& probe);
/// Reads what to_json wrote; UserError otherwise.
MachineProbe parse_probe(std::string_view json);

/// Lines for people.
std::string to_table(const MachineProbe& probe);

} // namespace swirl::search
