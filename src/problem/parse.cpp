#include "formula/parse.hpp"
#include "formula/scanner.hpp"
#include "problem/data_type.hpp"
#include "problem/expression.hpp"
#include "problem/suggestion.hpp"
#include "problem/syntax.hpp"
#include "problem/words.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace swirl {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool continues_utf8(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// The text on one line and a caret below it at `position`; a long text is shortened to the surroundings.
std::string with_caret(std::string_view text, std::size_t position) {
    constexpr std::size_t whole = 160, before = 100;
    std::size_t begin = text.size() > whole && position > before ? position - before : 0;
    std::size_t end = std::min(text.size(), begin + whole);
    while (begin > 0 && continues_utf8(text[begin])) --begin;
    while (end < text.size() && continues_utf8(text[end])) ++end;
    std::string line, blanks;
    for (std::size_t i = begin; i < end; ++i) {
        const bool control = static_cast<unsigned char>(text[i]) < ' ' || text[i] == '\x7f';
        line += control ? ' ' : text[i];
        if (i < position && !continues_utf8(text[i])) blanks += ' ';
    }
    return "  " + line + "\n  " + blanks + "^";
}

template <class Value, std::size_t count> std::string list_of(const Word<Value> (&words)[count]) {
    std::string list;
    for (const Word<Value>& word : words) list.append(list.empty() ? "" : " ").append(word.text);
    return list;
}
std::string list_of_types() {
    std::string list;
    for (const DataType type : transform_types) list.append(list.empty() ? "" : " ").append(name_of(type));
    return list;
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    std::size_t position() const { return position_; }
    bool at_end() const { return position_ == text_.size(); }
    bool next_is(char c) const { return !at_end() && text_[position_] == c; }
    bool next_is_digit() const { return !at_end() && is_digit(text_[position_]); }

    [[noreturn]] void fail(const std::string& expected) const { fail_at(position_, expected); }
    [[noreturn]] void fail_at(std::size_t position, const std::string& expected) const {
        throw SyntaxError(expected, text_, position);
    }

    void skip_spaces() {
        while (!at_end() && is_space(text_[position_])) ++position_;
    }

    bool take(char c) {
        if (!next_is(c)) return false;
        ++position_;
        return true;
    }
    void require(char c, const std::string& expected) {
        if (!take(c)) fail(expected);
    }

    /// Options and lengths end at a space or the end of the text.
    void require_end_of_word(const std::string& expected) const {
        if (!at_end() && !is_space(text_[position_])) fail(expected);
    }

    /// Letters, digits and '_', starting with a letter; may be empty.
    std::string_view word() {
        const std::size_t start = position_;
        const auto continues = [&](char c) { return position_ > start && (is_digit(c) || c == '_'); };
        while (!at_end() && (is_letter(text_[position_]) || continues(text_[position_]))) ++position_;
        return text_.substr(start, position_ - start);
    }

    /// All that stands before the next space or '='.
    std::string_view whole_word(std::size_t start) const {
        std::size_t end = start;
        while (end < text_.size() && !is_space(text_[end]) && text_[end] != '=') ++end;
        return text_.substr(start, end - start);
    }
    std::string_view rest_of_word() const { return whole_word(position_); }

    /// An expression in quotation marks.
    Expression expression() {
        require('"', "'\"' and an expression, such as \"0.5 * x\"");
        const std::size_t begin = position_;
        const std::size_t end = text_.find('"', begin);
        if (end == std::string_view::npos) fail_at(text_.size(), "'\"' after the expression");
        position_ = end + 1;
        return parse_expression(text_, begin, end);
    }

    /// A formula, up to where no operator follows.
    MatrixFormula formula() {
        if (text_.size() - position_ > MatrixFormula::longest_text)
            fail("a formula of at most " + std::to_string(MatrixFormula::longest_text) + " bytes");
        try {
            const formula::ParsedPrefix prefix = formula::parse_matrix(text_, position_);
            position_ = prefix.end;
            return MatrixFormula(prefix.formula);
        } catch (const formula::ParseError& error) {
            constexpr std::string_view word = "expected ";
            if (error.reason().starts_with(word))
                fail_at(error.position(), error.reason().substr(word.size()));
            fail_at(error.position(), "a valid formula: " + error.reason());
        }
    }

    /// 12, -3 or 2^20.
    Integer integer(const std::string& expected) {
        const std::size_t start = position_;
        const Integer base = plain_integer(expected);
        if (!take('^')) return base;
        const Integer exponent = plain_integer("an exponent, such as the 10 of 2^10");
        if (exponent < 0) fail_at(start, "an integer: exponents are not negative");
        Integer power = 1;
        for (Integer i = 0; i < exponent && power != 0; ++i) {
            const auto next = checked_multiply(power, base);
            if (!next) fail_at(start, "a number that fits in 64 bits");
            power = *next;
            if (base == 1 || base == -1) return exponent % 2 == 0 ? 1 : base;
        }
        return power;
    }

    double number() {
        double value = 0;
        const char* const begin = text_.data() + position_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error == std::errc::result_out_of_range) fail("a number within the range of float64");
        if (error != std::errc()) fail("a number, such as 0.5 or 1/1024");
        position_ += static_cast<std::size_t>(end - begin);
        return value;
    }

private:
    Integer plain_integer(const std::string& expected) {
        Integer value = 0;
        const char* const begin = text_.data() + position_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error == std::errc::result_out_of_range) fail("a number that fits in 64 bits");
        if (error != std::errc()) fail(expected);
        position_ += static_cast<std::size_t>(end - begin);
        return value;
    }

    std::string_view text_;
    std::size_t position_ = 0;
};

class ProblemReader {
public:
    explicit ProblemReader(std::string_view text) : in_(text) {}

    Transform read() {
        in_.skip_spaces();
        read_kind();
        in_.skip_spaces();
        if (has_formula(kind_))
            read_formula();
        else
            read_lengths();
        for (in_.skip_spaces(); !in_.at_end(); in_.skip_spaces()) read_option();
        if (norm_) options_.scale = scale_of(*norm_);
        try {
            return kinds_.empty() ? Transform::make(kind_, lengths_, options_)
                                  : Transform::mixed(kinds_, lengths_, options_);
        } catch (const UserError&) { // the only remaining cause is an overflow of a default stride
            in_.fail_at(lengths_at_, "lengths for which the strides not given fit in 64 bits");
        }
    }

private:
    template <class Entry, std::size_t count>
    static const Entry* find(const Entry (&words)[count], std::string_view text) {
        for (const Entry& word : words)
            if (word.text == text) return &word;
        return nullptr;
    }

    void read_kind() {
        const std::size_t start = in_.position();
        const std::string_view word = in_.word();
        if (const auto* kind = find(kind_words, word)) {
            kind_ = kind->value;
        } else if (const auto* synonym = find(kind_synonyms, word)) {
            kind_ = synonym->kind;
            options_.direction = synonym->direction;
            has_direction_ = synonym->has_direction;
            if (synonym->is_normalised) norm_ = Norm::backward;
        } else {
            std::vector<std::string_view> known;
            add(kind_words, known);
            add(kind_synonyms, known);
            add(gemm_words, known);
            if (in_.next_is_digit())
                in_.fail_at(start, "a transform before the lengths, as in 'dft " +
                                       std::string(in_.rest_of_word()) + "'");
            const std::string meant = did_you_mean(in_.whole_word(start), known, foreign_kinds);
            in_.fail_at(start, "a transform, one of " + list_of(kind_words) + ", or gemm" + meant);
        }
        if (is_real_to_real(kind_) && in_.next_is(',')) read_more_kinds();
        in_.require_end_of_word("a space after the transform");
    }

    /// The kinds of the other dimensions.
    void read_more_kinds() {
        kinds_ = {kind_};
        while (in_.take(',')) {
            const std::size_t start = in_.position();
            const std::string_view word = in_.word();
            const auto* const kind = find(kind_words, word);
            const auto* const synonym = find(kind_synonyms, word);
            if (kind != nullptr)
                kinds_.push_back(kind->value);
            else if (synonym != nullptr)
                kinds_.push_back(synonym->kind);
            if ((kind == nullptr && synonym == nullptr) || !is_real_to_real(kinds_.back())) {
                std::vector<std::string_view> known;
                for (const auto& [real, text] : kind_words)
                    if (is_real_to_real(real)) known.emplace_back(text);
                in_.fail_at(start, fmt::format("a transform of reals, one of {}{}", fmt::join(known, " "),
                                               did_you_mean(word, known)));
            }
        }
        kind_ = TransformKind::mixed;
    }

    /// The scale of a normalised transform.
    double scale_of(Norm norm) const {
        double points = 1;
        for (const Integer length : lengths_) points *= static_cast<double>(length);
        if (norm == Norm::ortho) return 1 / std::sqrt(points);
        const bool is_scaled = (norm == Norm::backward) == (options_.direction == Direction::backward);
        return is_scaled ? 1 / points : 1;
    }
    /// Whether the results of the kind have one factor.
    bool has_norm() const {
        return kind_ == TransformKind::dft || kind_ == TransformKind::real_dft || is_wht(kind_) ||
               kind_ == TransformKind::dht;
    }

    template <class Value, std::size_t count, std::size_t more>
    static const Word<Value>* find(const Word<Value> (&words)[count], const Word<Value> (&synonyms)[more],
                                   std::string_view text) {
        const Word<Value>* const word = find(words, text);
        return word != nullptr ? word : find(synonyms, text);
    }
    /// A data type of a transform, or of its complex elements.
    std::optional<DataType> type_named(std::string_view text) const {
        if (const auto type = transform_type_named(text)) return type;
        if (const auto* synonym = find(type_synonyms, text)) return synonym->value;
        const bool has_complex =
            kind_ == TransformKind::dft || kind_ == TransformKind::real_dft || is_convolution(kind_);
        const auto* const synonym = has_complex ? find(complex_synonyms, text) : nullptr;
        return synonym == nullptr ? std::nullopt : std::optional(synonym->value);
    }

    template <class Words> static void add(const Words& words, std::vector<std::string_view>& known) {
        for (const auto& word : words) known.emplace_back(word.text);
    }
    static std::vector<std::string_view> option_words() {
        std::vector<std::string_view> known = {"in",   "out",  "strides",  "batch", "scale",
                                               "norm", "load", "spectrum", "store"};
        add(direction_words, known);
        add(direction_synonyms, known);
        add(layout_words, known);
        add(layout_synonyms, known);
        add(placement_words, known);
        add(type_synonyms, known);
        for (const DataType type : transform_types) known.emplace_back(name_of(type));
        return known;
    }

    void read_formula() {
        lengths_at_ = in_.position();
        options_.matrix = in_.formula();
        lengths_ = {options_.matrix.columns()};
    }

    /// The elements' data type says whether the data is real.
    bool read_type_of_formula(std::string_view word, std::size_t start) {
        const auto type = [&]() -> std::optional<DataType> {
            const auto named = data_type_named(word);
            if (named && is_transform_type(component_of(*named))) return named;
            if (const auto* synonym = find(type_synonyms, word)) return synonym->value;
            return std::nullopt;
        }();
        if (!type) return false;
        once(has_precision_, start, "one data type only");
        kind_ = is_complex(*type) ? TransformKind::formula : TransformKind::real_formula;
        options_.precision = component_of(*type);
        return true;
    }

    void read_lengths() {
        lengths_at_ = in_.position();
        do {
            if (lengths_.size() == most_dimensions)
                in_.fail("at most " + std::to_string(most_dimensions) + " dimensions");
            lengths_.push_back(in_.integer("a length, such as 64 or 2^10"));
        } while (in_.take('x'));
        in_.require_end_of_word(fmt::format("'x' and another length, or a space{}", length_hint()));
        if (!kinds_.empty() && kinds_.size() != lengths_.size())
            in_.fail_at(lengths_at_, fmt::format("a length for each of the {} kinds", kinds_.size()));
    }

    /// What to write for lengths that are not separated by 'x' or not written in digits.
    std::string length_hint() const {
        if (in_.next_is(',')) return "; lengths are separated by 'x', as in 8x8";
        if (in_.next_is('.')) return "; lengths are integers";
        return in_.next_is('e') ? "; write powers as 10^6" : "";
    }

    void read_option() {
        const std::size_t start = in_.position();
        const std::string_view word = in_.word();
        if (has_formula(kind_) && word.empty())
            in_.fail("an operator of the formula (⊗ · ⊕, or (x) * (+)), an option or the end");
        const bool known = in_.next_is('=') ? read_assignment(word, start) : read_flag(word, start);
        if (!known) fail_at_option(start);
        in_.require_end_of_word("a space before the next option");
    }

    [[noreturn]] void fail_at_option(std::size_t start) const {
        const std::string_view given = in_.whole_word(start);
        if (given.find_first_not_of("0123456789x") == std::string_view::npos)
            in_.fail_at(start, "an option; lengths are one word, separated by 'x', as in 8x8");
        std::vector<ForeignWord> foreign(std::begin(foreign_types), std::end(foreign_types));
        foreign.insert(foreign.end(), std::begin(foreign_options), std::end(foreign_options));
        const std::string meant = did_you_mean(given, option_words(), foreign);
        if (!meant.empty()) in_.fail_at(start, "an option" + meant);
        in_.fail_at(start, "an option, one of " + list_of(direction_words) + " " + list_of_types() + " " +
                               list_of(layout_words) + " " + list_of(placement_words) +
                               " in= out= strides= batch= scale= norm= spectrum= load= store=");
    }

    bool read_flag(std::string_view word, std::size_t start) {
        if (const auto* direction = find(direction_words, direction_synonyms, word)) {
            once(has_direction_, start, "one direction only");
            options_.direction = direction->value;
        } else if (has_formula(kind_) && read_type_of_formula(word, start)) {
            // its kind and data type are set
        } else if (const auto type = type_named(word)) {
            once(has_precision_, start, "one precision only");
            options_.precision = *type;
        } else if (const auto* layout = find(layout_words, layout_synonyms, word)) {
            once(has_layout_, start, "one layout only");
            options_.layout = layout->value;
        } else if (const auto* placement = find(placement_words, word)) {
            once(has_placement_, start, "one placement only");
            options_.placement = placement->value;
        } else {
            return false;
        }
        return true;
    }

    bool read_assignment(std::string_view word, std::size_t start) {
        in_.take('=');
        if (word == "in") {
            once(has_input_strides_, start, "strides of the input once only");
            options_.input_strides = read_strides();
        } else if (word == "out") {
            once(has_output_strides_, start, "strides of the output once only");
            options_.output_strides = read_strides();
        } else if (word == "strides") {
            once(has_input_strides_, start, "strides of the input once only");
            once(has_output_strides_, start, "strides of the output once only");
            options_.input_strides = options_.output_strides = read_strides();
        } else if (word == "batch") {
            once(has_batch_, start, "one batch= only; write several loops as batch=4x5");
            do {
                if (options_.batches.size() == most_batch_loops)
                    in_.fail("at most " + std::to_string(most_batch_loops) + " loops of a batch");
                options_.batches.push_back(read_batch());
            } while (in_.take('x'));
        } else if (word == "scale") {
            once(has_scale_, start, "one scale only");
            options_.scale = in_.number();
            if (in_.take('/')) options_.scale /= in_.number();
            norm_.reset();
        } else if (word == "norm") {
            once(has_scale_, start, "one scale only");
            const std::size_t at = in_.position();
            const auto* norm = find(norm_words, in_.word());
            if (norm == nullptr) in_.fail_at(at, "a norm, one of " + list_of(norm_words));
            if (!has_norm())
                in_.fail_at(start,
                            "scale=: norm= is of dft, rdft, wht and dht, whose results have one factor");
            norm_ = norm->value;
        } else if (word == "spectrum") {
            once(has_spectrum_, start, "spectrum= once only");
            const std::size_t at = in_.position();
            const auto* sharing = find(sharing_words, in_.word());
            if (sharing == nullptr) in_.fail_at(at, "whose spectrum it is, one of " + list_of(sharing_words));
            options_.spectrum = sharing->value;
        } else if (word == "load" || word == "store") {
            once(word == "load" ? has_load_ : has_store_, start, std::string(word) + "= once only");
            (word == "load" ? options_.load : options_.store) = in_.expression();
        } else {
            return false;
        }
        return true;
    }

    void once(bool& seen, std::size_t start, const std::string& expected) {
        if (seen) in_.fail_at(start, expected);
        seen = true;
    }

    std::vector<Integer> read_strides() {
        const std::size_t rank = lengths_.size();
        if (rank == 1 && !in_.next_is('(')) return {in_.integer("a stride, such as 2 or -1")};
        in_.require('(', "'(' and a stride for each dimension");
        std::vector<Integer> strides;
        for (std::size_t i = 0; i < rank; ++i) {
            if (i > 0) in_.require(',', "',' and the stride of dimension " + std::to_string(i));
            strides.push_back(in_.integer("the stride of dimension " + std::to_string(i)));
        }
        in_.require(')', "')' after the stride of the last dimension");
        return strides;
    }

    Batch read_batch() {
        Batch batch{.count = in_.integer("a number of transforms")};
        if (!in_.take(':')) return batch;
        if (in_.take('(')) {
            batch.input_stride = in_.integer("the input stride of the batch");
            in_.require(',', "',' and the output stride of the batch");
            batch.output_stride = in_.integer("the output stride of the batch");
            in_.require(')', "')' after the output stride of the batch");
        } else {
            batch.input_stride = in_.integer("the stride of the batch, or '(' input ',' output ')'");
            batch.output_stride = batch.input_stride;
        }
        return batch;
    }

    Reader in_;
    TransformKind kind_ = TransformKind::dft;
    std::vector<TransformKind> kinds_; ///< one for each dimension, if there are several
    std::vector<Integer> lengths_;
    std::size_t lengths_at_ = 0;
    TransformOptions options_;
    std::optional<Norm> norm_; ///< instead of the scale
    bool has_direction_ = false, has_precision_ = false, has_layout_ = false, has_placement_ = false;
    bool has_input_strides_ = false, has_output_strides_ = false, has_batch_ = false, has_scale_ = false;
    bool has_spectrum_ = false, has_load_ = false, has_store_ = false;
};

} // namespace

SyntaxError::SyntaxError(const std::string& expected, std::string_view text, std::size_t position)
    : UserError("cannot read the problem: expected " + expected + "\n" + with_caret(text, position)),
      position_(position) {}

Transform parse_transform(std::string_view text) { return ProblemReader(text).read(); }

MatrixFormula::MatrixFormula(std::string_view text) {
    Reader in(text);
    in.skip_spaces();
    *this = in.formula();
    in.skip_spaces();
    if (!in.at_end()) in.fail("an operator (⊗ · ⊕, or (x) * (+)) or the end");
}

} // namespace swirl
