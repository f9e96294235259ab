#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace swirl::emit {

/// Builds source text of any language: lines, indentation, blocks, comments. This is the only place that does.
/// All languages written here, PTX too, use braces and `//` comments.
class SourceWriter {
public:
    explicit SourceWriter(int width = 110, int indent_width = 4)
        : width_(width), indent_width_(indent_width) {}

    /// One line at the current indentation, or an empty one.
    template <class... Args> void line(fmt::format_string<Args...> format, Args&&... args) {
        write(fmt::format(format, std::forward<Args>(args)...));
    }
    void line() { text_ += '\n'; }

    /// A ready-made line; not a format string, so braces are literal.
    void write(std::string_view line);
    /// Ready-made lines, each indented to the current level.
    void paragraph(std::string_view lines);
    /// A preprocessor line: at column 0.
    void directive(std::string_view line);
    /// `//` lines, filled up to the width; line breaks in `words` are kept.
    void comment(std::string_view words);

    /// `head {`, then indents; `head` may be empty.
    void open(std::string_view head);
    /// Outdents, then `}` and `tail`.
    void close(std::string_view tail = {});
    /// Indents below a head already written, until the next close.
    void indent() { ++depth_; }
    /// Outdents without a brace, as between PTX labels.
    void outdent();
    /// `} head {`.
    void reopen(std::string_view head);

    /// `head item, item, item tail`, broken into lines of at most the width if it does not fit one.
    void list(std::string_view head, std::span<const std::string> items, std::string_view tail);

    /// A block that closes at the end of its C++ scope.
    class Block {
    public:
        Block(SourceWriter& writer, std::string_view head, std::string tail = {})
            : writer_(writer), tail_(std::move(tail)) {
            writer_.open(head);
        }
        ~Block() { writer_.close(tail_); }
        Block(const Block&) = delete;
        Block& operator=(const Block&) = delete;

    private:
        SourceWriter& writer_;
        std::string tail_;
    };

    const std::string& text() const& { return text_; }
    std::string text() && { return std::move(text_); }

private:
    std::size_t indentation() const { return static_cast<std::size_t>(depth_ * indent_width_); }

    std::string text_;
    int width_;
    int indent_width_;
    int depth_ = 0;
};

} // namespace swirl::emit
