#pragma once
/// Weights files as texts, in a folder of their own.

#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdlib.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weights/weights.h"

namespace strc::weights {

/// The length of the header, the header, the values.
inline std::string safetensors(const std::string& header, const std::string& values) {
    const std::uint64_t length = header.size();
    return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + values;
}

/// What stands for one tensor.
inline std::string entry(const std::string& name, const std::string& type, const std::string& shape,
                         std::uint64_t begin, std::uint64_t end) {
    return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":[" + shape +
           "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
}

template <typename T>
std::string bytesOf(const std::vector<T>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

class Files : public testing::Test {
protected:
    Files() {
        std::string pattern = testing::TempDir() + "strc-weights-XXXXXX";
        folder = mkdtemp(pattern.data());
    }
    ~Files() override { std::filesystem::remove_all(folder); }

    std::string file(const std::string& contents) const {
        std::string path = folder + "/w.safetensors";
        std::ofstream(path, std::ios::binary) << contents;
        return path;
    }

    const Type* anything() { return types.tensor(); }

    template <typename T>
    static std::vector<T> valuesOf(const Values& values) {
        const auto count = static_cast<std::size_t>(types::sizeOf(values.type)) / sizeof(T);
        std::vector<T> made(count);
        std::memcpy(made.data(), values.bytes.get(), count * sizeof(T));
        return made;
    }

    types::TypeTable types;
    std::string folder;
};

}  // namespace strc::weights
