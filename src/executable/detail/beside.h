#pragma once
/// A file that appears when it is complete, and not at all after a failure.

#include <string>
#include <string_view>

#include "base/result.h"

namespace strc::executable {

/// A file beside the one that it is to become.
class Beside {
public:
    explicit Beside(const std::string& output);
    ~Beside();
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;

    /// Could it be made?
    base::Status status() const;
    /// Where it is until it is complete.
    const std::string& name() const { return path; }
    base::Status write(std::string_view text) const;
    /// Puts it where it belongs, in one step.
    base::Status complete(bool isProgram);

private:
    std::string output;
    std::string path;
    int error = 0;
    bool exists = false;
};

/// Writes all of a file; a CannotWriteFile failure.
base::Status writeFile(const std::string& path, std::string_view bytes);
base::Failure cannotWrite(const std::string& name, int error);

}  // namespace strc::executable
