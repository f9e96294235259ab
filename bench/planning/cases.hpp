#pragma once

#include "base/integer.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// The problems of a sweep.
namespace swirl::bench {

/// A problem and the CPU or GPU that it is planned for, by their text and name.
struct Case {
    std::string machine;
    std::string problem;
};

struct SweepOptions {
    std::uint64_t seed = 1;
    std::vector<std::string> cpus, gpus;
    Integer every_length_up_to = 20000; ///< of each kind in each precision
    Integer random_lengths = 100000;    ///< on each machine, up to `longest`
    Integer random_grids = 20000;       ///< on each machine, of two to four dimensions
    Integer longest = Integer{1} << 30;
    Integer largest_grid = Integer{1} << 24; ///< points
};

/// All cases of a sweep, each by its number: a case depends on the options and its number alone.
class Sweep {
public:
    explicit Sweep(const SweepOptions& options);

    Integer size() const;
    Case operator[](Integer number) const;

private:
    struct Section {
        Integer size;
        std::function<Case(Integer)> at;
    };
    void add_every_length(const std::string& machine, const SweepOptions& options);
    void add_random(const std::string& machine, const SweepOptions& options);

    std::vector<Section> sections_;
};

} // namespace swirl::bench
