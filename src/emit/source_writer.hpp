#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace swirl::emit {

/// The one place where source text of any language is built: lines, indentation, blocks, comments.
/// All languages written here, PTX too, share braces and `//` comments.
class SourceWriter {
public:
    explicit SourceWriter(int width = 110, int indent_width = 4)
        : width_(width), indent_width_(indent_width) {}

    /// One line at the present indentation, or an empty one.
    template <class... Args> void line(fmt::format_string<Args...> format, Args&&... args) {
        write(fmt::format(format, std::forward<Args>(args)...));
    }
    void line() { text_ += '\n'; }

    /// A ready-made line; no format string, so braces stand for themselves.
    void write(std::string_view line);
    /// Ready-made lines, each moved to the present indentation.
    void paragraph(std::string_view lines);
    /// A line that belongs to the preprocessor: at column 0.
    void directive(std::string_view line);
    /// `//` lines, filled up to the width; a line break in `words` is kept.
    void comment(std::string_view words);

    /// `head {` and one level deeper; `head` may be empty.
    void open(std::string_view head);
    /// Back one level, `}` and what follows it.
    void close(std::string_view tail = {});
    /// One level deeper, below a head that is already written, up to the next close.
    void indent() { ++depth_; }
    /// Back one level where no brace was opened, as between the labels of PTX.
    void outdent();
    /// `} head {`.
    void reopen(std::string_view head);

    /// `head item, item, item tail`, broken into lines of at most the width when it does not fit in one.
    void list(std::string_view head, std::span<const std::string> items, std::string_view tail);

    /// A block that closes at the end of its scope.
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
