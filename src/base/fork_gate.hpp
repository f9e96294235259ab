#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

/// fork() copies memory as it is, but only the thread that calls it: whatever another thread held or was changing stays so
/// in the child for ever. So fork() in this library's process waits until no thread is where that would matter.
namespace swirl {

/// While alive, fork() in another thread waits, and a fork that waits already keeps new sections from beginning. Made where
/// a thread may take locks, make what is made once, or call libraries that do: all of planning. Sections nest. A thread in a
/// section waits for other threads only if these are in sections too, or Joined.
class ForkSection {
public:
    ForkSection() { enter(); }
    ~ForkSection() { leave(); }
    ForkSection(const ForkSection&) = delete;
    ForkSection& operator=(const ForkSection&) = delete;

    static void enter();
    static void leave() noexcept;
    static bool is_inside(); ///< whether the calling thread is in a section

    /// While alive, if `caller_is_inside`, the calling thread is in a section on behalf of one that is in a section and waits
    /// for it: it never waits for a fork, as that waits for its caller.
    class Joined {
    public:
        explicit Joined(bool caller_is_inside);
        ~Joined();
        Joined(const Joined&) = delete;
        Joined& operator=(const Joined&) = delete;

    private:
        bool is_joined_;
    };

    /// While alive, the thread is in no section, as far as let_forks_pass has an effect: around what is the user's, which may
    /// wait for a thread that forks, or fork.
    class Outside {
    public:
        Outside();
        ~Outside();
        Outside(const Outside&) = delete;
        Outside& operator=(const Outside&) = delete;

    private:
        int sections_ = 0; ///< that the thread goes back into
    };

    /// A fork that waits may happen now, though the thread is in a section: nothing that the child needs is half done.
    /// Without effect while the thread holds a lock, or works for another.
    static void let_forks_pass();

private:
    template <class> friend class ForkSafe;
    static void count_locks(int change) noexcept;
};

/// How many forks lie between this process and the one that loaded the library.
std::uint64_t forks();

/// A mutex that no fork() finds locked by another thread: the child may lock it, and finds what it guards whole.
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

/// A value that is made when it is first asked for and lives as long as the process, as other threads may still use it when main
/// has returned. For static variables outside ForkSections: those of functions are guarded by locks that do not survive fork().
template <class T> class MadeOnce {
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
