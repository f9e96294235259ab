#pragma once

#include "base/integer.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// The problems of a sweep.
namespace swirl::bench {

/// A problem and its target CPU or GPU, by text and name.
struct Case {
    std::string target;
    std::string problem;
};

struct SweepOptions {
    std::uint64_t seed = 1;
    std::vector<std::string> cpus, gpus;
    Integer every_length_up_to = 20000; ///< of each kind in each precision
    Integer random_lengths = 100000;    ///< per target, up to `longest`
    Integer random_grids = 20000;       ///< per target, of two to four dimensions
    Integer longest = Integer{1} << 30;
    Integer largest_grid = Integer{1} << 24; ///< points
};

/// All cases of a sweep, by index: a case depends only on the options and its index.
class Sweep {
public:
    explicit Sweep(const SweepOptions& options);

    Integer size() const;
    Case operator[](Integer index) const;

private:
    struct Section {
        Integer size;
        std::function<Case(Integer)> at;
    };
    void add_every_length(const std::string& target, const SweepOptions& options);
    void add_random(const std::string& target, const SweepOptions& options);

    std::vector<Section> sections_;
};

} // namespace swirl::bench
