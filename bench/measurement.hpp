#pragma once

#include <swirl/options.hpp>
#include <swirl/problem.hpp>

#include "cli/output.hpp"
#include "peers/peer.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// What the benchmark needs of a kind of problem on a kind of device; everything else is the same for all.
namespace swirl::bench {

/// How libraries plan, and how they are timed.
struct Options {
    swirl::Options planning;                 ///< of swirl
    std::vector<std::string> schedules = {}; ///< of swirl, each timed instead of its choice
    std::size_t candidates = 0;              ///< so many of the schedules that the model rates best, likewise
    peers::PeerOptions peers = {};           ///< FFTW's limit of planning time among them
    bool probed = false;                     ///< on CPUs: swirl's model knows what a probe has measured
    bool cold = false;     ///< each execution works on other arrays, so that no cache has them
    int rounds = 30;       ///< on CPUs: at most
    double seconds = 2;    ///< for all rounds of a problem
    double sample = 0;     ///< on GPUs: seconds of a sample, at least; 0: the timer's choice
    bool compare = true;   ///< results with the definition
    std::string lock = {}; ///< processes with the same file time one after the other; empty: none
    int core = -1;         ///< CPU, one thread: the processor to run on; −1: where the program starts
};

/// A library that is ready to compute the problem.
struct Work {
    std::string made_by; ///< schedule or version
    double flops = 0;    ///< per execution, where the library tells; 0: unknown
    /// Does, or enqueues, so many executions. They count up from `first`, which selects the arrays if there are several.
    std::function<void(std::size_t first, std::size_t count)> run = {};
};

/// Seconds per execution.
struct Times {
    double median = 0;
    double minimum = 0;
    std::string failed_because = {}; ///< empty if timed
};

/// Lower bounds of the time of an execution, in seconds; 0: unknown.
struct Floors {
    double arithmetic = 0; ///< operations over the device's peak rate of multiply-adds
    double traffic = 0;    ///< bytes of all operands, each once, over copy bandwidth
};

/// One problem with its arrays on a device.
class Measurement {
public:
    virtual ~Measurement() = default;

    /// Plans; may write over the arrays. Throws Error where the library cannot compute the problem.
    virtual Work plan_swirl(const swirl::Options& planning) = 0;
    virtual Work plan_peer(const std::string& name) = 0;
    /// Schedules that swirl's model rates, the best first. Throws UserError where it rates none as a whole.
    virtual std::vector<std::string> best_schedules(std::size_t count) const = 0;

    /// Brings the arrays to their state before an execution.
    virtual void reset() = 0;
    /// Waits for what was enqueued, which may throw.
    virtual void finish() {}
    /// How far the results of one execution since `reset` are from the definition.
    virtual double distance() = 0;
    /// A larger distance is a wrong result, not rounding.
    virtual double tolerance() const = 0;

    virtual double flops() const = 0; ///< conventional count
    /// For a library that does so many operations.
    virtual Floors floors(double flops) const = 0;
    /// Interleaved: one sample of each in a round. Times are in the order of the works.
    virtual std::vector<Times> time(std::span<const Work> works) = 0;
};

class Device {
public:
    virtual ~Device() = default;
    virtual std::unique_ptr<Measurement> prepare(const Problem& problem) = 0;
    virtual cli::Json machine() const = 0; ///< what it is, and its peak rates
};

/// Measures the peak rates first. With one thread the calling thread is pinned as long as the device lives.
std::unique_ptr<Device> open_cpu(const Options& options);
std::unique_ptr<Device> open_gpu(const Options& options);

} // namespace swirl::bench
