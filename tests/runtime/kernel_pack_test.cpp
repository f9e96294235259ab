#include "runtime/kernel_pack.hpp"
#include "base/error.hpp"
#include "support/kernel_cache_fixture.hpp"

#include <gtest/gtest.h>

#include <string>

namespace swirl::runtime {
namespace kernel_pack_test {

using support::cache_key;
using support::CachedKernels;
using support::kernel_code;

std::string refusal_of(const std::string& pack) {
    try {
        unpack(pack, "the.pack");
        return "";
    } catch (const UserError& error) {
        return error.what();
    }
}

TEST_F(CachedKernels, ArePackedAndUnpackedAsTheyAre) {
    EXPECT_TRUE(unpack(pack(cache).bytes, "empty").empty());
    for (int k = 0; k < 5; ++k) store(k, static_cast<std::size_t>(100 * k));
    support::write_content(file_of(9), "damaged");
    const KernelPack packed = pack(cache);
    EXPECT_EQ(packed.kernels, 5U);
    EXPECT_EQ(packed.bytes, pack(cache).bytes);
    const auto kernels = unpack(packed.bytes, "the.pack");
    ASSERT_EQ(kernels.size(), 5U);
    const TemporaryFolder other_folder;
    KernelCache other(other_folder.path());
    for (const auto& kernel : kernels) EXPECT_TRUE(other.store(kernel.key, kernel.label, kernel.code));
    for (int k = 0; k < 5; ++k)
        EXPECT_EQ(other.find(cache_key(k)), kernel_code(k, static_cast<std::size_t>(100 * k)));
    EXPECT_EQ(pack(other).bytes, packed.bytes) << "labels too";
}

TEST_F(CachedKernels, OfADamagedPackAreRefusedByItsName) {
    for (int k = 0; k < 3; ++k) store(k, 20);
    const std::string whole = pack(cache).bytes;
    const auto expect_refused = [](const std::string& damaged, const std::string& how) {
        EXPECT_EQ(refusal_of(damaged).rfind("the.pack is ", 0), 0U) << how << ": " << refusal_of(damaged);
    };
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
        expect_refused(whole.substr(0, bytes), std::to_string(bytes) + " bytes are left");
    expect_refused(whole + '\0', "one byte more");
    for (std::size_t byte = 0; byte < whole.size(); ++byte)
        for (int bit = 0; bit < 8; ++bit) {
            std::string flipped = whole;
            flipped[byte] = static_cast<char>(flipped[byte] ^ (1 << bit));
            expect_refused(flipped, "bit " + std::to_string(bit) + " of byte " + std::to_string(byte));
        }
    std::string second = whole; // in the second of three entries alike
    second[24 + (whole.size() - 24) / 3 + 60] ^= 1;
    const std::string refusal = refusal_of(second);
    EXPECT_NE(refusal.find("at kernel 2 of 3"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("checksum"), std::string::npos) << refusal;
}

} // namespace kernel_pack_test
} // namespace swirl::runtime
