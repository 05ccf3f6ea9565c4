#pragma once
/// The way into ANTLR: its runtime and what it generates from grammar/Strc.g4. Names of the grammar
/// are written Grammar::ExpressionContext, Grammar::SEMICOLON.

#include "StrcLexer.h"
#include "StrcParser.h"
#include "antlr4-runtime.h"

namespace strc::parser {

using Grammar = grammar::StrcParser;
using Token = antlr4::Token;

}  // namespace strc::parser
