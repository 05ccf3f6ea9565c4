#include "executable/link.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "embedded/programArchive.h"
#include "embedded/runtimeSources.h"
#include "io/subprocess.h"

namespace strc::executable {
namespace {

using base::Diag;
using base::Status;

base::Failure cannotWrite(const std::string& name, int error) {
    return base::failure(Diag::CannotWriteFile, {name, std::strerror(error)});
}

/// A folder for what the linker reads; it goes with everything in it.
class Workshop {
public:
    Workshop() {
        const char* asked = std::getenv("TMPDIR");
        path = asked && *asked ? asked : "/tmp";
        path += "/strc-XXXXXX";
        if (!mkdtemp(path.data())) error = errno;
    }
    ~Workshop() {
        std::error_code ignored;
        if (error == 0) std::filesystem::remove_all(path, ignored);
    }
    Workshop(const Workshop&) = delete;
    Workshop& operator=(const Workshop&) = delete;

    Status status() const { return error == 0 ? base::ok() : cannotWrite(path, error); }
    std::string file(const std::string& name) const { return path + "/" + name; }

    Status write(const std::string& name, std::string_view bytes) const {
        std::error_code ignored;
        std::filesystem::create_directories(std::filesystem::path(file(name)).parent_path(),
                                            ignored);
        errno = 0;
        std::ofstream out(file(name), std::ios::binary);
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        out.close();
        return out ? base::ok() : cannotWrite(file(name), errno != 0 ? errno : EIO);
    }

private:
    std::string path;
    int error = 0;
};

/// A file beside the one that it is to become.
class Beside {
public:
    explicit Beside(const std::string& output) : output(output), path(output + ".XXXXXX") {
        struct stat old{};
        if (stat(output.c_str(), &old) == 0 && !S_ISREG(old.st_mode)) {
            error = S_ISDIR(old.st_mode) ? EISDIR : ENOTSUP;  // a device is not to be replaced
            return;
        }
        int descriptor = mkstemp(path.data());
        error = descriptor < 0 ? errno : 0;
        if (descriptor >= 0) close(descriptor);
        exists = descriptor >= 0;
    }
    ~Beside() {
        if (exists) unlink(path.c_str());
    }
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;

    Status status() const { return error == 0 ? base::ok() : cannotWrite(output, error); }
    const std::string& name() const { return path; }

    Status complete() {
        mode_t mask = umask(0);
        umask(mask);
        if (chmod(path.c_str(), 0777 & ~mask) != 0 || rename(path.c_str(), output.c_str()) != 0)
            return cannotWrite(output, errno);
        exists = false;
        return base::ok();
    }

private:
    std::string output;
    std::string path;
    int error = 0;
    bool exists = false;
};

/// Puts the runtime into the workshop; adds the words that have it linked.
Status addRuntime(const Workshop& workshop, const LinkOptions& options,
                  std::vector<std::string>& command) {
    if (!options.compilesRuntime) {
        command.push_back(workshop.file("libstrc_program.a"));
        return workshop.write("libstrc_program.a", embedded::programArchive());
    }
    for (const char* word :
         {"-O2", "-std=gnu11", "-ffp-contract=off", "-ffunction-sections", "-fdata-sections", "-I"})
        command.push_back(word);
    command.push_back(workshop.file("include"));
    for (const base::EmbeddedFile& source : embedded::runtimeSources()) {
        std::string name(source.name);
        if (name.ends_with(".c")) command.push_back(workshop.file(name));
        if (Status written = workshop.write(name, source.text); !written) return written;
    }
    return base::ok();
}

/// The executable finds the libraries where they are now.
void addLibraries(const LinkOptions& options, std::vector<std::string>& command) {
    for (const std::string& library : options.libraries) {
        std::error_code ignored;
        const auto path = std::filesystem::absolute(library, ignored);
        command.push_back(path.string());
        command.push_back("-Wl,-rpath," + path.parent_path().string());
    }
}

Status runLinker(const Workshop& workshop, const std::string& output, const LinkOptions& options) {
    std::vector<std::string> command{options.linker, "-o", output, workshop.file("program.o")};
    if (Status added = addRuntime(workshop, options, command); !added) return added;
    addLibraries(options, command);
    if (options.isStatic) command.push_back("-static");
    for (const char* word : {"-Wl,--gc-sections", "-pthread", "-lm"}) command.push_back(word);
    io::ToolEnd end = io::callTool(command, {});
    if (end.fine) return base::ok();
    if (end.isMissing) return base::failure(Diag::ToolMissing, {"an executable", options.linker});
    return base::failure(Diag::CannotLink, {options.linker, end.complaint});
}

}  // namespace

Status link(const std::string& object, const std::string& output, const LinkOptions& options) {
    Workshop workshop;
    if (Status made = workshop.status(); !made) return made;
    Beside beside(output);
    if (Status made = beside.status(); !made) return made;
    if (Status written = workshop.write("program.o", object); !written) return written;
    if (Status linked = runLinker(workshop, beside.name(), options); !linked) return linked;
    return beside.complete();
}

}  // namespace strc::executable
