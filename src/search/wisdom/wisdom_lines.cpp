// Wisdom as JSON lines: for transfer to another file or another host of the same kind, and for inspection.

#include "search/wisdom/wisdom.hpp"
#include "search/wisdom/wisdom_store.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <istream>
#include <ostream>

namespace swirl::search {
namespace {

constexpr std::array<std::string_view, 4> found_by_names = {"estimate", "shortlist", "measure", "exhaustive"};

std::string line_of(const WisdomKey& key, const WisdomEntry& entry) {
    const nlohmann::ordered_json line = {
        {"device", key.device},
        {"problem", key.problem},
        {"schedule", entry.schedule},
        {"seconds", entry.seconds},
        {"found_by", found_by_names[static_cast<std::size_t>(entry.found_by)]},
        {"created", entry.created},
        {"version", entry.version},
    };
    return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<std::string> text_of(const nlohmann::json& line, const char* name) {
    const auto at = line.find(name);
    if (at == line.end() || !at->is_string()) return std::nullopt;
    return at->get<std::string>();
}

std::optional<FoundBy> found_by_of(const nlohmann::json& line) {
    const std::optional<std::string> name = text_of(line, "found_by");
    for (std::size_t i = 0; i < found_by_names.size(); ++i)
        if (name == found_by_names[i]) return static_cast<FoundBy>(i);
    return std::nullopt;
}

std::optional<std::pair<WisdomKey, WisdomEntry>> parse(const std::string& text) {
    const nlohmann::json line = nlohmann::json::parse(text, nullptr, false);
    if (!line.is_object()) return std::nullopt;
    const auto device = text_of(line, "device");
    const auto problem = text_of(line, "problem");
    const auto schedule = text_of(line, "schedule");
    const auto version = text_of(line, "version");
    const auto found_by = found_by_of(line);
    const auto seconds = line.find("seconds");
    const auto created = line.find("created");
    if (!device || !problem || !schedule || !version || !found_by) return std::nullopt;
    if (seconds == line.end() || !seconds->is_number()) return std::nullopt;
    if (created == line.end() || !created->is_number_integer()) return std::nullopt;
    std::pair result{WisdomKey{*device, *problem}, WisdomEntry{*schedule, seconds->get<double>(), *found_by,
                                                               created->get<std::int64_t>(), *version}};
    if (!is_valid(result.first, result.second)) return std::nullopt;
    return result;
}

bool is_blank(const std::string& line) { return line.find_first_not_of(" \t\r") == std::string::npos; }

} // namespace

Integer Wisdom::export_lines(std::ostream& out) {
    const auto all = entries();
    for (const auto& [key, entry] : all) out << line_of(key, entry) << '\n';
    return static_cast<Integer>(all.size());
}

Wisdom::Imported Wisdom::import_lines(std::istream& in) {
    Imported result;
    std::vector<std::pair<WisdomKey, WisdomEntry>> readable;
    std::string line;
    for (Integer value = 1; std::getline(in, line); ++value) {
        if (is_blank(line)) continue;
        if (auto entry = parse(line))
            readable.push_back(std::move(*entry));
        else
            result.unreadable.push_back(value);
    }
    store_->use(false, [&](sqlite::Database& database) {
        Integer stored = 0;
        sqlite::Transaction transaction(database);
        for (const auto& [key, entry] : readable) stored += Store::write(database, key, entry, false);
        transaction.commit();
        result.stored = stored;
        result.unchanged = static_cast<Integer>(readable.size()) - stored;
        return true;
    });
    return result;
}

} // namespace swirl::search
