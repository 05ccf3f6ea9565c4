#include "ir/calls.h"

#include <algorithm>
#include <set>

namespace strc::ir {

std::vector<Callee> calleesOf(const Body& body) {
    std::vector<Callee> callees;
    for (const Block& block : body.blocks)
        for (const Instr& instr : block.instrs)
            if (instr.op == Op::Call && instr.callee.hasBody()) callees.push_back(instr.callee);
    return callees;
}

const Body& calleeBody(const Module& program, const StreamCode& from, const Callee& callee) {
    return callee.kind == CalleeKind::Package ? program.functions[callee.index]
                                              : from.functions[callee.index];
}

namespace {

/// `found` grows by what its bodies call.
void follow(const Module& program, const StreamCode& from, std::vector<const Body*>& found) {
    std::set<const Body*> seen(found.begin(), found.end());
    for (std::size_t k = 0; k < found.size(); ++k) {
        for (const Callee& callee : calleesOf(*found[k])) {
            const Body* next = &calleeBody(program, from, callee);
            if (seen.insert(next).second) found.push_back(next);
        }
    }
}

}  // namespace

std::vector<const Body*> bodiesThatRun(const Module& program, const StreamCode& code) {
    std::vector<const Body*> found;
    if (code.work) found.push_back(&*code.work);
    if (code.prework) found.push_back(&*code.prework);
    if (code.startsLate) found.push_back(&code.setup);
    if (code.init) found.push_back(&*code.init);
    for (const Body& function : code.functions)
        if (function.kind == BodyKind::Handler) found.push_back(&function);
    follow(program, code, found);
    return found;
}

std::vector<const Body*> bodiesOfWork(const Module& program, const StreamCode& code) {
    std::vector<const Body*> found;
    if (code.work) found.push_back(&*code.work);
    if (code.prework) found.push_back(&*code.prework);
    follow(program, code, found);
    return found;
}

std::vector<const Body*> bodiesThatFire(const Module& program, const StreamCode& code) {
    std::vector<const Body*> found;
    if (code.work) found.push_back(&*code.work);
    if (code.prework) found.push_back(&*code.prework);
    for (const Body& function : code.functions)
        if (function.kind == BodyKind::Handler) found.push_back(&function);
    follow(program, code, found);
    return found;
}

std::vector<const Body*> bodiesOfSetup(const Module& program, const StreamCode& code) {
    std::vector<const Body*> found{&code.setup};
    if (code.init) found.push_back(&*code.init);
    follow(program, code, found);
    return found;
}

std::vector<const Body*> bodiesThatNest(const Module& program, const StreamCode& code) {
    std::vector<const Body*> found;
    for (const Body* body : bodiesThatRun(program, code))
        if (body->kind == BodyKind::Handler || isRecursive(program, code, *body))
            found.push_back(body);
    follow(program, code, found);
    return found;
}

bool isRecursive(const Module& program, const StreamCode& from, const Body& body) {
    std::vector<const Body*> found;
    for (const Callee& callee : calleesOf(body))
        found.push_back(&calleeBody(program, from, callee));
    follow(program, from, found);
    return std::find(found.begin(), found.end(), &body) != found.end();
}

bool makesString(const Module& program, const Callee& callee) {
    if (callee.kind != CalleeKind::Native) return false;
    const Native& native = program.natives[callee.index];
    auto isString = [](const Type* type) { return type->is(types::TypeKind::String); };
    return std::any_of(native.params.begin(), native.params.end(), isString);
}

namespace {

bool isText(const Type* type) {
    return type && (type->is(types::TypeKind::String) || type->is(types::TypeKind::Char));
}

bool mayEndLine(const Instr& instr) {
    switch (instr.op) {
        case Op::NewLine: return true;
        case Op::Print: return instr.type->is(types::TypeKind::Tensor);
        case Op::Const:
            return isText(instr.type) && instr.value.bytes.find('\n') != std::string::npos;
        case Op::Call:
            // The evaluator runs such a firing: its body is not here.
            if (instr.callee.kind == CalleeKind::DynamicShape) return true;
            return instr.result != kNone && isText(instr.type);
        case Op::Convert:
        case Op::Concat: return false;  // of numbers, and of texts that are looked at themselves
        default: return instr.result != kNone && isText(instr.type);
    }
}

}  // namespace

bool mayEndLine(const Module& module, const StreamCode& from) {
    for (const Body* body : bodiesThatFire(module, from))
        for (const Block& block : body->blocks)
            for (const Instr& instr : block.instrs)
                if (mayEndLine(instr)) return true;
    return false;
}

bool makesString(const Module& program, const Instr& instr) {
    return instr.op == Op::Concat || (instr.op == Op::Call && makesString(program, instr.callee)) ||
           (instr.op == Op::Convert && instr.type->is(types::TypeKind::String));
}

}  // namespace strc::ir
