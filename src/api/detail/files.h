#pragma once
/// The ends of the main stream in one run: files, or functions of the caller. Private to api.

#include <functional>
#include <memory>

#include "api/detail/compiler.h"
#include "io/items.h"

namespace strc::api {

/// Are the words of the options about files words that there are?
bool areFilesKnown(const strc_run_options&);

class Ports {
public:
    /// `waiting` is called when an input has nothing to give yet.
    Ports(strc_compiler&, const strc_run_options&, std::function<void()> waiting);

    /// False after reporting.
    bool open();

    /// Null: the main stream has no such end.
    io::ItemReader* input() const { return reader.get(); }
    io::ItemWriter* output() const { return writer.get(); }

private:
    void checkFilters();
    void checkCount(std::size_t files, bool isInput);
    std::vector<std::uint64_t> turnsOf(bool isInput) const;
    bool checkSide(const char* option, bool isThere, std::string_view side);
    std::optional<io::Format> formatOf(const char* file, const char* format,
                                       std::string_view option);
    bool isKnown(const graph::Edge& input);
    void openInput(const graph::Edge&);
    void openOutput(const graph::Edge&);
    io::StreamInfo saidInfo() const;
    io::StreamInfo outInfo() const;

    strc_compiler& compiler;
    base::Diagnostics& diags;
    const strc_run_options& options;
    std::function<void()> waiting;
    std::unique_ptr<io::ItemReader> reader;
    std::unique_ptr<io::ItemWriter> writer;
};

}  // namespace strc::api
