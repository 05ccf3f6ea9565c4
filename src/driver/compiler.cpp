#include "driver/detail/compiler.h"

#include <algorithm>
#include <cctype>
#include <istream>
#include <new>
#include <ostream>

#include "base/assert.h"

namespace strc::driver {

namespace {

std::size_t readStream(void* from, char* to, std::size_t room) {
    auto& in = *static_cast<std::istream*>(from);
    in.read(to, static_cast<std::streamsize>(room));
    return static_cast<std::size_t>(in.gcount());
}

void log(void* user, const char* text, std::size_t size) {
    static_cast<const Process*>(user)->err << std::string_view(text, size);
}

void printOn(void* user, const char* text, std::size_t size) {
    (*static_cast<const Print*>(user))({text, size});
}

bool beginsWithOneOf(std::string_view name, std::initializer_list<std::string_view> prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// Of which nothing but the rate is known before the run.
bool isDevice(std::string_view name) {
    return beginsWithOneOf(name, {"jack:", "alsa:", "portaudio:"});
}

/// Devices and other programs.
bool isNoFile(std::string_view name) {
    return name == "-" || isDevice(name) || beginsWithOneOf(name, {"tcp:", "unix:", "rtl_tcp:"});
}

/// Does the file say what tensors are in it?
bool saysShape(const std::string& file, const std::optional<std::string>& format) {
    if (isNoFile(file)) return false;
    if (format)
        return *format == "npy" || (file.ends_with("." + *format) && saysShape(file, std::nullopt));
    for (const char* end :
         {".npy", ".safetensors", ".png", ".jpg", ".jpeg", ".pgm", ".ppm", ".pnm"})
        if (file.ends_with(end)) return true;
    return file.find(".safetensors:") != file.npos;
}

bool endsLikeSound(const std::string& file) {
    std::string lower = file;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    for (const char* end : {".wav", ".wave", ".flac", ".ogg", ".oga", ".opus", ".sigmf-data"})
        if (lower.ends_with(end)) return true;
    return false;
}

/// Compressed sounds are known by their names alone.
bool isSound(const std::string& file, const std::optional<std::string>& format) {
    if (isNoFile(file)) return false;
    if (!format) return endsLikeSound(file);
    return *format == "wav" || (endsLikeSound("." + *format) && endsLikeSound(file));
}

}  // namespace

Compiler::Compiler(const Call& served) : call(served), compiler(strc_compiler_new()) {
    if (!compiler) throw std::bad_alloc();
    // The flag is a byte that is 0 or 1, whatever it is called.
    strc_compiler_set_interrupt(
        compiler, reinterpret_cast<const volatile unsigned char*>(call.process.interrupt));
    strc_compiler_set_log(compiler, log, const_cast<Process*>(&call.process));
    if (call.reporter.hasColour()) set("color");
    for (const Setting& setting : call.options.settings)
        set(setting.name.c_str(), setting.value ? setting.value->c_str() : nullptr);
}

Compiler::~Compiler() {
    showTimes();
    strc_compiler_free(compiler);
}

void Compiler::set(const char* option, const char* value) {
    if (!isFine(strc_compiler_set(compiler, option, value)))
        base::internalError(__FILE__, __LINE__, option);
}

void Compiler::addSource(const std::string& file) {
    isFine(file == "-" ? strc_compiler_add_stream(compiler, "<stdin>", readStream, &call.process.in)
                       : strc_compiler_add_file(compiler, file.c_str()));
}

void Compiler::addSources() {
    for (const std::string& file : call.options.arguments) addSource(file);
}

void Compiler::addInputs() {
    const FileOptions& in = call.options.in;
    for (const std::string& file : in.names) {
        if (saysShape(file, in.format)) set("input-file", file.c_str());
        if (isDevice(file) || isSound(file, in.format)) set("input-sound", file.c_str());
    }
}

bool Compiler::compile(strc_stage last, const Print& print) {
    return isFine(strc_compiler_compile(compiler, last, print ? printOn : nullptr,
                                        const_cast<Print*>(&print)));
}

bool Compiler::build(const std::string& output) {
    return isFine(strc_compiler_build(compiler, output.c_str()));
}

std::optional<std::string_view> Compiler::text(strc_product product) {
    std::size_t size = 0;
    const char* made = strc_compiler_text(compiler, product, &size);
    show();
    if (made) return std::string_view(made, size);
    if (!call.reporter.hasErrors() && !call.interrupted()) throw std::bad_alloc();
    return std::nullopt;
}

std::optional<Compiler::Formatted> Compiler::format() {
    std::size_t size = 0;
    int changes = 0;
    const std::size_t before = strc_compiler_error_count(compiler);
    const char* made = strc_compiler_format(compiler, &size, &changes);
    show();
    if (made) return Formatted{{made, size}, changes != 0};
    if (before == 0 && strc_compiler_error_count(compiler) == 0) throw std::bad_alloc();
    return std::nullopt;
}

std::optional<std::string_view> Compiler::optimise() {
    std::size_t size = 0;
    const char* made = strc_compiler_optimise(compiler, &size);
    show();
    if (made) return std::string_view(made, size);
    if (strc_compiler_error_count(compiler) == 0) throw std::bad_alloc();
    return std::nullopt;
}

void Compiler::show() { call.reporter.show(compiler, seen); }

void Compiler::showTimes() { call.process.err << strc_compiler_times(compiler) << std::flush; }

bool Compiler::isFine(strc_status status) {
    if (status == STRC_NO_MEMORY) throw std::bad_alloc();
    show();
    return status == STRC_OK;
}

}  // namespace strc::driver
