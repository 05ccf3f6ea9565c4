#pragma once
/// Programs that go on as items come, behind their handles.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "api/detail/compiler.h"
#include "api/detail/ports.h"
#include "strc/flow.h"

struct strc_stream {
    explicit strc_stream(strc_compiler& owner) : compiler(owner) {}
    ~strc_stream();

    bool make();
    bool openKernels();
    void reportFailure();
    strc_status set(std::uint32_t parameter, const void* value, std::size_t size);
    template <typename Ports>
    strc_status call(int (*what)(strc_flow*, const strc_flow_ends*), const Ports&,
                     std::size_t inCount, std::size_t outCount);

    strc_compiler& compiler;
    strc_stream_about about{};
    strc_flow_facts facts{};
    bool hasOwnStack = false;
    std::vector<std::byte> parameters;
    std::unique_ptr<void, decltype(&std::free)> block{nullptr, &std::free};
    strc_flow* flow = nullptr;
    std::vector<strc::api::TensorItem> inTypes, outTypes;
    std::vector<std::uint64_t> inTurns, outTurns;  ///< of inputs and outputs, one at least
    strc_print* print = nullptr;
    void* printUser = nullptr;
};
