#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

/// fork() copies memory but only the calling thread: locks held and data being changed by other threads stay that way
/// in the child forever. So fork() in this library's process waits until no thread is in such a section.
namespace swirl {

/// While alive, fork() in other threads waits, and a waiting fork keeps new sections from starting. Construct one
/// where a thread may take locks, initialize something once, or call libraries that do: all of planning. Sections
/// nest. A thread in a section waits only for threads that are in sections too, or Joined.
class ForkSection {
public:
    ForkSection() { enter(); }
    ~ForkSection() { leave(); }
    ForkSection(const ForkSection&) = delete;
    ForkSection& operator=(const ForkSection&) = delete;

    static void enter();
    static void leave() noexcept;
    static bool is_inside(); ///< whether the calling thread is in a section

    /// While alive, if `caller_is_inside`, the calling thread is in a section on behalf of a thread that is in one and
    /// waits for it. It never waits for a fork, because the fork waits for its caller.
    class Joined {
    public:
        explicit Joined(bool caller_is_inside);
        ~Joined();
        Joined(const Joined&) = delete;
        Joined& operator=(const Joined&) = delete;

    private:
        bool is_joined_;
    };

    /// While alive, the thread is in no section, under the conditions of let_forks_pass: for user callbacks, which may
    /// fork or wait for a thread that forks.
    class Outside {
    public:
        Outside();
        ~Outside();
        Outside(const Outside&) = delete;
        Outside& operator=(const Outside&) = delete;

    private:
        int sections_ = 0; ///< sections to re-enter
    };

    /// Lets a waiting fork happen although the thread is in a section: all shared state is consistent here. Has no
    /// effect while the thread holds a lock or works for another.
    static void let_forks_pass();

private:
    template <class> friend class ForkSafe;
    static void count_locks(int change) noexcept;
};

/// Number of forks between the process that loaded the library and this one.
std::uint64_t forks();

/// A mutex that no fork() finds locked by another thread: the child may lock it, and the data it guards is consistent.
template <class Mutex> class ForkSafe {
public:
    void lock() {
        ForkSection::enter();
        mutex_.lock();
        ForkSection::count_locks(1);
    }
    void unlock() {
        ForkSection::count_locks(-1);
        mutex_.unlock();
        ForkSection::leave();
    }
    void lock_shared() {
        ForkSection::enter();
        mutex_.lock_shared();
        ForkSection::count_locks(1);
    }
    void unlock_shared() {
        ForkSection::count_locks(-1);
        mutex_.unlock_shared();
        ForkSection::leave();
    }

private:
    Mutex mutex_;
};
using ForkSafeMutex = ForkSafe<std::mutex>;

/// A value made on first use that lives as long as the process, since other threads may use it after main has
/// returned. For static variables outside ForkSections: function-local statics use locks that do not survive fork().
template <class T> class LazyValue {
public:
    template <class Make> T& get(Make&& make) {
        if (T* const known = made_.load(std::memory_order_acquire)) return *known;
        const std::lock_guard lock(making_);
        if (T* const known = made_.load(std::memory_order_acquire)) return *known;
        T* const made = new T(std::forward<Make>(make)());
        made_.store(made, std::memory_order_release);
        return *made;
    }

private:
    std::atomic<T*> made_ = nullptr;
    ForkSafeMutex making_;
};

} // namespace swirl
