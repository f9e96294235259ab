#pragma once

#include "search/cost/cpu/host.hpp"
#include "search/cost/probe/kernels.hpp"
#include "search/cost/probe/pages.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::search {

class Wisdom;

/// Bandwidth of one core, in bytes per second, for data at one level of the memory hierarchy.
struct Bandwidth {
    std::string level;       ///< "L1", "L2", …, "memory"
    Integer working_set = 0; ///< bytes traversed
    double read = 0;
    double write = 0;
    double copy = 0; ///< bytes read plus written
    bool operator==(const Bandwidth&) const = default;
};

/// Peak rates of one core of the machine: the lower bounds for every transform.
struct HostProbe {
    Host host;
    std::string measured_with; ///< ProbeKernels::made_of
    double flops_float32 = 0;  ///< per second; a fused multiply-add counts as two
    double flops_float64 = 0;
    double latency_float32 = 0; ///< seconds from a multiply-add to a dependent one
    double latency_float64 = 0;
    int vector_registers = 0;         ///< from the CPU's table
    std::vector<Bandwidth> bandwidth; ///< from the L1 cache to memory
    std::vector<PageCost> pages;      ///< by page count
    bool operator==(const HostProbe&) const = default;

    /// Independent vector multiply-adds that must be in flight to hide the latency.
    double multiply_adds_at_once(double flops, double latency, int scalar_bytes) const {
        return flops * latency * scalar_bytes / (2 * host.vector_bytes);
    }
    /// The fastest level that holds so many bytes.
    const Bandwidth& level_holding(Integer bytes) const;
};

struct ProbeOptions {
    double budget = 1.2;            ///< seconds for all measurements, approximate
    Integer memory_working_set = 0; ///< bytes; 0: several times the last-level cache
    Integer max_pages = 8192;       ///< maximum number of pages to touch in turn
    /// Called between measurements with the fraction of them that is done; may throw.
    std::function<void(double)> progress = {};
};

/// Measures this machine on one core. Takes best times: interference only makes a machine look slower.
HostProbe probe(const ProbeOptions& options = {});
HostProbe probe(const ProbeKernels& kernels, const ProbeOptions& options);

/// The probe of this machine in wisdom; measures nothing.
std::optional<HostProbe> stored_probe(Wisdom& wisdom);

/// The probe of this machine in wisdom, else a new one, which is stored.
HostProbe known_probe(Wisdom& wisdom, const ProbeOptions& options = {});
/// Always a new probe, which is stored.
HostProbe new_probe(Wisdom& wisdom, const ProbeOptions& options = {});

std::string to_json(const HostProbe& probe);
/// Parses the output of to_json; throws UserError otherwise.
HostProbe parse_probe(std::string_view json);

/// Human-readable table.
std::string to_table(const HostProbe& probe);

} // namespace swirl::search
