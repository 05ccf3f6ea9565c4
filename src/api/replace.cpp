// Streams that go on with another program.
#include "api/detail/replace.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "api/detail/stream.h"
#include "base/thread.h"
#include "live/types.h"

namespace strc::api {
namespace {

using types::Type;
using types::TypeKind;

void refuse(strc_compiler& compiler, const std::string& why) {
    compiler.program.context.diags.add(base::Diag::CannotReplace) << why;
    compiler.tell();
}

/// Bytes of the floats that items are made of; 0: they are made of something else, too.
std::size_t floatSizeOf(const Type* type) {
    while (type && (type->is(TypeKind::Array) || type->is(TypeKind::Vector))) type = type->element;
    if (!type) return 0;
    if (type->is(TypeKind::Double)) return sizeof(double);
    const bool isFloats =
        type->is(TypeKind::Float) || type->is(TypeKind::Complex) || type->isFloatN();
    return isFloats ? sizeof(float) : 0;
}

std::string whyOtherItems(const strc_compiler& before, const strc_compiler& after, bool isInput) {
    const graph::Edge *one = endOf(before, isInput), *other = endOf(after, isInput);
    auto typeOf = [](const graph::Edge* edge) { return edge ? edge->type : nullptr; };
    if (live::areAlike(typeOf(one), typeOf(other))) return {};
    auto nameOf = [](const graph::Edge* edge) {
        return edge ? "'" + graph::itemsOf(*edge) + "'" : std::string("nothing");
    };
    return fmt::format("its {} is {}, and not {}", isInput ? "input" : "output", nameOf(other),
                       nameOf(one));
}

std::string whyNot(const strc_compiler& before, const strc_compiler& after) {
    if (std::string why = live::whyNot(*before.program.plan); !why.empty())
        return "of the one that runs: " + why;
    if (std::string why = live::whyNot(*after.program.plan); !why.empty()) return why;
    if (std::string why = whyOtherItems(before, after, true); !why.empty()) return why;
    if (std::string why = whyOtherItems(before, after, false); !why.empty()) return why;
    return live::whyNot(*before.program.plan, *after.program.plan);
}

std::string whyNoFade(const strc_stream& before, const strc_stream& after, std::size_t floatSize) {
    if (floatSize == 0) return "the items of the output are not floats alone";
    if (before.flow->pulled || after.flow->pulled)
        return "with dynamic rates nobody knows which items belong together";
    const bool isAsFast = before.about.block_in * after.about.block_out ==
                          before.about.block_out * after.about.block_in;
    return isAsFast ? "" : "the output of one comes faster than that of the other";
}

/// What begins anew begins as if the input had been zeros so far, and its first firings, prework among them, are done. With dynamic
/// rates nobody knows how many zeros these would take: then it stands before its first iteration.
bool warmUp(strc_stream& stream) {
    strc_flow_ends ends{};
    ends.self = &stream;
    ends.in_count = stream.about.first_in;
    ends.out_count = stream.about.first_out;
    ends.take = [](void* self, void* to, std::size_t, std::size_t items) {
        std::memset(to, 0, items * static_cast<strc_stream*>(self)->facts.in_size);
    };
    ends.give = [](void*, const void*, std::size_t, std::size_t) {};
    stream.flow->stops_between = stream.flow->pulled != nullptr;
    if (stream.run(strc_flow_process, ends) == 0) return true;
    stream.reportFailure();
    refuse(*stream.compiler, "its first firings fail on zeros, on which what is new begins");
    return false;
}

bool compiles(strc_compiler& compiler) {
    if (!compiler.isCompiled)
        strc_compiler_compile(&compiler, STRC_STAGE_PLANNED, nullptr, nullptr);
    return !compiler.hasFailed && compiler.stage == session::Stage::Planned;
}

live::Program programOf(const strc_stream& stream) {
    return {*stream.compiler->program.plan, stream.compiler->code->handlers};
}

/// False after reporting.
bool make(Successor& made, const strc_stream& before) {
    strc_compiler& compiler = *made.compiler;
    if (!compiles(compiler)) return false;
    strc_stream* stream = nullptr;
    if (strc_stream_new(&compiler, &stream) != STRC_OK) return false;
    made.stream.reset(stream);
    if (const std::string why = whyNot(*before.compiler, compiler); !why.empty()) {
        refuse(compiler, why);
        return false;
    }
    if (!warmUp(*stream)) return false;
    made.transfer = live::transferOf(programOf(before), programOf(*stream));
    made.told = live::print(made.transfer);
    made.toldAnew =
        "begun anew: all of it, since the program before has failed, or has not had a steady state "
        "yet\n";
    const graph::Edge* output = endOf(compiler, false);
    const std::size_t floatSize = floatSizeOf(output ? output->type : nullptr);
    if (made.fade != 0) {
        const std::string why = whyNoFade(before, *stream, floatSize);
        if (!why.empty())
            for (std::string* told : {&made.told, &made.toldAnew})
                *told += "no cross-fade: " + why + "\n";
        if (!why.empty()) made.fade = 0;
    }
    made.passage.prepare(before, *stream, made.fade, floatSize);
    return true;
}

/// Those that somebody has set, if the new program has left them open, too.
void carryParameters(const strc_stream& before, strc_stream& after) {
    const session::Compilation &one = before.compiler->program, &other = after.compiler->program;
    const std::vector<types::Value>&had = one.plan->program->openValues,
          &has = other.plan->program->openValues;
    for (std::size_t k = 0; k < had.size(); ++k) {
        const std::size_t at = k * STRC_PARAMETER_BYTES, size = had[k].bytes.size();
        const unsigned char* value = before.flow->parameters + at;
        if (std::memcmp(value, before.parameters.data() + at, size) == 0) continue;
        for (std::size_t j = 0; j < has.size(); ++j)
            if (one.module.open[k].name == other.module.open[j].name &&
                live::areAlike(had[k].type, has[j].type))
                after.set(static_cast<std::uint32_t>(j), value, size);
    }
}

bool goesOn(const strc_flow& flow) { return flow.has_begun && !flow.has_failed; }

void carryState(const strc_flow& from, strc_flow& to, live::Transfer& transfer) {
    for (const live::Piece& piece : transfer.pieces)
        std::memcpy(to.state + piece.to, from.state + piece.from,
                    static_cast<std::size_t>(piece.size));
    const strc_flow_transfer rows = transfer.rows();
    strc_flow_go_on(&from, &to, &rows);
}

/// Between two steady states or iterations of the old program. False: there was no state to carry.
bool carry(const strc_stream& before, strc_stream& after, live::Transfer& transfer) {
    const strc_flow& from = *before.flow;
    strc_flow& to = *after.flow;
    to.stops_between = 0;
    if (goesOn(from))
        carryState(from, to, transfer);
    else
        strc_flow_reset(&to);
    to.env.random = from.env.random;
    to.all_taken = from.all_taken;
    to.all_given = from.all_given;
    carryParameters(before, after);
    return goesOn(from);
}

}  // namespace

Replacing::Replacing() = default;

Replacing::~Replacing() {
    if (maker.joinable()) maker.join();
}

bool Replacing::isBusy() const {
    const strc_replacing now = state.load(std::memory_order_acquire);
    return now == STRC_REPLACING_COMPILING || now == STRC_REPLACING_READY ||
           now == STRC_REPLACING_FADING;
}

/// What was on its way is known only when the new program runs.
std::string Replacing::toldOf(const Successor& made) const {
    const strc_replacing now = state.load(std::memory_order_acquire);
    const bool isOver = now == STRC_REPLACING_FADING || now == STRC_REPLACING_DONE;
    if (isOver && !made.goesOn) return made.toldAnew;
    return made.told + (isOver ? live::printMoved(made.transfer) : "");
}

/// What is left of the last one goes, now that nobody hears it.
void Replacing::settle() {
    if (isBusy()) return;
    if (maker.joinable()) maker.join();
    if (successor) told = toldOf(*successor);
    successor.reset();
}

strc_status Replacing::begin(const strc_stream& stream, strc_compiler& compiler,
                             std::uint64_t fade) {
    if (isBusy()) return STRC_WRONG_CALL;
    settle();
    told.clear();
    successor = std::make_unique<Successor>(compiler);
    successor->fade = fade;
    state.store(STRC_REPLACING_COMPILING, std::memory_order_relaxed);
    maker = base::threadWithoutSignals([this, &stream] {
        bool isMade = false;
        guarded(successor->compiler, [&] {
            isMade = make(*successor, stream);
            return STRC_OK;
        });
        state.store(isMade ? STRC_REPLACING_READY : STRC_REPLACING_REFUSED,
                    std::memory_order_release);
    });
    return STRC_OK;
}

void Replacing::tell(bool waits, strc_replacement& to) {
    if (waits && maker.joinable()) maker.join();
    settle();
    const strc_replacing now = state.load(std::memory_order_acquire);
    if (successor && now != STRC_REPLACING_COMPILING) told = toldOf(*successor);
    to.state = now;
    to.told = told.c_str();
}

/// A run by demand is between two iterations only when it has been stopped there.
bool Replacing::canTakeOver(const strc_stream& stream) const {
    const strc_flow& flow = *stream.flow;
    return isReady(stream) && (!flow.pulled || !goesOn(flow) || flow.is_between);
}

bool Replacing::isReady(const strc_stream& stream) const {
    return state.load(std::memory_order_acquire) == STRC_REPLACING_READY && !passage.isUnderWay() &&
           !stream.flow->is_draining;
}

void Replacing::takeOver(strc_stream& stream) {
    if (!canTakeOver(stream)) return;
    strc_stream& other = *successor->stream;
    successor->goesOn = carry(stream, other, successor->transfer);
    stream.exchangePrograms(other);
    std::swap(passage, successor->passage);
    passage.begin(other);
    state.store(passage.isFading() ? STRC_REPLACING_FADING : STRC_REPLACING_DONE,
                std::memory_order_release);
}

int Replacing::run(strc_stream& stream, Passage::Function what, const strc_flow_ends& ends) {
    if (what == strc_flow_process && isReady(stream)) return runUntilBetween(stream, ends);
    return runBehind(stream, what, ends);
}

/// The rest of the call is the new program's, if the old one comes to the end of an iteration in it.
int Replacing::runUntilBetween(strc_stream& stream, const strc_flow_ends& ends) {
    strc_flow& old = *stream.flow;
    old.stops_between = 1;
    const int failed = stream.run(strc_flow_process, ends);
    old.stops_between = 0;
    if (failed != 0 || !old.is_between) return failed;
    PassageCall call{ends, old.taken, old.given};
    takeOver(stream);
    const strc_flow_ends rest = call.rest();
    const int end = runBehind(stream, strc_flow_process, rest);
    stream.flow->taken += call.taken;
    stream.flow->given += call.given;
    return end;
}

/// Of the program that runs, behind what waits.
int Replacing::runBehind(strc_stream& stream, Passage::Function what, const strc_flow_ends& ends) {
    if (!passage.isUnderWay()) return stream.run(what, ends);
    const bool wasFading = passage.isFading();
    const int failed = passage.run(stream, what, ends);
    if (failed != 0) passage.cut();
    if (wasFading && !passage.isFading())
        state.store(STRC_REPLACING_DONE, std::memory_order_release);
    return failed;
}

void Replacing::reset() {
    const bool wasFading = passage.isFading();
    passage.cut();
    if (wasFading) state.store(STRC_REPLACING_DONE, std::memory_order_release);
}

}  // namespace strc::api

void strc_stream::exchangePrograms(strc_stream& other) {
    std::swap(compiler, other.compiler);
    std::swap(about, other.about);
    std::swap(facts, other.facts);
    std::swap(hasOwnStack, other.hasOwnStack);
    std::swap(parameters, other.parameters);
    std::swap(block, other.block);
    std::swap(flow, other.flow);
    std::swap(inTypes, other.inTypes);
    std::swap(outTypes, other.outTypes);
    std::swap(inTurns, other.inTurns);
    std::swap(outTurns, other.outTurns);
    flow->facts = &facts;
    other.flow->facts = &other.facts;
}

strc_status strc_stream_replace(strc_stream* stream, strc_compiler* program, uint64_t fade) {
    if (!stream || !program || !stream->replacing || program == stream->compiler ||
        !program->settings.replaceable || !program->settings.atOnce || program->hasFailed)
        return STRC_WRONG_CALL;
    return strc::api::guarded(program,
                              [&] { return stream->replacing->begin(*stream, *program, fade); });
}

strc_compiler* strc_stream_compiler(const strc_stream* stream) {
    return stream ? stream->compiler : nullptr;
}

strc_status strc_stream_replacement(strc_stream* stream, int waits, strc_replacement* to) {
    if (!stream || !to || to->size == 0 || !stream->replacing) return STRC_WRONG_CALL;
    strc_replacement found{};
    found.size = std::min(to->size, sizeof found);
    stream->replacing->tell(waits != 0, found);
    std::memcpy(to, &found, found.size);
    return STRC_OK;
}
