#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>

/// What a command that takes a while shows on a terminal, and how Ctrl-C ends it early.
namespace swirl::cli {

/// While one lives, Ctrl-C asks the command to end with what it has; a second one ends the program at once.
class Interruptible {
public:
    Interruptible();
    ~Interruptible();
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;

private:
    void (*before_)(int);
};

/// Whether Ctrl-C has asked for an early end.
bool is_interrupted();
/// Thrown out of work that leaves nothing when it is ended early.
struct Interrupted {};

/// A line on standard error, if that is a terminal: a bar, what is being done, and the time left. It appears after half a
/// second, so quick commands show none, and goes away with `clear` and at the end.
class Progress {
public:
    explicit Progress(bool is_wanted = true);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// `fraction` of the work as a whole is done; neither is finite if nobody knows.
    void show(double fraction, const std::string& what, double seconds_left);
    /// The time left is what the rest takes at the speed so far, at most what is left of `limit` seconds.
    void show_at_speed(double fraction, const std::string& what, double limit);
    void clear();
    bool is_wanted() const { return is_wanted_; }
    double seconds() const; ///< since the work began

private:
    bool is_wanted_;
    bool is_visible_ = false;
    double begin_;
    double shown_; ///< when the line was written last
};

/// The work on several problems that take about the same time each, one after the other. `kind`: "timing", as in
/// "timing dft 100 (3 of 7)".
class ListProgress {
public:
    ListProgress(std::string kind, std::size_t count, bool is_wanted = true,
                 double limit = std::numeric_limits<double>::infinity());

    /// The next problem, if Ctrl-C has not ended the work.
    bool begin(const std::string& problem);
    /// This much of it is done.
    void within(double fraction);
    /// For measurements of about `seconds` that are asked often whether they should end.
    std::function<bool()> enough_after(double seconds);
    void clear() { progress_.clear(); }

private:
    const Interruptible interruptible_;
    Progress progress_;
    std::string kind_, problem_;
    std::size_t count_, begun_ = 0;
    double limit_; ///< seconds for all
};

/// Shows how far a measurement of the machine is (search::ProbeOptions::progress), and ends it with Interrupted.
std::function<void(double)> probe_progress();

/// Shows a search's lines of text (Options::progress), which end with its best and its seconds left.
class SearchProgress {
public:
    explicit SearchProgress(bool is_wanted = true);
    void operator()(const std::string& line);

private:
    const Interruptible interruptible_;
    Progress progress_;
    double begin_;
};

} // namespace swirl::cli
