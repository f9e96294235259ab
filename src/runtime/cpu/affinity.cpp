#include "runtime/cpu/affinity.hpp"

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

namespace swirl::runtime {

#if defined(__linux__)

/// An affinity mask with capacity for more processors than any machine has.
class ProcessorSet {
public:
    static constexpr int most = 8192;
    ProcessorSet() : bits_(CPU_ALLOC_SIZE(most) / sizeof(unsigned long)) {}

    cpu_set_t* set() { return reinterpret_cast<cpu_set_t*>(bits_.data()); }
    std::size_t size() const { return bits_.size() * sizeof(unsigned long); }
    bool holds(int processor) { return CPU_ISSET_S(static_cast<std::size_t>(processor), size(), set()) != 0; }
    void add(int processor) { CPU_SET_S(static_cast<std::size_t>(processor), size(), set()); }
    bool read() { return pthread_getaffinity_np(pthread_self(), size(), set()) == 0; }
    bool apply() { return pthread_setaffinity_np(pthread_self(), size(), set()) == 0; }

private:
    std::vector<unsigned long> bits_;
};

struct PinnedThread::Mask {
    ProcessorSet processors;
};

std::vector<int> allowed_processors() {
    ProcessorSet allowed;
    std::vector<int> result;
    if (!allowed.read()) return result;
    for (int processor = 0; processor < ProcessorSet::most; ++processor)
        if (allowed.holds(processor)) result.push_back(processor);
    return result;
}

PinnedThread::PinnedThread(int processor) {
    auto before = std::make_unique<Mask>();
    if (!before->processors.read()) return;
    const int chosen = processor >= 0 ? processor : sched_getcpu();
    if (chosen < 0 || chosen >= ProcessorSet::most) return;
    ProcessorSet one;
    one.add(chosen);
    if (one.apply()) before_ = std::move(before);
}

PinnedThread::~PinnedThread() {
    if (before_) before_->processors.apply();
}

#else

struct PinnedThread::Mask {};
std::vector<int> allowed_processors() { return {}; }
PinnedThread::PinnedThread(int) {}
PinnedThread::~PinnedThread() = default;

#endif

} // namespace swirl::runtime
