#pragma once

#include <sys/wait.h>

#include <poll.h>
#include <pty.h>
#include <unistd.h>
#include <chrono>
#include <csignal>
#include <string>

namespace swirl::support {

/// What a person sees of a program that runs in a terminal.
struct TerminalOutcome {
    int status = -1; ///< exit status; −1 if a signal ended it
    std::string text;
};

/// Runs a shell command in a terminal of 100 columns. Presses Ctrl-C as soon as `pressed_at` is seen, unless it is empty. A
/// command that runs for longer than a minute is killed.
inline TerminalOutcome run_in_terminal(const std::string& command, const std::string& pressed_at = "") {
    winsize size{};
    size.ws_row = 30;
    size.ws_col = 100;
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
        _exit(127);
    }
    TerminalOutcome outcome;
    bool is_pressed = pressed_at.empty();
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (true) {
        pollfd readable{terminal, POLLIN, 0};
        if (poll(&readable, 1, 100) > 0) {
            char buffer[4096];
            const ssize_t count = read(terminal, buffer, sizeof buffer);
            if (count <= 0) break; // the program has ended
            outcome.text.append(buffer, static_cast<std::size_t>(count));
        }
        if (!is_pressed && outcome.text.find(pressed_at) != std::string::npos) {
            is_pressed = true;
            const char control_c = 3;
            if (write(terminal, &control_c, 1) != 1) break;
        }
        if (std::chrono::steady_clock::now() > end) kill(child, SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    close(terminal);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
}

} // namespace swirl::support
