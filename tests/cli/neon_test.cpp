// What `swirl emit --cpu neon` writes, compiled for AArch64 and run there or in an emulator, against the definitions.

#include "api/expectation.hpp"
#include "cli/run_swirl.hpp"
#include "support/arm_program.hpp"

#include <swirl/swirl.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace swirl {
namespace neon_test {

using definition::Expectation;
using definition::LongComplex;

/// Where the scalars of one side of a problem lie: in one array, or in two.
class Side {
public:
    Side(const Transform& problem, bool input)
        : offsets_(definition::offsets(problem, input)),
          is_complex_(problem.kind == TransformKind::dft || definition::is_half_spectrum(problem, input)),
          is_planar_(is_complex_ && problem.layout == ComplexLayout::planar) {
        const auto [low, high] = std::minmax_element(offsets_.begin(), offsets_.end());
        lowest_ = std::min<Integer>(*low, 0);
        elements_ = static_cast<std::size_t>(std::max<Integer>(*high, 0) - lowest_ + 1);
    }

    std::size_t arrays() const { return is_planar_ ? 2 : 1; }
    std::size_t scalars() const { return elements_ * scalars_per_element(); }
    std::size_t origin() const { return static_cast<std::size_t>(-lowest_) * scalars_per_element(); }

    template <class T>
    void write(std::vector<std::vector<T>>& data, const std::vector<LongComplex>& elements) const {
        for (std::size_t i = 0; i < offsets_.size(); ++i) {
            data[0][at(i)] = static_cast<T>(elements[i].real());
            if (is_complex_)
                data[arrays() - 1][at(i) + scalars_per_element() - 1] = static_cast<T>(elements[i].imag());
        }
    }
    template <class T> std::vector<LongComplex> read(const std::vector<std::vector<T>>& data) const {
        std::vector<LongComplex> elements;
        for (std::size_t i = 0; i < offsets_.size(); ++i)
            elements.push_back(
                {data[0][at(i)], is_complex_ ? data[arrays() - 1][at(i) + scalars_per_element() - 1] : T(0)});
        return elements;
    }

private:
    std::size_t scalars_per_element() const { return is_complex_ && !is_planar_ ? 2 : 1; }
    std::size_t at(std::size_t i) const {
        return static_cast<std::size_t>(offsets_[i] - lowest_) * scalars_per_element();
    }

    std::vector<Integer> offsets_;
    bool is_complex_, is_planar_;
    Integer lowest_ = 0;
    std::size_t elements_ = 0;
};

/// The value of NAME_workspace_bytes in a header; 0 without one.
std::size_t workspace_in(const std::string& header) {
    const std::string words = "_workspace_bytes ";
    const std::size_t at = header.find(words);
    return at == std::string::npos ? 0 : std::stoul(header.substr(at + words.size()));
}

/// A problem, the function that swirl wrote for it, and its data.
class EmittedProblem {
public:
    /// `options` of swirl emit besides the CPU, such as a schedule.
    EmittedProblem(const std::string& text, const std::string& options, std::size_t index)
        : text_(text),
          problem_(swirl::problem(text)),
          input_(problem_, true),
          output_(problem_, false),
          expected_(definition::expectation_for(problem_)),
          name_("transform_" + std::to_string(index)) {
        const TemporaryFolder folder;
        const std::string header = (folder.path() / "header").string();
        const auto emitted = run_swirl("emit " + support::quoted(text) + " --cpu neon --function " + name_ +
                                       " --header " + support::quoted(header) + " " + options);
        EXPECT_EQ(emitted.status, 0) << text << "\n" << emitted.errors;
        source_ = emitted.output;
        workspace_ = workspace_in(support::content_of(header));
    }

    const std::string& source() const { return source_; }

    support::ArmCall call() const {
        return problem_.precision == DataType::float32 ? call_of<float>() : call_of<double>();
    }
    void expect_right(const support::ArmCall& after) const {
        problem_.precision == DataType::float32 ? expect_right_as<float>(after)
                                                : expect_right_as<double>(after);
    }

private:
    template <class T> using Arrays = std::vector<std::vector<T>>;
    static constexpr int untouched = 123;

    bool is_in_place() const { return problem_.placement == Placement::in_place; }

    /// In place, the arrays hold either side.
    template <class T> Arrays<T> filled_input() const {
        const std::size_t scalars =
            is_in_place() ? std::max(input_.scalars(), output_.scalars()) : input_.scalars();
        Arrays<T> data(input_.arrays(), std::vector<T>(scalars, T(untouched)));
        input_.write(data, expected_.input);
        return data;
    }

    template <class T> support::ArmCall call_of() const {
        support::ArmCall call{.function = name_};
        const auto add = [&](const Arrays<T>& data, std::size_t origin) {
            for (const std::vector<T>& array : data) {
                const auto bytes = std::as_bytes(std::span(array));
                call.buffers.push_back({{bytes.begin(), bytes.end()}, origin * sizeof(T)});
            }
        };
        add(filled_input<T>(), input_.origin());
        if (!is_in_place())
            add(Arrays<T>(output_.arrays(), std::vector<T>(output_.scalars(), T(untouched))),
                output_.origin());
        if (workspace_ > 0) call.buffers.push_back({std::vector<std::byte>(workspace_, std::byte{0xff})});
        return call;
    }

    template <class T> void expect_right_as(const support::ArmCall& after) const {
        const auto arrays = [&](std::size_t first, std::size_t count) {
            Arrays<T> data;
            for (std::size_t i = first; i < first + count; ++i) {
                const std::vector<std::byte>& bytes = after.buffers[i].bytes;
                data.emplace_back(bytes.size() / sizeof(T));
                std::memcpy(data.back().data(), bytes.data(), bytes.size());
            }
            return data;
        };
        Arrays<T> result = arrays(is_in_place() ? 0 : input_.arrays(), output_.arrays());
        const long double unit =
            std::numeric_limits<T>::epsilon() *
            std::sqrt(std::log2(static_cast<long double>(definition::points_of(problem_)) + 2));
        EXPECT_LT(definition::relative_error(output_.read(result), expected_.output), 2 * unit) << text_;
        if (is_in_place()) return;
        EXPECT_EQ(arrays(0, input_.arrays()), filled_input<T>()) << text_ << ": the input was written to";
        output_.write(result, std::vector<LongComplex>(expected_.output.size(), {untouched, untouched}));
        for (const std::vector<T>& array : result)
            EXPECT_EQ(array, std::vector<T>(array.size(), T(untouched)))
                << text_ << ": written between the elements";
    }

    std::string text_;
    Transform problem_;
    Side input_, output_;
    Expectation expected_;
    std::string name_, source_;
    std::size_t workspace_ = 0;
};

struct Wanted {
    std::string problem;
    std::string schedule = {};
};

/// Two files of all functions, each function with its helpers in a namespace of its own.
void expect_right_on_arm(const std::vector<Wanted>& corpus) {
    std::vector<EmittedProblem> problems;
    std::vector<std::string> texts(
        2, "#include <arm_neon.h>\n#include <cmath>\n#include <cstdint>\n#include <cstring>\n");
    std::vector<support::ArmCall> calls;
    for (const Wanted& wanted : corpus) {
        const std::string options =
            wanted.schedule.empty() ? "" : "--schedule " + support::quoted(wanted.schedule);
        const EmittedProblem& problem = problems.emplace_back(wanted.problem, options, problems.size());
        std::string& text = texts[problems.size() % texts.size()];
        text += "namespace file_" + std::to_string(problems.size()) + " {\n" + problem.source() + "}\n";
        calls.push_back(problem.call());
    }
    support::run_on_arm(texts, "-O1", calls);
    for (std::size_t i = 0; i < problems.size(); ++i) problems[i].expect_right(calls[i]);
}

TEST(Neon, ComputesEverySmallSize) {
    std::vector<Wanted> corpus;
    for (int n = 1; n <= 64; ++n) {
        corpus.push_back({"dft " + std::to_string(n) + (n % 4 < 2 ? "" : " inplace")});
        corpus.push_back({"dft " + std::to_string(n) + " backward float32" + (n % 2 == 0 ? "" : " inplace")});
    }
    expect_right_on_arm(corpus);
}

TEST(Neon, ComputesLargerSizesOfEveryKind) {
    std::vector<Wanted> corpus;
    for (int n = 128; n <= 4096; n *= 2) {
        corpus.push_back({"dft " + std::to_string(n)});
        corpus.push_back({"dft " + std::to_string(n) + " float32 inplace backward"});
    }
    for (const char* rest : {"96 backward", "120 float32", "360", "1000 inplace", "1155",
                             "1680 float32 backward", "2520", "4000", "67", "97 float32", "101 backward",
                             "127", "257", "521 float32", "719", "1019 float32 backward", "1009"})
        corpus.push_back({std::string("dft ") + rest});
    expect_right_on_arm(corpus);
}

TEST(Neon, ComputesEveryLayoutAndKind) {
    std::vector<Wanted> corpus;
    for (const char* problem : {"dft 16 planar",
                                "dft 100 planar inplace",
                                "dft 1024 planar float32 backward",
                                "dft 97 planar",
                                "dft 30 in=3 out=2",
                                "dft 64 in=-2 out=5 float32",
                                "dft 512 in=2 out=3 backward",
                                "dft 12 batch=3 scale=0.5",
                                "dft 64 batch=7 float32",
                                "dft 20 in=4 out=4 batch=4:1",
                                "dft 8x12",
                                "dft 16x16 inplace float32 backward",
                                "dft 4x5x6",
                                "rdft 16",
                                "rdft 15 float32",
                                "rdft 64 inplace",
                                "rdft 97",
                                "rdft 360 float32 backward",
                                "rdft 1024",
                                "rdft 1000 backward",
                                "rdft 6x10 batch=2",
                                "rdft 45 planar",
                                "dct2 64",
                                "dct3 100 float32",
                                "dct4 36",
                                "dst2 31",
                                "dst3 64 float32",
                                "dst4 8x8",
                                "wht 256",
                                "wht 32 float32 inplace",
                                "wht 4x8 batch=3"})
        corpus.push_back({problem});
    expect_right_on_arm(corpus);
}

TEST(Neon, ComputesWhatItsScheduleSays) {
    expect_right_on_arm({
        {"dft 1024", "neon: 0 stockham(4,4,4,4,4)"},
        {"dft 4096 float32", "neon: 0 stockham(16,16,16)"},
        {"dft 64", "neon: scalar; 0 stockham(8,8)"},
        {"dft 41 float32", "neon: 0 bluestein(96)[stockham(12,8), stockham(12,8)]"},
        {"dft 60 backward", "neon: 0 good-thomas(4,15)"},
        {"dft 4096", "neon: 0 two-sweep(64,64,16)"},
    });
}

TEST(Neon, IsRefusedWhereThePlanHasToRun) {
    for (const char* arguments :
         {"verify dft 8 --cpu neon", "bench dft 8 --cpu neon", "plan dft 8 --cpu neon --measure",
          "verify dft 8 --schedule 'neon: 0 codelet'"}) {
        const auto outcome = run_swirl(arguments);
        EXPECT_EQ(outcome.status, 2) << arguments;
        EXPECT_NE(outcome.errors.find("swirl emit"), std::string::npos) << outcome.errors;
    }
    EXPECT_THROW(swirl::plan("dft 8", {.cpu = "neon"}), Unavailable);
    const auto listing = run_swirl("show dft 8 --stage asm --cpu neon");
    EXPECT_EQ(listing.status, 2);
    EXPECT_NE(listing.errors.find("C++"), std::string::npos) << listing.errors;
}

TEST(Neon, IsPlannedAndShownAnywhere) {
    const std::string plan = run_swirl("plan dft 1024 --cpu neon").output;
    EXPECT_NE(plan.find("neon: 0 "), std::string::npos) << plan;
    EXPECT_NE(plan.find("cannot run neon"), std::string::npos) << plan;
    EXPECT_TRUE(nlohmann::json::parse(run_swirl("plan dft 64 --cpu neon --json").output)["floors"].is_null());
    EXPECT_NE(run_swirl("show dft 64 --cpu neon --stage machine-ir").output.find("neon_"), std::string::npos);
    EXPECT_NE(run_swirl("show dft 64 --cpu neon --stage c++").output.find("arm_neon.h"), std::string::npos);
}

} // namespace neon_test
} // namespace swirl
