#include "cli/command.hpp"

namespace swirl::cli {

std::span<const AddCommand> commands() {
    static constexpr AddCommand all[] = {
        add_plan,   add_show,   add_explain,    add_verify, add_bench,   add_ladder,
        add_report, add_emit,   add_probe,      add_tune,   add_record,  add_wisdom,
        add_cache,  add_doctor, add_completion, add_help,   add_version,
    };
    return all;
}

} // namespace swirl::cli
