#include "driver/detail/product.h"

namespace strc::driver {

using base::Diag;

std::string productName(const Options& options, const std::string& name) {
    if (options.has("shared")) return "lib" + name + ".so";
    if (options.has("plugin")) return name + "." + options.valueOf("plugin");
    return options.has("gnuradio") ? "gr-" + name : name;
}

void checkProduct(const Options& options, base::Diagnostics& diags) {
    auto conflict = [&](const std::string& one, const std::string& other) {
        diags.add(Diag::ConflictingOptions) << one << other;
    };
    for (const std::string host : {"plugin", "gnuradio"}) {
        if (!options.has(host)) continue;
        for (const std::string other : {"shared", "static", "external-weights", "bundle", "header",
                                        "lanes", "threads", "target", "ranks"})
            if (options.has(other)) conflict("--" + host, "--" + other);
        if (options.emit) conflict("--" + host, "--emit");
    }
    const bool isPlugin = options.has("plugin") || options.has("gnuradio");
    if (options.has("plugin") && options.has("gnuradio")) conflict("--plugin", "--gnuradio");
    if (options.has("shared") && options.has("ranks")) conflict("--shared", "--ranks");
    if (isPlugin || options.has("shared")) return;
    if (options.has("header") && options.emit != STRC_C_SOURCE)
        diags.add(Diag::BadCommandLine) << "--header needs --shared or --emit=c";
    for (const std::string word : {"bound", "lanes", "threads"})
        if (options.has(word)) diags.add(Diag::BadCommandLine) << "--" + word + " needs --shared";
}

}  // namespace strc::driver
