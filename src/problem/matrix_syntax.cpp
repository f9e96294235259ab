#include <swirl/matrix_product.hpp>

#include "base/error.hpp"
#include "base/integer.hpp"
#include "problem/expression.hpp"
#include "problem/matrix_product.hpp"
#include "problem/suggestion.hpp"
#include "problem/words.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <utility>

namespace swirl {

namespace {

/// A layout as parsed, before extents and the batch are known.
struct LayoutText {
    enum class Order : std::uint8_t { columns, rows, strides } order = Order::columns;
    Integer row_stride = 1, column_stride = 1;
    bool conjugated = false;
    bool is_shared = false;
    std::optional<DataType> data_type = {};
    std::optional<Integer> batch_stride = {};

    /// Empty if the batch stride does not fit in 64 bits.
    std::optional<MatrixLayout> layout(Integer rows, Integer columns) const {
        MatrixLayout result{row_stride, column_stride, conjugated, 0};
        if (order == Order::columns) result.column_stride = rows;
        if (order == Order::rows) result.row_stride = columns;
        if (is_shared) return result;
        if (batch_stride) {
            result.batch_stride = *batch_stride;
            return result;
        }
        const auto down = reach(rows, result.row_stride), across = reach(columns, result.column_stride);
        const auto last = down && across ? checked_add(*down, *across) : std::nullopt;
        const auto distance = last ? checked_add(*last, 1) : std::nullopt;
        if (!distance) return std::nullopt;
        result.batch_stride = *distance;
        return result;
    }

private:
    static std::optional<Integer> reach(Integer length, Integer stride) {
        if (length <= 1) return 0;
        const auto distance = checked_multiply(length - 1, stride);
        return distance ? checked_multiply(*distance, *distance < 0 ? -1 : 1) : std::nullopt;
    }
};

class ProductParser {
public:
    explicit ProductParser(std::string_view text) : text_(text) {}

    MatrixProduct product() {
        skip_spaces();
        MatrixProduct product{.data_type = DataType::float64};
        const GemmWord& kind = one_of_kinds();
        product.data_type = kind.data_type;
        has_data_type_ = kind.has_data_type;
        skip_spaces();
        product.rows = extent();
        expect("x");
        product.columns = extent();
        expect("x");
        product.k = extent();
        while (skip_spaces(), position_ < text_.size()) option(product);
        product.a = layout(a_, product.rows, product.k);
        product.b = layout(b_, product.k, product.columns);
        product.c = layout(c_, product.rows, product.columns);
        product.a_type = a_.data_type;
        product.b_type = b_.data_type;
        product.c_type = c_.data_type;
        if (product.batch == 1) product.a.batch_stride = product.b.batch_stride = product.c.batch_stride = 0;
        return product;
    }

private:
    [[noreturn]] void fail(const std::string& expected) const {
        throw SyntaxError(expected, text_, position_);
    }

    MatrixLayout layout(const LayoutText& text, Integer rows, Integer columns) const {
        const std::optional<MatrixLayout> result = text.layout(rows, columns);
        if (!result) fail("extents and strides for which a matrix's size fits in 64 bits");
        return *result;
    }

    bool at_end_of_word() const { return position_ == text_.size() || text_[position_] == ' '; }
    static bool is_name(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }
    void skip_spaces() {
        while (position_ < text_.size() && text_[position_] == ' ') ++position_;
    }
    bool accept(std::string_view word) {
        if (text_.substr(position_, word.size()) != word) return false;
        position_ += word.size();
        return true;
    }
    void expect(std::string_view sign) {
        if (!accept(sign))
            fail(sign == "x"
                     ? "'x' and the next extent; a product has three, m, n and k, as in gemm 100x80x60"
                     : "':' and the columns' stride");
    }
    Integer integer(const char* expected) {
        Integer value = 0;
        const auto [end, error] =
            std::from_chars(text_.data() + position_, text_.data() + text_.size(), value);
        if (error != std::errc()) fail(expected);
        position_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }
    Integer extent() { return integer("an extent, as in gemm 100x80x60"); }

    void option(MatrixProduct& product) {
        const std::size_t start = position_;
        if (const auto type = type_of(accumulator_types)) {
            if (std::exchange(has_data_type_, true)) {
                position_ = start;
                fail("one data type only");
            }
            product.data_type = *type;
            return end_word();
        }
        for (auto [name, layout] : {std::pair{"a=", &a_}, std::pair{"b=", &b_}, std::pair{"c=", &c_}})
            if (accept(name)) return read(*layout);
        if (accept("batch=")) {
            product.batch = integer("a count");
            product.listed = accept(",lists");
            if (product.listed && accept(":")) {
                constexpr const char* expected = "bytes, a 32-bit integer, as in batch=10,lists:16";
                const Integer alignment = integer(expected);
                if (!std::in_range<int>(alignment)) fail(expected);
                product.list_alignment = static_cast<int>(alignment);
            }
            return end_word();
        }
        if (accept("reduce=")) {
            product.reductions.push_back(reduction());
            return end_word();
        }
        if (!accept("epilogue=")) {
            constexpr std::string_view known[] = {"float64", "float32", "complex64", "complex128",
                                                  "int32",   "double",  "single",    "batch",
                                                  "reduce",  "epilogue"};
            const std::string meant = did_you_mean(word(), known, foreign_gemm_options);
            fail(meant.empty() ? "float64, float32, complex64, complex128, int32, a=, b=, c=, batch=, "
                                 "reduce= or epilogue="
                               : "an option" + meant);
        }
        std::size_t end = text_.size();
        if (accept("\"")) {
            if (text_.back() != '"' || end == position_) fail("'\"' at the end");
            --end;
        }
        product.epilogue = parse_expression(text_, position_, end);
        position_ = text_.size();
    }
    /// The next word if it names one of `types`.
    std::optional<DataType> type_of(std::span<const DataType> types) {
        for (const DataType type : types)
            if (accept(name_of(type))) return type;
        for (const Word<DataType>& synonym : type_synonyms)
            if (std::find(types.begin(), types.end(), synonym.value) != types.end() && accept(synonym.text))
                return synonym.value;
        return std::nullopt;
    }
    const GemmWord& one_of_kinds() {
        const std::string_view given = word();
        for (const GemmWord& kind : gemm_words)
            if (given == kind.text && accept(given)) {
                if (!at_end_of_word()) fail("a space after the product");
                return kind;
            }
        std::vector<std::string_view> known;
        for (const GemmWord& kind : gemm_words) known.emplace_back(kind.text);
        fail("'gemm'" + did_you_mean(given, known));
    }
    /// The letters and digits that follow.
    std::string_view word() const {
        std::size_t end = position_;
        while (end < text_.size() && is_name(text_[end])) ++end;
        return text_.substr(position_, end - position_);
    }
    void end_word() const {
        if (!at_end_of_word()) fail("a blank");
    }

    template <class T> T one_of(std::initializer_list<T> values, const char* expected) {
        for (const T value : values)
            if (accept(name_of(value))) return value;
        fail(expected);
    }
    void colon(const char* expected) {
        if (!accept(":")) fail(expected);
    }
    Reduction reduction() {
        Reduction result;
        const std::size_t start = position_;
        while (position_ < text_.size() && is_name(text_[position_])) ++position_;
        result.name = text_.substr(start, position_ - start);
        colon("':' and an operation, as in reduce=amax:max:columns:abs(x)");
        result.operation = one_of({Reduce::sum, Reduce::maximum, Reduce::minimum}, "sum, max or min");
        colon("':' and columns, rows or all");
        result.over = one_of({Over::columns, Over::rows, Over::all}, "columns, rows or all");
        if (!accept(":")) return result;
        const bool is_quoted = accept("\"");
        const std::size_t end = text_.find(is_quoted ? '"' : ' ', position_);
        if (is_quoted && end == std::string_view::npos) fail("'\"' at the end");
        result.of = parse_expression(text_, position_, std::min(end, text_.size()));
        position_ = std::min(end, text_.size());
        if (is_quoted) ++position_;
        return result;
    }

    void read(LayoutText& layout) {
        if (accept("columns")) {
            layout.order = LayoutText::Order::columns;
        } else if (accept("rows")) {
            layout.order = LayoutText::Order::rows;
        } else if (!read_property(layout)) {
            layout.order = LayoutText::Order::strides;
            const std::string meant = did_you_mean(word(), {}, foreign_layouts);
            layout.row_stride = integer(
                ("columns, rows, conj, shared, a data type, or two strides as in 2:100" + meant).c_str());
            expect(":");
            layout.column_stride = integer("the columns' stride");
        }
        while (accept(","))
            if (!read_property(layout)) fail("conj, shared, step: or a data type");
        end_word();
    }
    /// A property that may follow the order.
    bool read_property(LayoutText& layout) {
        if (accept("conj")) return layout.conjugated = true;
        if (accept("shared")) return layout.is_shared = true;
        if (accept("step:")) {
            layout.batch_stride = integer("elements between consecutive matrices, as in a=rows,step:5000");
            return true;
        }
        std::optional<DataType> type = type_of(accumulator_types);
        if (!type) type = type_of(storage_types);
        if (type) layout.data_type = type;
        return type.has_value();
    }

    std::string_view text_;
    std::size_t position_ = 0;
    LayoutText a_, b_, c_;
    bool has_data_type_ = false;
};

/// Whether the matrices of a batch are as far apart as without saying so.
bool has_default_stride(const MatrixLayout& layout, Integer rows, Integer columns) {
    const LayoutText text{LayoutText::Order::strides, layout.row_stride, layout.column_stride};
    const auto contiguous = text.layout(rows, columns);
    return contiguous && contiguous->batch_stride == layout.batch_stride;
}

/// `batch`: number of matrices whose distance counts.
std::string text_of(const char* name, const MatrixLayout& layout, Integer rows, Integer columns,
                    Integer batch, std::optional<DataType> data_type) {
    std::string text;
    const auto add = [&](const std::string& word) { text += (text.empty() ? "" : ",") + word; };
    if (layout.row_stride == columns && layout.column_stride == 1)
        add("rows");
    else if (layout.row_stride != 1 || layout.column_stride != rows)
        add(fmt::format("{}:{}", layout.row_stride, layout.column_stride));
    if (layout.row_stride == 1 && layout.column_stride == rows) text.clear();
    if (layout.conjugated) add("conj");
    if (batch > 1 && layout.batch_stride == 0)
        add("shared");
    else if (batch > 1 && !has_default_stride(layout, rows, columns))
        add(fmt::format("step:{}", layout.batch_stride));
    if (data_type) add(std::string(name_of(*data_type)));
    return text.empty() ? "" : fmt::format(" {}={}", name, text);
}

} // namespace

MatrixProduct parse_matrix_product(std::string_view text) { return ProductParser(text).product(); }

std::string to_text(const MatrixProduct& product) {
    std::string text =
        fmt::format("gemm {}x{}x{} {}", product.rows, product.columns, product.k, name_of(product.data_type));
    text += text_of("a", product.a, product.rows, product.k, product.batch, product.a_type);
    text += text_of("b", product.b, product.k, product.columns, product.batch, product.b_type);
    text += text_of("c", product.c, product.rows, product.columns, product.batch, product.c_type);
    if (product.batch != 1 || product.listed) text += fmt::format(" batch={}", product.batch);
    if (product.listed) text += ",lists";
    if (product.list_alignment != 0) text += fmt::format(":{}", product.list_alignment);
    for (const Reduction& reduction : product.reductions) {
        text += fmt::format(" reduce={}:{}:{}", reduction.name, name_of(reduction.operation),
                            name_of(reduction.over));
        if (!reduction.of.is_identity()) text += fmt::format(":\"{}\"", reduction.of.text());
    }
    if (!product.epilogue.is_identity()) text += fmt::format(" epilogue=\"{}\"", product.epilogue.text());
    return text;
}

} // namespace swirl
