#pragma once
/// Filters whose shapes only the run knows, as compiled code in this process calls them. Private to host.

#include <memory>
#include <optional>

#include "host/run.h"
#include "io/items.h"
#include "strc/symbolic.h"

namespace strc::dynamic_shapes {
class Filters;
}

namespace strc::host {

class DynamicShape {
public:
    /// `print`: what these filters print. Of a plan that has such filters; references outlive this.
    DynamicShape(base::Context&, const plan::Plan&, const Program&, const interp::Options&,
                 std::function<void(std::string_view)> print);
    ~DynamicShape();

    /// strc_symbolic::fire. Not nothing: the run is over, and faults are reported.
    std::optional<interp::End> fire(strc_env&, graph::NodeId, void* const* parts,
                                    std::int32_t& left);
    /// strc_symbolic::next; false after reporting.
    bool next(graph::NodeId, void* to);
    /// strc_symbolic::settle.
    void settle(const void* state);
    /// Items of an end of the program that are names.
    base::Status write(io::ItemWriter&, const std::byte* names, std::int64_t items);

private:
    base::Context& context;
    std::vector<strc_names> names;
    const Program& whole;
    const interp::Options& options;
    std::unique_ptr<dynamic_shapes::Filters> filters;
};

}  // namespace strc::host
