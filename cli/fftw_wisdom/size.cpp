#include "cli/fftw_wisdom/size.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace swirl::cli {
namespace {

struct Kind {
    std::string_view text;
    FFTW(r2r_kind) kind;
};
constexpr Kind kinds[] = {{"f", FFTW_R2HC},      {"b", FFTW_HC2R},      {"h", FFTW_DHT},
                          {"e00", FFTW_REDFT00}, {"e01", FFTW_REDFT01}, {"e10", FFTW_REDFT10},
                          {"e11", FFTW_REDFT11}, {"o00", FFTW_RODFT00}, {"o01", FFTW_RODFT01},
                          {"o10", FFTW_RODFT10}, {"o11", FFTW_RODFT11}};

/// Reads a word from its beginning to its end.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(text), rest_(text) {}

    bool is_at_end() const { return rest_.empty(); }
    bool take(std::string_view expected) {
        if (!rest_.starts_with(expected)) return false;
        rest_.remove_prefix(expected.size());
        return true;
    }
    /// The one of two letters that comes next; true for the first.
    bool first_of(std::string_view first, std::string_view second) {
        if (take(first)) return true;
        if (take(second)) return false;
        fail(fmt::format("'{}' or '{}'", first, second));
    }
    int length() {
        int value = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc{} || value < 1) fail("a length from 1 to 2147483647");
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return value;
    }
    FFTW(r2r_kind) kind() {
        for (const Kind& kind : kinds)
            if (take(kind.text)) return kind.kind;
        fail("a kind (f, b, h, e00, e01, e10, e11, o00, o01, o10 or o11)");
    }
    [[noreturn]] void fail(const std::string& expected) const {
        throw UserError(
            "size '{}': expected {} at character {}; sizes are written as in cif1024, rob64x64 or "
            "ki10hx20e01",
            text_, expected, text_.size() - rest_.size() + 1);
    }

private:
    std::string_view text_, rest_;
};

Size::Type type_of(Reader& reader) {
    for (const Size::Type type : {Size::Type::complex, Size::Type::real, Size::Type::real_to_real})
        if (const char letter = static_cast<char>(type); reader.take({&letter, 1})) return type;
    reader.fail("'c', 'r' or 'k'");
}

/// base, base², … while the power is at most 2^20.
void append_powers(std::vector<int>& powers, int base) {
    for (int power = base; power <= 1 << 20; power *= base) powers.push_back(power);
}

} // namespace

double Size::elements() const {
    double product = 1;
    for (const int length : lengths) product *= length;
    return product;
}

Size parse_size(std::string_view text) {
    Reader reader(text);
    Size size;
    size.type = type_of(reader);
    size.in_place = reader.first_of("i", "o");
    if (size.type != Size::Type::real_to_real) size.forward = reader.first_of("f", "b");
    do {
        size.lengths.push_back(reader.length());
        if (size.type == Size::Type::real_to_real) size.kinds.push_back(reader.kind());
    } while (reader.take("x"));
    if (!reader.is_at_end()) reader.fail("'x' or the end");
    return size;
}

std::string to_text(const Size& size) {
    std::string text{static_cast<char>(size.type), size.in_place ? 'i' : 'o'};
    if (size.type != Size::Type::real_to_real) text += size.forward ? 'f' : 'b';
    for (std::size_t d = 0; d < size.lengths.size(); ++d) {
        text += fmt::format("{}{}", d > 0 ? "x" : "", size.lengths[d]);
        for (const Kind& kind : kinds)
            if (d < size.kinds.size() && kind.kind == size.kinds[d]) text += kind.text;
    }
    return text;
}

std::vector<Size> canonical_sizes() {
    std::vector<int> lengths;
    append_powers(lengths, 2);
    append_powers(lengths, 10);
    std::vector<Size> sizes;
    for (const int length : lengths)
        for (const std::size_t rank : {1, 2, 3}) {
            Size size{.lengths = std::vector<int>(rank, length)};
            if (size.elements() > 1 << 20) continue;
            for (const Size::Type type : {Size::Type::complex, Size::Type::real})
                for (const bool in_place : {false, true})
                    for (const bool forward : {true, false}) {
                        size.type = type;
                        size.in_place = in_place;
                        size.forward = forward;
                        sizes.push_back(size);
                    }
        }
    return sizes;
}

} // namespace swirl::cli
