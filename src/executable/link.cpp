#include "executable/link.h"

#include <cerrno>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <string_view>

#include "embedded/programArchive.h"
#include "embedded/runtimeSources.h"
#include "executable/detail/beside.h"
#include "io/subprocess.h"

namespace strc::executable {
namespace {

using base::Diag;
using base::Status;

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
        return writeFile(file(name), bytes);
    }

private:
    std::string path;
    int error = 0;
};

/// Which of the runtime's sources are needed: no library has a main function, files or messages, and the headers of
/// libraries are not there for other machines.
bool isWanted(std::string_view source, const LinkOptions& options) {
    if (source == "files/png.c" || source == "files/jpeg.c") return false;
    if (!options.exports.empty())
        return source.starts_with("library/") || source.starts_with("plugins/") ||
               source.starts_with("src/");
    return source.starts_with("main/") || source.starts_with("files/") ||
           source.starts_with("src/");
}

/// Puts the runtime into the workshop; adds the words that have it linked.
Status addRuntime(const Workshop& workshop, const LinkOptions& options,
                  std::vector<std::string>& command) {
    if (!options.compilesRuntime) {
        command.push_back(workshop.file("libstrc_program.a"));
        return workshop.write("libstrc_program.a", embedded::programArchive());
    }
    for (const char* word : {"-O2", "-std=gnu11", "-ffp-contract=off", "-fPIC",
                             "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-I"})
        command.push_back(word);
    command.push_back(workshop.file("include"));
    for (const base::EmbeddedFile& source : embedded::runtimeSources()) {
        std::string name(source.name);
        if (name.ends_with(".c") && isWanted(name, options)) command.push_back(workshop.file(name));
        if (Status written = workshop.write(name, source.text); !written) return written;
    }
    return base::ok();
}

/// The product finds the libraries where they are now, or beside itself.
void addLibraries(const LinkOptions& options, std::vector<std::string>& command) {
    if (!options.bundle.empty()) command.push_back("-Wl,-rpath,$ORIGIN");
    for (const std::string& library : options.libraries) {
        std::error_code ignored;
        const auto path = std::filesystem::absolute(library, ignored);
        if (!options.bundle.empty()) {  // by its name alone, wherever the folder is
            command.push_back("-L" + options.bundle);
            command.push_back("-l:" + path.filename().string());
            continue;
        }
        command.push_back(path.string());
        command.push_back("-Wl,-rpath," + path.parent_path().string());
    }
}

/// Hosts see what is exported; everything else stays inside, so that several libraries of one process do not meet.
Status addExports(const Workshop& workshop, const std::string& output,
                  const std::vector<Export>& exports, std::vector<std::string>& command) {
    std::string exported = "{ global:";
    for (const auto& [name, inside] : exports) {
        command.push_back("-Wl,-u," + inside);
        if (name != inside) command.push_back("-Wl,--defsym=" + name + "=" + inside);
        exported += " " + name + ";";
    }
    const std::string base = std::filesystem::path(output).filename();
    // With all names bound when it is loaded nothing is looked up while it runs.
    for (const std::string& word :
         {std::string("-shared"), std::string("-Wl,-z,now"), "-Wl,-soname," + base,
          "-Wl,--version-script=" + workshop.file("exported")})
        command.push_back(word);
    return workshop.write("exported", exported + " local: *; };\n");
}

Status runLinker(const Workshop& workshop, const std::string& product, const std::string& output,
                 const LinkOptions& options) {
    const bool isLibrary = !options.exports.empty();
    std::vector<std::string> command{options.linker, "-o", product, workshop.file("program.o")};
    if (Status added = addRuntime(workshop, options, command); !added) return added;
    addLibraries(options, command);
    if (isLibrary)
        if (Status added = addExports(workshop, output, options.exports, command); !added)
            return added;
    if (options.isStatic) command.push_back("-static");
    for (const char* word : {"-Wl,--gc-sections", "-pthread", "-lm"}) command.push_back(word);
    io::ToolEnd end = io::callTool(command, {});
    if (end.fine) return base::ok();
    if (end.isMissing)
        return base::failure(Diag::ToolMissing,
                             {isLibrary ? "a library" : "an executable", options.linker});
    return base::failure(Diag::CannotLink, {options.linker, end.complaint});
}

Status linkTo(Beside& product, const std::string& object, const std::string& output,
              const LinkOptions& options) {
    if (Status made = product.status(); !made) return made;
    Workshop workshop;
    if (Status made = workshop.status(); !made) return made;
    if (Status written = workshop.write("program.o", object); !written) return written;
    return runLinker(workshop, product.name(), output, options);
}

}  // namespace

std::vector<Export> libraryFunctions(const std::string& prefix, bool hasThreads) {
    std::vector<const char*> names{
        "create", "destroy",    "process", "process_ends", "process_many", "drain", "drain_ends",
        "reset",  "state_size", "save",    "restore",      "clone",        "set",   "message"};
    if (hasThreads) names.insert(names.end(), {"threads", "thread_report"});
    std::vector<Export> functions;
    for (const char* name : names)
        functions.push_back({prefix + "_" + name, std::string("strc_library_") + name});
    return functions;
}

Status link(const std::string& object, const std::string& output, const LinkOptions& options) {
    Beside product(output);
    std::deque<Beside> companions;
    for (const Companion& each : options.companions) {
        Beside& made = companions.emplace_back(each.path);
        if (Status begun = made.status(); !begun) return begun;
        if (Status written = made.write(each.text); !written) return written;
    }
    if (Status linked = linkTo(product, object, output, options); !linked) return linked;
    for (Beside& each : companions)
        if (Status complete = each.complete(false); !complete) return complete;
    return product.complete(true);
}

}  // namespace strc::executable
