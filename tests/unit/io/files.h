#pragma once
/// Helpers of the tests of io: a folder of their own, files as strings, items as vectors.

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdlib.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/items.h"

namespace strc::io {

class Files : public testing::Test {
protected:
    Files() {
        std::string pattern = testing::TempDir() + "strc-io-XXXXXX";
        folder = mkdtemp(pattern.data());
    }
    ~Files() override { std::filesystem::remove_all(folder); }

    std::string path(const std::string& name) const { return folder + "/" + name; }

    std::string file(const std::string& name, const std::string& contents) const {
        std::ofstream(path(name), std::ios::binary) << contents;
        return path(name);
    }

    std::string contents(const std::string& name) const {
        std::ifstream in(path(name), std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        return text.str();
    }

    std::unique_ptr<ItemReader> reader(const std::string& name, Format format,
                                       const types::Type* item) {
        auto opened = openReader(name, format, item);
        EXPECT_TRUE(opened) << opened.error();
        return opened ? std::move(*opened) : nullptr;
    }

    /// All items that are left, asked for a few at a time.
    template <typename T>
    static std::vector<T> rest(ItemReader& reader, std::size_t atOnce = 7) {
        std::vector<T> items;
        std::vector<T> some(atOnce);
        while (true) {
            auto got = reader.read(reinterpret_cast<std::byte*>(some.data()), atOnce);
            EXPECT_TRUE(got) << got.error();
            if (!got || *got == 0) return items;
            items.insert(items.end(), some.begin(),
                         some.begin() + static_cast<std::ptrdiff_t>(*got));
        }
    }

    template <typename T>
    std::vector<T> readAll(const std::string& name, Format format, const types::Type* item) {
        auto opened = reader(name, format, item);
        return opened ? rest<T>(*opened) : std::vector<T>{};
    }

    /// Writes the items in two parts.
    template <typename T>
    void writeAll(const std::string& name, Format format, const types::Type* item,
                  const std::vector<T>& items, const StreamInfo& info = {}) {
        auto opened = openWriter(path(name), format, item, info);
        ASSERT_TRUE(opened) << opened.error();
        std::size_t perItem = static_cast<std::size_t>(types::sizeOf(item)) / sizeof(T);
        std::size_t count = items.size() / perItem;
        const auto* bytes = reinterpret_cast<const std::byte*>(items.data());
        std::size_t half = count / 2;
        for (auto status : {(*opened)->write(bytes, half),
                            (*opened)->write(bytes + half * perItem * sizeof(T), count - half),
                            (*opened)->close()})
            EXPECT_TRUE(status) << status.error();
    }

    /// Why the file cannot be read, to its end; empty if it can.
    std::string refusal(const std::string& name, Format format, const types::Type* item) {
        auto opened = openReader(name, format, item);
        if (!opened) return opened.error();
        std::vector<std::byte> some(static_cast<std::size_t>(types::sizeOf(item)) * 5);
        while (true) {
            auto got = (*opened)->read(some.data(), 5);
            if (!got) return got.error();
            if (*got == 0) return {};
        }
    }

    types::TypeTable types;
    std::string folder;
};

template <typename T>
std::string bytesOf(const std::vector<T>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

}  // namespace strc::io
