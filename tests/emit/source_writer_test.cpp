#include "emit/source_writer.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace swirl::emit {
namespace source_writer_test {

TEST(SourceWriter, IndentsBlocksAndLeavesEmptyLinesEmpty) {
    SourceWriter out;
    {
        SourceWriter::Block function(out, "void f()", " // f");
        out.line("int x = {};", 3);
        out.line();
        out.open("if (x)");
        out.write("{braces}");
        out.reopen("else");
        out.directive("#define Y");
        out.close(";");
    }
    EXPECT_EQ(out.text(),
              "void f() {\n"
              "    int x = 3;\n"
              "\n"
              "    if (x) {\n"
              "        {braces}\n"
              "    } else {\n"
              "#define Y\n"
              "    };\n"
              "} // f\n");
}

TEST(SourceWriter, BreaksCommentsBetweenWords) {
    SourceWriter out(16);
    out.comment("one two three four\n\nunbreakable_word x");
    EXPECT_EQ(out.text(), "// one two three\n// four\n//\n// unbreakable_word\n// x\n");
}

TEST(SourceWriter, BreaksListsOnlyWhenTheyDoNotFit) {
    const std::vector<std::string> items = {"alpha", "beta", "gamma", "delta"};
    SourceWriter wide(40);
    wide.list("f(", items, ");");
    EXPECT_EQ(wide.text(), "f(alpha, beta, gamma, delta);\n");
    SourceWriter narrow(18);
    narrow.list("f(", items, ");");
    EXPECT_EQ(narrow.text(), "f(\n    alpha, beta,\n    gamma, delta\n);\n");
}

TEST(SourceWriter, RefusesToCloseWhatIsNotOpen) {
    SourceWriter out;
    EXPECT_THROW(out.close(), InternalError);
}

TEST(SourceWriter, IndentsWithoutBraces) {
    SourceWriter out;
    out.line("again:");
    out.indent();
    out.line("add.s32 %r0, %r0, 1;");
    out.outdent();
    out.line("bra again;");
    EXPECT_EQ(out.text(), "again:\n    add.s32 %r0, %r0, 1;\nbra again;\n");
    EXPECT_THROW(out.outdent(), InternalError);
}

} // namespace source_writer_test
} // namespace swirl::emit
