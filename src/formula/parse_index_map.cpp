#include "formula/parse_index_map.hpp"

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace swirl::formula {

namespace {

class IndexMapParser {
public:
    explicit IndexMapParser(Scanner& scan) : scan_(scan) {}

    IndexMap index_map();

private:
    IndexMap digit_map();
    IndexMap piecewise_map();
    /// Parses what follows "digits(": the map, its domain and its range.
    std::tuple<DigitMap, Integer, Integer> digits();
    IndexMap table_map();

    Scanner& scan_;
};

IndexMap IndexMapParser::index_map() {
    const std::size_t position = scan_.position();
    const auto arrow = [&] {
        const Integer domain = scan_.positive_integer();
        if (!scan_.accept_any({"→", "->"})) scan_.fail_expected("'→'");
        return std::pair(domain, scan_.positive_integer());
    };
    const std::string_view name = scan_.word();
    if (name != "id" && name != "h" && name != "power" && name != "digits" && name != "table" &&
        name != "pieces") {
        scan_.fail(position, "expected an index map: id, h, digits, pieces, power or table");
    }
    scan_.expect("(");
    if (name == "digits") return scan_.built(position, [&] { return digit_map(); });
    if (name == "table") return scan_.built(position, [&] { return table_map(); });
    if (name == "pieces") return scan_.built(position, [&] { return piecewise_map(); });
    if (name == "id") {
        const Integer n = scan_.positive_integer();
        scan_.expect(")");
        return IndexMap::identity(n);
    }
    if (name == "h") {
        const auto [domain, range] = arrow();
        scan_.expect(";");
        const Affine base = scan_.affine();
        scan_.expect(",");
        const Integer stride = scan_.integer();
        scan_.expect(")");
        return scan_.built(position,
                           [&, d = domain, r = range] { return IndexMap::strided(d, r, base, stride); });
    }
    PowerMap power{scan_.positive_integer(), 0};
    scan_.expect("mod");
    power.prime = scan_.positive_integer();
    scan_.expect(";");
    const auto [domain, range] = arrow();
    scan_.expect(")");
    return scan_.built(position, [&, d = domain, r = range] { return IndexMap(d, r, power); });
}

IndexMap IndexMapParser::piecewise_map() {
    PiecewiseMap map;
    Integer domain = 0;
    do {
        scan_.expect("digits");
        scan_.expect("(");
        auto [piece, size, ignored] = digits();
        map.pieces.push_back(std::move(piece));
        domain += size;
    } while (scan_.accept("|"));
    scan_.expect(";");
    scan_.expect("range");
    const Integer range = scan_.positive_integer();
    scan_.expect(")");
    return {domain, range, std::move(map)};
}

IndexMap IndexMapParser::digit_map() {
    auto [map, domain, range] = digits();
    return {domain, range, std::move(map)};
}

std::tuple<DigitMap, Integer, Integer> IndexMapParser::digits() {
    DigitMap map;
    std::optional<Integer> domain = 1, range;
    while (!scan_.accept(")")) {
        if (scan_.accept(";")) {
            if (scan_.accept("base"))
                map.base = scan_.affine();
            else if (scan_.accept("mod"))
                map.modulus = scan_.positive_integer();
            else if (scan_.accept("range"))
                range = scan_.positive_integer();
            else
                scan_.fail_expected("'base', 'mod' or 'range'");
            continue;
        }
        if (!map.radices.empty()) scan_.expect(",");
        map.radices.push_back(scan_.positive_integer());
        scan_.expect(":");
        map.strides.push_back(scan_.integer());
        domain = checked_multiply(*domain, map.radices.back());
        ensure(domain.has_value(), "the domain of these digits does not fit 64 bits");
    }
    return {std::move(map), *domain, range.value_or(*domain)};
}

IndexMap IndexMapParser::table_map() {
    std::vector<Integer> values;
    do values.push_back(scan_.integer());
    while (scan_.accept(","));
    auto range = static_cast<Integer>(values.size());
    if (scan_.accept(";")) {
        scan_.expect("range");
        range = scan_.positive_integer();
    }
    scan_.expect(")");
    return IndexMap::table(std::move(values), range);
}

} // namespace

IndexMap parse_index_map(Scanner& scan) { return IndexMapParser(scan).index_map(); }

} // namespace swirl::formula
