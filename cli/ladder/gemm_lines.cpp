#include "base/error.hpp"
#include "cli/ladder/gemm.hpp"
#include "cli/ladder/ladder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace swirl::cli {

namespace {

namespace fs = std::filesystem;

/// A folder removed with this object.
class WorkFolder {
public:
    WorkFolder() {
        std::string name = (fs::temp_directory_path() / "swirl_XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr)
            throw std::system_error(errno, std::generic_category(),
                                    "a folder in " + fs::temp_directory_path().string());
        path_ = name;
    }
    ~WorkFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

/// Quotes a word for the shell.
std::string word(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

/// L1 data cache misses in cachegrind's output: "events: Ir I1mr … D1mr … D1mw …" and "summary: …".
Integer misses_in(const fs::path& file) {
    std::ifstream stream(file);
    std::vector<std::string> events;
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        std::string head;
        words >> head;
        if (head == "events:")
            for (std::string event; words >> event;) events.push_back(event);
        if (head != "summary:") continue;
        Integer misses = 0, count = 0;
        for (std::size_t at = 0; words >> count && at < events.size(); ++at)
            if (events[at] == "D1mr" || events[at] == "D1mw") misses += count;
        return misses;
    }
    throw UserError("--cachegrind: valgrind wrote no counts of cache misses");
}

/// Misses of a whole swirl process that executes a step so many times.
Integer misses_of_swirl(const GemmLadderOptions& setting, const GemmRung& step, int times) {
    const WorkFolder folder;
    const fs::path counts = folder.path() / "counts", messages = folder.path() / "messages";
    const std::string command = fmt::format(
        "valgrind --tool=cachegrind --cache-sim=yes --D1={0},{1},{2} --cachegrind-out-file={3} {4} ladder "
        "gemm {5}{6} "
        "--cache {0},{1} --step {7} --times {8} >{9} 2>&1",
        setting.cache_bytes, setting.cache_ways, target::line_bytes, word(counts.string()),
        word(fs::read_symlink("/proc/self/exe").string()), setting.n,
        setting.data_type == DataType::float32 ? " --float" : "", word(step.name), times,
        word(messages.string()));
    if (std::system(command.c_str()) != 0) {
        std::ostringstream text;
        text << std::ifstream(messages).rdbuf();
        throw UserError("--cachegrind: valgrind could not run step '{}'\n{}", step.name, text.str());
    }
    return misses_in(counts);
}

} // namespace

void require_cachegrind() {
    if (std::system("valgrind --version >/dev/null 2>&1") != 0)
        throw UserError("--cachegrind: valgrind is not installed; --lines counts by models alone");
}

CacheLineCounts count_cache_lines(const GemmLadderOptions& setting, const GemmRung& step,
                                  bool by_cachegrind) {
    ensure(step.nest.has_value(), "step '{}' has no loop nest", step.name);
    const ir::Program program = gemm::loop_nest(*step.nest);
    CacheLineCounts counts;
    counts.fully_associative = ir::count_cache_misses(program, {.bytes = setting.cache_bytes});
    counts.set_associative =
        ir::count_cache_misses(program, {.bytes = setting.cache_bytes, .ways = setting.cache_ways});
    if (by_cachegrind && step.cpu == &plainest_cpu())
        counts.by_cachegrind = misses_of_swirl(setting, step, 1) - misses_of_swirl(setting, step, 0);
    return counts;
}

} // namespace swirl::cli
