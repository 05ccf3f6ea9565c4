// Stands in for libFuzzer: gives each file under the given folders to the fuzzer, in the order of
// their names, and then as many changed copies of it as asked for. The changes follow from the file's
// number alone, so that every run sees the same inputs. At least one file has to be there.
//   fuzz_NAME [--mutations N] FOLDER...

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "byte_mutator.h"
#include "token_mutator.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void give(const std::string& text) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

std::string changed(const std::string& text, std::uint32_t seed) {
#ifdef STRC_FUZZ_TEXTS
    constexpr std::uint32_t kByBytes = 5;  // one mutation in so many, as under libFuzzer
    if (seed % kByBytes != 0) return strc::fuzz::mutateTokens(text, seed);
#endif
    return strc::fuzz::mutateBytes(text, seed);
}

}  // namespace

int main(int argc, char** argv) {
    std::set<std::filesystem::path> files;
    std::uint32_t mutations = 0;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--mutations" && i + 1 < argc) {
            mutations = static_cast<std::uint32_t>(std::strtoul(argv[++i], nullptr, 10));
            continue;
        }
        if (!std::filesystem::is_directory(argv[i])) continue;  // no regressions yet
        for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
            if (entry.is_regular_file()) files.insert(entry.path());
        }
    }
    std::uint32_t number = 0;
    for (const auto& file : files) {
        std::fprintf(stderr, "%s\n", file.c_str());
        std::ifstream stream(file, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        give(text);
        for (std::uint32_t k = 0; k < mutations; ++k, ++number) {
            // The last line of a log that ends in a crash says which one it was.
            std::fprintf(stderr, "\rmutation %u", number);
            give(changed(text, number));
        }
        if (mutations != 0) std::fprintf(stderr, "\n");
    }
    std::fprintf(stderr, "%zu inputs\n", files.size());
    return files.empty() ? 1 : 0;
}
