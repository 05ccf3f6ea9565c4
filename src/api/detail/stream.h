#pragma once
/// Programs that go on as items come, behind their handles.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "api/detail/collective.h"
#include "api/detail/compiler.h"
#include "api/detail/moving.h"
#include "api/detail/ports.h"
#include "api/detail/replace.h"
#include "strc/flow.h"

struct strc_stream {
    explicit strc_stream(strc_compiler& owner) : compiler(&owner) {}
    ~strc_stream();
    strc_stream(const strc_stream&) = delete;
    strc_stream& operator=(const strc_stream&) = delete;

    bool make();
    /// The two go on with each other's programs. Where they print and who is to take their places stays.
    void exchangePrograms(strc_stream& other);
    bool openKernels();
    /// Gives it the threads that are wanted, as far as the program has something for them; a sentence about what the system refuses, or null.
    const char* makeThreads(const strc_threading&);
    /// Can it reach those that do parts for it?
    bool knowsMesh() const {
        return mesh || !compiler->settings.mesh || compiler->settings.mesh->count == 1;
    }
    void reportFailure();
    strc_status set(std::uint32_t parameter, const void* value, std::size_t size);
    template <typename Ports>
    strc_status call(int (*what)(strc_flow*, const strc_flow_ends*), const Ports&,
                     std::size_t inCount, std::size_t outCount);
    /// One of the functions of strc/flow.h, on a stack that is large enough. What it returns.
    int run(int (*what)(strc_flow*, const strc_flow_ends*), const strc_flow_ends&);

    strc_compiler* compiler;
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
    std::unique_ptr<strc::api::Replacing>
        replacing;  ///< null: no program has been asked to take its place
    strc::api::MovingParameters moving;
    std::string late;  ///< strc_thread_about::filter
    std::unique_ptr<strc::api::Collective>
        mesh;  ///< null: there is no other process, or none is known yet
};
