#pragma once
/// A file whose bytes are read, never mapped: who makes a mapped file shorter ends whatever process looks at
/// it, and that may be a program that has the compiler in it. Private to weights.

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "weights/weights.h"

namespace strc::weights {

class Reading {
public:
    /// Any failure is a WeightsFile.
    static base::Result<std::unique_ptr<Reading>> open(const std::string& path);
    ~Reading();
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

    /// When it was opened.
    std::uint64_t size() const { return length; }
    /// At a place where elements of every type may lie. Fails if the file is no longer what was opened.
    base::Result<Bytes> read(std::uint64_t begin, std::uint64_t count) const;

private:
    struct Version;  ///< what tells that a file has been written again

    Reading(int file, std::string path, std::unique_ptr<Version> opened, std::uint64_t length);

    int file;
    std::string path;
    std::unique_ptr<Version> opened;
    std::uint64_t length;
};

}  // namespace strc::weights
