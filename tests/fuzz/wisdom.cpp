#include "fuzz/mutate.hpp"
#include "fuzz/transforms.hpp"

#include "gemm/cpu/schedule.hpp"
#include "plan/gemm/cpu/blocks.hpp"
#include "problem/matrix_product.hpp"
#include "search/cost/cpu/host.hpp"
#include "search/cost/probe/probe.hpp"
#include "search/planner.hpp"
#include "search/wisdom/shared_wisdom.hpp"
#include "search/wisdom/sqlite.hpp"
#include "support/temporary_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>

namespace swirl::fuzz {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text)
        if (c != '\0')
            result += c == '\'' ? std::string("''") : std::string(1, c); // SQL's texts end at a zero
    return result + "'";
}

/// A value for a column, as SQL writes it: of another type, huge, empty, or mutated.
std::string any_value(const std::string& present, Random& random) {
    switch (random.integer(0, 7)) {
    case 0: return "''";
    case 1:
        return random.one_of<std::string>(
            {"-1", "0", "1", "99", "9223372036854775807", "-9223372036854775808"});
    case 2: return random.one_of<std::string>({"-1.5", "1e308", "9e999", "-9e999", "1e-320"});
    case 3: return "x'00ff00'";
    case 4: return fmt::format("printf('%.*c', {}, 'x')", random.logarithmic(1, 300'000));
    default: return quoted(mutated(present, random));
    }
}

/// A problem that was planned by measuring, and the schedule that wisdom then had for it.
struct Learned {
    Transform problem;
    std::string schedule;
    bool is_untouched = true; ///< nothing that wisdom says of it was damaged
};

/// One file of wisdom that is damaged.
class WisdomCase {
public:
    WisdomCase(Random& random, const Setting& setting, Journal& journal)
        : random_(random), setting_(setting), journal_(journal) {}

    void run() {
        const fs::path sound = folder_.path() / "sound.sqlite";
        use(sound);
        learn();
        if (!fs::exists(sound)) return journal_.refused(); // nothing was worth keeping
        if (random_.chance(25)) {
            search::Wisdom wisdom(sound, quiet);
            wisdom.store_fact(search::host_key(search::this_host()), "probe", drawn_probe());
        }
        const fs::path damaged = folder_.path() / "damaged.sqlite";
        damage(sound, damaged);
        use(damaged);
        if (random_.chance(30)) check_values(damaged);
        for (const Learned& known : learned_) run_planned(known);
        check_values(damaged);
        search::Wisdom(damaged, quiet).erase_all();
    }

private:
    static void quiet(std::string_view) {}

    static void use(const fs::path& file) { ::setenv("SWIRL_WISDOM", file.c_str(), 1); }

    Options options(Effort effort) const {
        Options options{.effort = effort, .cpu = setting_.cpu};
        if (effort == Effort::measure) options.time_budget_seconds = 0.002;
        return options;
    }

    void learn() {
        const Limits small{.points = 256, .elements = 512, .span = 4096};
        std::set<std::string> texts;
        for (int k = 0; k < 3; ++k) {
            const Transform problem = draw_transform(random_, small);
            if (!is_valid(problem) || !texts.insert(to_text(problem)).second) continue;
            journal_.doing("measures " + to_text(problem));
            const std::string schedule = plan(problem, options(Effort::measure)).schedule();
            learned_.push_back({problem, schedule});
            require_known(learned_.back());
        }
        // Subproblems of later problems are measured again.
        search::Wisdom wisdom(search::Wisdom::default_file(), quiet);
        for (Learned& known : learned_) {
            known.schedule = plan(known.problem, options(Effort::estimate)).schedule();
            // A busy machine may find no time to measure; a drawn probe then changes the estimate.
            known.is_untouched = !wisdom.entries_for(to_text(known.problem)).empty();
        }
    }

    void require_known(const Learned& known) const {
        const std::string schedule = plan(known.problem, options(Effort::estimate)).schedule();
        if (schedule != known.schedule)
            throw Failure("forgotten", fmt::format("wisdom says '{}' of {}, but the plan is '{}'",
                                                   known.schedule, to_text(known.problem), schedule));
    }

    void damage(const fs::path& from, const fs::path& to) {
        fs::copy_file(from, to);
        switch (random_.integer(0, 3)) {
        case 0: return damage_bytes(to);
        case 1: return damage_row(to);
        case 2: return damage_schema(to);
        default: return damage_lines(from, to);
        }
    }

    void all_are_touched() {
        for (Learned& known : learned_) known.is_untouched = false;
    }

    /// Of the file, or of a forged journal next to it.
    void damage_bytes(const fs::path& file) {
        all_are_touched();
        std::ifstream in(file, std::ios::binary);
        std::string bytes{std::istreambuf_iterator<char>(in), {}};
        in.close();
        const auto place = [&] {
            // Half of them in the first page, which describes the others.
            const auto end = static_cast<Integer>(bytes.size());
            return static_cast<std::size_t>(
                random_.integer(0, random_.chance(50) ? std::min<Integer>(end, 4096) - 1 : end - 1));
        };
        const Integer way = random_.integer(0, 9);
        if (way == 0) {
            bytes.resize(place());
        } else if (way == 1) {
            const std::size_t first = place();
            std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(first),
                      bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), first + 4096)),
                      '\0');
        } else if (way == 2) {
            bytes += bytes.substr(place());
        } else {
            for (Integer k = random_.logarithmic(1, 64); k > 0; --k)
                bytes[place()] ^= static_cast<char>(1 << random_.integer(0, 7));
        }
        const bool is_journal = random_.chance(15);
        std::ofstream(is_journal ? fs::path(file.string() + "-journal") : file, std::ios::binary) << bytes;
        journal_.doing(fmt::format("wisdom of {} problems with other bytes ({})", learned_.size(), way));
    }

    void damage_row(const fs::path& file) {
        if (learned_.empty()) return;
        Learned& touched =
            learned_[static_cast<std::size_t>(random_.integer(0, static_cast<Integer>(learned_.size()) - 1))];
        const std::string problem = to_text(touched.problem);
        const auto column =
            random_.one_of<std::string>({"schedule", "schedule", "schedule", "schedule", "seconds",
                                         "found_by", "created", "version", "device", "problem"});
        const std::string other = random_.one_of(learned_).schedule;
        std::string value = column == "schedule" && random_.chance(20) ? quoted(other)
                            : column == "problem"                      ? any_value(problem, random_)
                            : column == "schedule" || random_.chance(50)
                                ? any_value(touched.schedule, random_)
                                : any_value("", random_);
        touched.is_untouched = false;
        search::sqlite::Database database(file);
        try_to(database, fmt::format("UPDATE OR REPLACE entries SET {} = {} WHERE problem = {}", column,
                                     value, quoted(problem)));
        if (value.size() > 300) value.resize(300);
        journal_.doing(fmt::format("wisdom whose {} of {} is {}", column, problem, value));
    }

    void damage_schema(const fs::path& file) {
        all_are_touched();
        const auto statement = random_.one_of<std::string>(
            {"PRAGMA user_version = 0",
             "PRAGMA user_version = 3",
             "PRAGMA user_version = -1",
             "PRAGMA application_id = 1",
             "PRAGMA application_id = 0",
             "DROP TABLE entries",
             "DROP TABLE facts",
             "ALTER TABLE entries RENAME COLUMN schedule TO other",
             "ALTER TABLE entries DROP COLUMN seconds",
             "ALTER TABLE entries ADD COLUMN other TEXT",
             "ALTER TABLE entries RENAME TO others",
             "DELETE FROM entries",
             "PRAGMA journal_mode = WAL",
             "PRAGMA page_size = 512; VACUUM",
             "PRAGMA encoding = 'UTF-16'; VACUUM",
             "CREATE TABLE others (a)",
             "CREATE INDEX i ON entries (schedule)",
             "ALTER TABLE entries RENAME TO others; CREATE VIEW entries AS SELECT * FROM others",
             "ALTER TABLE entries RENAME TO others; CREATE TABLE entries AS SELECT * FROM others",
             "CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM facts; END",
             "UPDATE entries SET problem = '' WHERE true",
             "UPDATE OR REPLACE entries SET device = '' WHERE true"});
        search::sqlite::Database database(file);
        try_to(database, statement);
        journal_.doing(fmt::format("wisdom of {} problems after {}", learned_.size(), statement));
    }

    /// What SQLite refuses to make cannot be met.
    static void try_to(search::sqlite::Database& database, const std::string& statement) {
        try {
            database.execute(statement.c_str());
        } catch (const search::sqlite::Error&) {}
    }

    /// Lines that were exported, one of which is mutated, are imported into a new file.
    void damage_lines(const fs::path& from, const fs::path& to) {
        fs::remove(to);
        std::stringstream out;
        search::Wisdom(from, quiet).export_lines(out);
        std::string lines, line;
        const Integer chosen =
            random_.integer(0, static_cast<Integer>(std::max<std::size_t>(learned_.size(), 1)) - 1);
        std::vector<std::string> all;
        while (std::getline(out, line)) all.push_back(line);
        for (std::size_t k = 0; k < all.size(); ++k) {
            const bool is_chosen = static_cast<Integer>(k) == chosen;
            // By its text: lines are in the order of problems' texts.
            if (is_chosen)
                for (Learned& known : learned_)
                    if (all[k].find("\"" + to_text(known.problem) + "\"") != std::string::npos)
                        known.is_untouched = false;
            std::string text = is_chosen ? mutated(all[k], random_) : all[k];
            if (is_chosen && text.find('\n') != std::string::npos) std::erase(text, '\n');
            lines += text + "\n";
            if (is_chosen) journal_.doing("wisdom from the line " + text);
        }
        std::istringstream in(lines);
        search::Wisdom(to, quiet).import_lines(in);
    }

    std::string drawn_probe() {
        const search::Host& host = search::this_host();
        search::HostProbe probe{
            .host = host,
            .measured_with = "machine code",
            .flops_float32 = 1e11,
            .flops_float64 = 5e10,
            .latency_float32 = 1e-9,
            .latency_float64 = 1e-9,
            .vector_registers = 16,
            .bandwidth = {{"L1", 16384, 1e11, 1e11, 1e11}, {"memory", 1 << 26, 1e10, 1e10, 1e10}},
            .pages = {}};
        const std::string json = to_json(probe);
        return random_.chance(20) ? json : mutated(json, random_);
    }

    /// What commands do with wisdom.
    void check_values(const fs::path& file) {
        search::Wisdom wisdom(file, quiet);
        static_cast<void>(wisdom.entries());
        std::ostringstream lines;
        wisdom.export_lines(lines);
        std::istringstream back(lines.str());
        if (const auto imported = wisdom.import_lines(back);
            imported.stored > 0 && !imported.unreadable.empty())
            throw Failure("wisdom", "what was exported is not read back");
        static_cast<void>(search::stored_probe(wisdom));
        for (const Learned& known : learned_) static_cast<void>(wisdom.entries_for(to_text(known.problem)));
    }

    void run_planned(const Learned& known) {
        if (known.is_untouched) require_known(known);
        Options chosen = options(random_.chance(70) ? Effort::estimate : Effort::measure);
        chosen.check = random_.chance(50);
        chosen.threads = static_cast<int>(random_.one_of({1, 1, 2}));
        const Plan plan = swirl::plan(known.problem, chosen);
        TransformData data(known.problem, random_);
        data.set(From::input, random_input(data.transform(), data.transforms(), random_));
        const Expected expected = expected_output(data, random_);
        data.save();
        execute(plan, data);
        data.require_unharmed();
        constexpr double slack = 8; // other algorithms than those that are chosen
        require_close(known.problem, data.elements(From::output), expected, slack * setting_.tolerance);
    }

    Random& random_;
    const Setting& setting_;
    Journal& journal_;
    TemporaryFolder folder_;
    std::vector<Learned> learned_;
};

template <class T> void multiply_by(const gemm::BlockedGemm& schedule, Random& random) {
    constexpr Integer most = 70;
    const Integer m = random.integer(1, most), n = random.integer(1, most), k = random.integer(1, most);
    const auto whole = [&](Integer count) { // sums of integers are exact
        std::vector<T> values;
        for (Integer i = 0; i < count; ++i) values.emplace_back(static_cast<float>(random.integer(-4, 4)));
        return values;
    };
    const std::vector<T> a = whole(m * k), b = whole(k * n);
    std::vector<T> c(static_cast<std::size_t>(m * n), T(std::numeric_limits<float>::quiet_NaN()));
    const T one(1), zero(0);
    planning::MatrixKernels kernels(data_type_of<T>(), schedule, target::host_cpu());
    const Integer k_extent = gemm::balanced_block(k, schedule.kc, schedule.unroll);
    planning::multiply_blocks(kernels, MatrixProduct::column_major(data_type_of<T>(), m, n, k),
                              {&one, a.data(), b.data(), &zero, c.data()}, gemm::Update::overwrite, k_extent);
    for (Integer j = 0; j < n; ++j)
        for (Integer i = 0; i < m; ++i) {
            T sum(0);
            for (Integer l = 0; l < k; ++l)
                sum += a[static_cast<std::size_t>(i + l * m)] * b[static_cast<std::size_t>(l + j * k)];
            if (c[static_cast<std::size_t>(i + j * m)] != sum)
                throw Failure("wrong product",
                              fmt::format("element ({}, {}) of {} by {} by {}", i, j, m, k, n));
        }
}

/// A schedule that wisdom has and that is accepted multiplies.
void fuzz_schedule(Random& random, Journal& journal) {
    const target::Cpu& cpu = target::host_cpu();
    if (cpu.set == target::InstructionSet::portable) return journal.refused(); // has no schedules
    const TemporaryFolder folder;
    const fs::path file = folder.path() / "wisdom.sqlite";
    ::setenv("SWIRL_WISDOM", file.c_str(), 1);
    const auto data_type =
        random.one_of({DataType::float32, DataType::float64, DataType::complex64, DataType::complex128});
    const std::string text = mutated(
        to_string(planning::Schedule(cpu.name, gemm::CpuGemm{gemm::model_schedule(data_type, cpu)})), random);
    journal.doing(fmt::format("the schedule {} of {}", text, name_of(data_type)));
    if (text.empty()) return journal.refused();
    search::shared_wisdom(true)->replace(
        {search::cpu_key(cpu), fmt::format("gemm {}", name_of(data_type))},
        {.schedule = text, .seconds = 1, .found_by = search::FoundBy::measure});
    const std::optional<search::StoredSchedule> stored = search::stored_blocks(data_type, cpu).lookup();
    if (!stored || !stored->is_trusted()) return journal.refused();
    const gemm::BlockedGemm& schedule = *stored->schedule.cpu_gemm().blocked();
    switch (data_type) {
    case DataType::float32: return multiply_by<float>(schedule, random);
    case DataType::float64: return multiply_by<double>(schedule, random);
    case DataType::complex64: return multiply_by<std::complex<float>>(schedule, random);
    default: return multiply_by<std::complex<double>>(schedule, random);
    }
}

} // namespace

void fuzz_wisdom(std::uint64_t seed, const Setting& setting, Journal& journal) {
    Random random(seed);
    search::warn_of_shared_wisdom_by([](std::string_view) {});
    if (random.chance(30)) return fuzz_schedule(random, journal);
    WisdomCase(random, setting, journal).run();
}

} // namespace swirl::fuzz
