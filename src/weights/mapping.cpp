#include "weights/mapping.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace strc::weights {

namespace {

base::Failure unusable(const std::string& path, std::string reason) {
    return base::failure(base::Diag::WeightsFile, {path, std::move(reason)});
}

}  // namespace

base::Result<std::shared_ptr<const Mapping>> Mapping::open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return unusable(path, std::strerror(errno));
    struct stat about{};
    const bool isKnown = fstat(file, &about) == 0;
    const auto size = isKnown ? static_cast<std::uint64_t>(about.st_size) : 0;
    void* bytes = nullptr;
    std::string why;
    if (!isKnown || !S_ISREG(about.st_mode))
        why = "it is no regular file";
    else if (size > 0 &&
             (bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0)) == MAP_FAILED)
        why = std::strerror(errno);
    ::close(file);
    if (!why.empty()) return unusable(path, why);
    return std::shared_ptr<const Mapping>(new Mapping(static_cast<const std::byte*>(bytes), size));
}

Mapping::~Mapping() {
    if (length > 0) munmap(const_cast<std::byte*>(bytes), length);
}

}  // namespace strc::weights
