#include "emit/source_writer.hpp"

#include "base/error.hpp"

namespace swirl::emit {
namespace {

/// Calls `use` for each line of `text`; a final line break ends the last line and starts no new one.
template <class Use> void for_each_line(std::string_view text, Use&& use) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        use(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

} // namespace

void SourceWriter::write(std::string_view line) {
    if (!line.empty()) text_.append(indentation(), ' ');
    text_ += line;
    text_ += '\n';
}

void SourceWriter::paragraph(std::string_view lines) {
    for_each_line(lines, [&](std::string_view line) {
        if (line.starts_with('#'))
            directive(line);
        else
            write(line);
    });
}

void SourceWriter::directive(std::string_view line) {
    text_ += line;
    text_ += '\n';
}

void SourceWriter::comment(std::string_view words) {
    const std::size_t max_width = static_cast<std::size_t>(width_) - indentation() - 3;
    for_each_line(words, [&](std::string_view rest) {
        if (rest.empty()) write("//");
        while (!rest.empty()) {
            std::size_t end = rest.size();
            if (end > max_width) {
                end = rest.rfind(' ', max_width);
                if (end == std::string_view::npos || end == 0) end = rest.find(' ');
            }
            line("// {}", rest.substr(0, end));
            rest.remove_prefix(end >= rest.size() ? rest.size() : end + 1);
        }
    });
}

void SourceWriter::open(std::string_view head) {
    write(head.empty() ? std::string("{") : fmt::format("{} {{", head));
    ++depth_;
}

void SourceWriter::outdent() {
    ensure(depth_ > 0, "SourceWriter: outdent at the margin");
    --depth_;
}

void SourceWriter::close(std::string_view tail) {
    ensure(depth_ > 0, "SourceWriter: close without open");
    --depth_;
    write(fmt::format("}}{}", tail));
}

void SourceWriter::reopen(std::string_view head) {
    ensure(depth_ > 0, "SourceWriter: reopen without open");
    --depth_;
    open(fmt::format("}} {}", head));
}

void SourceWriter::list(std::string_view head, std::span<const std::string> items, std::string_view tail) {
    const std::size_t width = static_cast<std::size_t>(width_);
    std::size_t length = indentation() + head.size() + tail.size();
    for (const std::string& item : items) length += item.size() + 2;
    if (length <= width + 2) {
        write(fmt::format("{}{}{}", head, fmt::join(items, ", "), tail));
        return;
    }
    write(head);
    ++depth_;
    std::string row;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!row.empty() && indentation() + row.size() + 1 + items[i].size() + 1 > width) {
            write(row);
            row.clear();
        }
        if (!row.empty()) row += ' ';
        row += items[i];
        if (i + 1 < items.size()) row += ',';
    }
    write(row);
    --depth_;
    write(tail);
}

} // namespace swirl::emit
