#include <algorithm>
#include <set>

#include "base/spelling.h"
#include "sema/check.h"
#include "sema/detail/tables.h"

namespace strc::sema {
namespace {

using base::Diag;
using base::Diagnostic;
using types::TypeKind;

bool isVoid(const Type* type) { return type && type->is(TypeKind::Void); }

bool isCandidate(const StreamInfo& stream) {
    return stream.decl && stream.name && !stream.isLibrary && isVoid(stream.input) &&
           isVoid(stream.output);
}

/// Not so for a second declaration of a name.
bool isMeant(const Program& program, const StreamInfo& stream) {
    auto named = program.streamByName.find(stream.name);
    return named != program.streamByName.end() && named->second == &stream;
}

/// The streams that names of the program mean, in order of declaration.
std::vector<const StreamInfo*> candidates(const Program& program) {
    std::vector<const StreamInfo*> found;
    for (const StreamInfo& stream : program.streams)
        if (isCandidate(stream) && isMeant(program, stream)) found.push_back(&stream);
    return found;
}

const StreamInfo* findTop(base::Context& ctx, const Program& program, std::string_view top) {
    auto found = program.streamByName.find(ctx.names.intern(top));
    if (found != program.streamByName.end() && found->second->decl) return found->second;
    Diagnostic& diag = ctx.diags.add(Diag::UnknownTopStream) << top;
    base::SpellingSearch search(top);
    for (auto& [name, stream] : program.streamByName)
        if (stream->decl) search.consider(name.text());
    if (!search.best().empty()) {
        diag.note(Diag::DidYouMean) << search.best();
        return nullptr;
    }
    for (const StreamInfo* each : candidates(program))
        diag.note(Diag::ChooseTop, each->decl->name.range) << each->name << each->name.text();
    return nullptr;
}

/// Those of the program that nobody else adds, at most so many; if there is none the last one, which is often meant.
std::vector<const StreamInfo*> proposals(const Program& program) {
    constexpr std::size_t kMost = 5;
    std::set<const StreamInfo*> added;
    for (const StreamInfo& stream : program.streams)
        for (const StreamInfo* each : program.tables->names[stream.index].creates)
            if (each != &stream) added.insert(each);
    std::vector<const StreamInfo*> found;
    const StreamInfo* last = nullptr;
    for (const StreamInfo& stream : program.streams) {
        if (!stream.decl || !stream.name || stream.isLibrary || !stream.input) continue;
        last = &stream;
        if (!added.contains(last) && found.size() < kMost) found.push_back(last);
    }
    if (found.empty() && last) found.push_back(last);
    return found;
}

const StreamInfo* findOnly(base::Context& ctx, const Program& program) {
    std::vector<const StreamInfo*> found = candidates(program);
    if (found.size() == 1) return found[0];
    if (found.empty()) {
        Diagnostic& diag = ctx.diags.add(Diag::NoMainStream);
        for (const StreamInfo* each : proposals(program))
            diag.note(Diag::ChooseTop, each->decl->name.range) << each->name << each->name.text();
        return nullptr;
    }
    Diagnostic& diag = ctx.diags.add(Diag::SeveralMainStreams, found[1]->decl->name.range)
                       << static_cast<std::int64_t>(found.size());
    for (const StreamInfo* each : found)
        diag.note(Diag::ChooseTop, each->decl->name.range) << each->name << each->name.text();
    return nullptr;
}

bool reportMissingArguments(base::Context& ctx, const StreamInfo& main,
                            std::span<const std::string> defined) {
    bool isMissing = false;
    for (std::uint32_t i = 0; i < main.params; ++i) {
        const Symbol& param = *main.constants[i];
        bool isGiven =
            std::find(defined.begin(), defined.end(), param.name.text()) != defined.end();
        if (param.initialiser || isGiven) continue;
        Diagnostic& diag = ctx.diags.add(Diag::MainStreamParameter, param.range)
                           << param.name << main.name;
        diag.note(Diag::GiveDefine) << param.name;
        isMissing = true;
    }
    return isMissing;
}

void markFrom(const Program& program, std::vector<StreamInfo*> todo) {
    while (!todo.empty()) {
        StreamInfo* stream = todo.back();
        todo.pop_back();
        if (stream->reachable) continue;
        stream->reachable = true;
        for (StreamInfo* created : program.tables->names[stream->index].creates)
            todo.push_back(created);
    }
}

bool isOwn(const StreamInfo& stream) { return stream.decl && !stream.isLibrary; }

void warnUnused(base::Context& ctx, const Program& program) {
    for (const StreamInfo& stream : program.streams) {
        if (!isOwn(stream) || stream.broken) continue;
        if (!stream.reachable) {
            if (isMeant(program, stream))
                ctx.diags.add(Diag::UnusedStream, stream.decl->name.range) << stream.name;
            continue;
        }
        for (std::uint32_t i = 0; i < stream.params; ++i)
            if (!stream.constants[i]->used)
                ctx.diags.add(Diag::UnusedParameter, stream.constants[i]->range)
                    << stream.constants[i]->name << stream.name;
        for (const FunctionInfo* function : stream.functions)
            if (function->kind == FunctionKind::Function && !function->used)
                ctx.diags.add(Diag::UnusedFunction,
                              ast::as<ast::FunctionDecl>(*function->decl).name.range)
                    << function->name;
    }
}

/// A name that is declared wrongly is one that others may use: to them the declaration is not there.
bool concernsOthers(Diag id) {
    return id == Diag::BuiltinStreamRedefined || id == Diag::DuplicateStream;
}

/// Parts of the texts in which errors do no harm: named streams that nobody reaches.
class Unreachable {
public:
    explicit Unreachable(const Program& program) {
        for (const StreamInfo& stream : program.streams)
            if (stream.decl && stream.name && !stream.reachable)
                ranges.push_back(stream.decl->range);
        std::sort(ranges.begin(), ranges.end(), before);
    }

    bool contains(base::SourceRange range) const {
        auto after = std::upper_bound(ranges.begin(), ranges.end(), range, before);
        if (after == ranges.begin()) return false;
        const SourceRange& last = *std::prev(after);
        return last.buffer == range.buffer && range.end <= last.end;
    }

private:
    static bool before(const SourceRange& a, const SourceRange& b) {
        return a.buffer == b.buffer ? a.begin < b.begin : a.buffer.index < b.buffer.index;
    }
    std::vector<SourceRange> ranges;
};

const ast::BlockStmt* bodyOf(const ast::Decl& member) {
    if (auto* work = ast::tryAs<ast::WorkDecl>(&member)) return work->body;
    if (auto* init = ast::tryAs<ast::InitDecl>(&member)) return init->body;
    if (auto* function = ast::tryAs<ast::FunctionDecl>(&member)) return function->body;
    if (auto* handler = ast::tryAs<ast::HandlerDecl>(&member)) return handler->body;
    return nullptr;
}

/// Values of fields may come from functions, and rates from fields.
bool fieldsMayCall(const StreamInfo& stream) {
    bool anyValue = std::any_of(stream.fields.begin(), stream.fields.end(),
                                [](const Symbol* field) { return field->initialiser != nullptr; });
    return anyValue && !stream.functions.empty();
}

/// Bodies of filters, none inside another: whose is a place in the text?
class FilterBodies {
public:
    explicit FilterBodies(Program& program) {
        for (StreamInfo& stream : program.streams) {
            if (!stream.decl || stream.decl->stream != ast::StreamKind::Filter) continue;
            if (fieldsMayCall(stream)) continue;
            for (const ast::Decl* member : stream.decl->members)
                if (const ast::BlockStmt* body = bodyOf(*member))
                    bodies.push_back({body->range, &stream});
        }
        std::sort(bodies.begin(), bodies.end(), [](const StreamBody& a, const StreamBody& b) {
            return isBefore(a.range, b.range);
        });
    }

    StreamInfo* find(base::SourceRange range) const {
        auto after = std::upper_bound(
            bodies.begin(), bodies.end(), range,
            [](const SourceRange& at, const StreamBody& b) { return isBefore(at, b.range); });
        if (!range.valid() || after == bodies.begin()) return nullptr;
        const StreamBody& last = *std::prev(after);
        bool inside = last.range.buffer == range.buffer && range.end <= last.range.end;
        return inside ? last.stream : nullptr;
    }

private:
    struct StreamBody {
        SourceRange range;
        StreamInfo* stream;
    };
    static bool isBefore(const SourceRange& a, const SourceRange& b) {
        return a.buffer == b.buffer ? a.begin < b.begin : a.buffer.index < b.buffer.index;
    }
    std::vector<StreamBody> bodies;
};

}  // namespace

bool setAsideBroken(base::Context& ctx, Program& program) {
    for (StreamInfo& stream : program.streams) stream.broken = false;
    if (!ctx.diags.hasErrors()) return true;
    FilterBodies bodies(program);
    bool all = true;
    for (const Diagnostic& each : ctx.diags.all()) {
        if (each.severity != base::Severity::Error) continue;
        StreamInfo* filter = bodies.find(each.range);
        if (filter)
            filter->broken = true;
        else
            all = false;
    }
    return all;
}

const StreamInfo* findMain(base::Context& ctx, const Program& program, std::string_view top,
                           std::span<const std::string> defined) {
    const StreamInfo* main = top.empty() ? findOnly(ctx, program) : findTop(ctx, program, top);
    if (!main || reportMissingArguments(ctx, *main, defined)) return nullptr;
    return main;
}

void markReachable(base::Context& ctx, Program& program, const StreamInfo& main) {
    for (StreamInfo& stream : program.streams) stream.reachable = false;
    markFrom(program, {&program.streams[main.index]});
    warnUnused(ctx, program);
    if (!ctx.lenient) return;
    Unreachable unreachable(program);
    ctx.diags.lower([&](const Diagnostic& each) {
        bool isSyntax = base::info(each.id).area == "syntax";
        return !isSyntax && !concernsOthers(each.id) && each.range.valid() &&
               unreachable.contains(each.range);
    });
}

}  // namespace strc::sema
