#pragma once
/// A body while it is compiled: what those who emit code for its instructions share.

#include "eval/detail/registers.h"

namespace strc::eval {

struct BodyState {
    BodyState(Code& code, Function& function, const ir::Body& body)
        : code(code),
          function(function),
          body(body),
          analysis(body),
          out(function),
          frame(body, function),
          cursor(body, analysis),
          registers(code, body, analysis, frame, cursor, out) {}
    BodyState(const BodyState&) = delete;
    BodyState& operator=(const BodyState&) = delete;

    Code& code;
    Function& function;
    const ir::Body& body;
    const Analysis analysis;
    Builder out;
    const Frame frame;
    Cursor cursor;
    Registers registers;
};

/// Emits an operation that the machine does in C++ (host.cpp). `op`: what is known of its variable.
void emitHost(BodyState&, const Instr&, HostOp op = {});
/// The same, with the operands and the result that it has.
void appendHost(BodyState&, HostOp);

}  // namespace strc::eval
