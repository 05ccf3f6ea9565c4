/*
 * The StreamIt language, as strc reads it.
 *
 * The grammar has no actions and no predicates; src/parser turns its tree into the AST. Four choices
 * explain its shape:
 *
 * 1. Almost every decision needs one token. ANTLR then generates a plain `switch`, so parsing is
 *    linear, the same in SLL and LL mode, and a syntax error is found at the first token that cannot
 *    continue. Three decisions look one token further: `declaration`, `creator` and the cast in
 *    `operand`. The dangling `else` is the only ambiguity: it goes to the nearest `if`, after at
 *    most two tokens.
 * 2. An expression is flat: an operand, then operators with operands (`? b :` is one of those). The
 *    AST builder applies the precedences. One rule a precedence level would make ten nodes of every
 *    `1`, and ANTLR's left-recursive form predicts at every operator: they took 2.5 and 1.6 times as
 *    long to parse a block of 80,000 statements, and about 3 and 1.4 times for nested tables.
 * 3. What can be long is a loop, not a recursion: statements, initialisers, operators, `else if`,
 *    the chain `a ? b : c ? d : e`, prefix operators.
 * 4. Where a wrong program deserves a better word than "unexpected token" the grammar accepts more
 *    than the language, and the AST builder reports it; such places are marked (*).
 *
 * Every part that the builder needs is labelled: it works from labels alone and parses without
 * ANTLR's own child lists.
 */
grammar Strc;

// ---------------------------------------------------------------------------------------------------
// Entry points: a file, and the pieces that an interactive session reads.

program : ( declarations+=declaration | ';' )* EOF ;

singleDeclaration : item=declaration ';'* EOF ;

singleStatement : item=substatement EOF ;

singleExpression : item=expression EOF ;

// ---------------------------------------------------------------------------------------------------
// Top-level declarations

declaration
    : structItem=structDeclaration
    | streamItem=streamDeclaration
    | staticItem=staticBlock
    | nativeItem=nativeDeclaration
    | helperItem=helperDeclaration
    ;

structDeclaration       // (*) several names in one declaration, initialisers
    : 'struct' name=ID '{' ( fields+=variables ';' | ';' )* close='}'
    ;

staticBlock             // the name must be `global`, which is a keyword nowhere else (*)
    : ( 'static' | name=ID ) body=block
    ;

nativeDeclaration
    : 'native' name=ID '{' ( prototypes+=prototype ';' | ';' )* close='}'
    ;

prototype
    : result=type name=ID parameters=formals
    ;

helperDeclaration
    : 'helper' name=ID '{' ( functions+=function | ';' )* close='}'
    ;

function
    : result=type name=ID parameters=formals rates+=rateClause* body=block
    ;

streamDeclaration       // (*) `stateful` before a composite, a keyword as name
    : input=type '->' output=type stateful='stateful'?
      ( 'filter' name=streamName parameters=formals? filter=filterBody
      | kind=( 'pipeline' | 'splitjoin' | 'feedbackloop' ) name=streamName parameters=formals?
        composite=block
      )
    ;

streamName
    : ID
    | keyword
    ;

formals
    : '(' ( items+=formal ( ',' items+=formal )* )? close=')'
    ;

formal
    : declared=type name=ID ( equals='=' value=initialiser )?
    ;

// ---------------------------------------------------------------------------------------------------
// Filters

filterBody
    : '{' ( members+=member | ';' )* close='}'
    ;

member
    : init=initBlock
    | work=workDeclaration
    | handler=handlerDeclaration
    | declared=type
      ( name=ID
        ( parameters=formals rates+=rateClause* body=block
        | ( '=' value=initialiser )? ( ',' others+=declarator )* end=';'
        )
      | typedHandler=handlerDeclaration       // (*)
      )
    ;

initBlock
    : 'init' body=block
    ;

workDeclaration
    : ( 'work' | 'prework' ) rates+=rateClause* body=block
    ;

handlerDeclaration
    : 'handler' name=ID parameters=formals body=block
    ;

rateClause              // (*) the same clause twice
    : ( 'push' | 'pop' | 'peek' )
      ( star='*'
      | '[' bounds+=rateBound ',' bounds+=rateBound ( ',' bounds+=rateBound )? close=']'
      | value=expression
      )
    ;

rateBound
    : star='*'
    | value=expression
    ;

// ---------------------------------------------------------------------------------------------------
// Types and variables. A type that starts with a name looks like the start of an assignment or call
// (`Foo[3] a;`, `a[3] = 0;`), so statements know only `builtinType` and read the other as `place`. In
// the same way `Identity<int>` in a creator is read as a type.

type                    // (*) an argument for anything but a tensor
    : builtin=builtinType
    | name=ID ( '<' typeArgument=type close='>' )? bounds+=bound*
    ;

builtinType
    : isVoid='void'
    | portal='portal' '<' name=ID close='>'
    | primitive=primitiveType bounds+=bound*
    ;

primitiveType
    : 'boolean' | 'bit' | 'int' | 'float' | 'double' | 'complex' | 'float2' | 'float3' | 'float4'
    ;

bound                   // (*) `int[] a`; several values for anything but a tensor
    : '[' value=expression? ( ',' more+=expression )* close=']'
    ;

variables
    : declared=type items+=declarator ( ',' items+=declarator )*
    ;

declarator
    : name=ID ( '=' value=initialiser )?
    ;

initialiser
    : value=expression
    | '{' ( items+=initialiser ( ',' items+=initialiser )* )? close='}'
    ;

// ---------------------------------------------------------------------------------------------------
// Statements. A statement takes the stray `;` after it along, so that the optional `;` of an
// anonymous stream needs no look-ahead: `if (c) add pipeline {...}; else ...`. (*) other statements
// before `else`.

block
    : '{' ';'* statements+=statement* close='}'
    ;

statement
    : plain=plainStatement
    | branch=ifStatement
    ;

plainStatement
    : ( nested=block
      | simple=simpleStatement end=';'
      | 'push' '(' value=expression ')' end=';'
      | 'break' end=';'
      | 'continue' end=';'
      | 'return' value=expression? end=';'
      | 'do' body=substatement 'while' '(' test=condition ')' end=';'
      | ( 'add' | 'body' | 'loop' ) child=creator
      | ( 'split' | 'join' ) distribution=splitter end=';'
      | 'enqueue' value=expression end=';'
      | init=initBlock                        // static blocks only (*)
      | work=workDeclaration                  // nowhere: belongs in a filter (*)
      | handler=handlerDeclaration            // nowhere: belongs in a filter (*)
      ) extra+=';'*
    | 'while' '(' test=condition ')' body=substatement
    | 'for' '(' first=simpleStatement? ';' value=expression? ';' step=simpleStatement? ')'
      body=substatement
    ;

ifStatement             // an `if` after `else` is a link of the chain, not nested
    : heads+=ifHead ( elses+='else' heads+=ifHead )*
      ( elses+='else' ( otherwise=plainStatement | empty=';' extra+=';'* ) )?
    ;

ifHead
    : 'if' '(' test=condition ')' body=substatement
    ;

condition               // (*) `if (x = 1)`
    : value=expression ( assigned='=' other=expression )?
    ;

substatement            // the body of `if`, `while`, `do`, `for`
    : item=statement
    | empty=';' extra+=';'*
    ;

simpleStatement         // (*) any place may be assigned, changed, or stand alone
    : builtin=builtinType items+=declarator ( ',' items+=declarator )*
    | step=( '++' | '--' ) target=place
    | target=place
      ( items+=declarator ( ',' items+=declarator )*
      | op=( '=' | '+=' | '-=' | '*=' | '/=' | '<<=' | '>>=' | '%=' | '&=' | '|=' | '^=' )
        value=expression
      | '<' typeArgument=type close='>' bounds+=bound* others+=declarator ( ',' others+=declarator )*
      )?
    ;

place
    : ( name=ID call=arguments?
      | tape='pop' '(' close=')'
      | tape='peek' '(' inner=expression close=')'
      ) suffixes+=suffix*
    ;

// ---------------------------------------------------------------------------------------------------
// Creating streams

creator                 // (*) what is not a name before `creation`
    : input=type ( '->' output=type anonymous=anonymousStream | named=creation )
    | anonymous=anonymousStream
    | reserved=keyword ( '<' typeArgument=type '>' )? named=creation
    ;

creation                // a type argument stands in the creator's `input`
    : call=arguments? receivers=portals? end=';'
    ;

anonymousStream
    : stateful='stateful'?                    // (*) `stateful` before a composite
      ( filterWord='filter' filter=filterBody
      | kind=( 'pipeline' | 'splitjoin' | 'feedbackloop' ) composite=block
      )
      ( receivers=portals ';' )?
    ;

portals
    : 'to' names+=ID ( ',' names+=ID )*
    ;

splitter
    : 'duplicate' ( '(' close=')' )?
    | 'roundrobin' weights=arguments?
    ;

arguments               // (*) named arguments and array literals where only values are allowed
    : '(' ( items+=argument ( ',' items+=argument )* )? close=')'
    ;

argument                // `value` or `name = value`
    : left=initialiser ( equals='=' right=initialiser )?
    ;

// ---------------------------------------------------------------------------------------------------
// Expressions

expression
    : first=operand links+=link*
    ;

link
    : ( '||' | '&&' | '|' | '&' | '^' | '==' | '!=' | '<' | '<=' | '>' | '>='
      | '+' | '-' | '*' | '/' | '%' | '<<' | '>>' ) right=operand
    | '?' middle=expression ':' right=operand
    ;

operand
    : prefixes+=prefix*
      ( ( name=ID call=arguments?
        | literal=( INTEGER | HEX | REAL | IMAGINARY | STRING | CHARACTER | 'pi' | 'true' | 'false'
                  | BAD_NUMBER | OPEN_STRING | OPEN_CHARACTER )
        | tape='pop' '(' close=')'
        | tape='peek' '(' inner=expression close=')'
        | vector=( 'float2' | 'float3' | 'float4' ) call=arguments
        ) suffixes+=suffix*
      | open='(' ( castType=primitiveType ')' cast=operand
                 | inner=expression close=')' suffixes+=suffix*
                 )
      )
    ;

prefix
    : '!' | '-' | '~' | '++' | '--'
    ;

suffix                  // (*) a latency anywhere, `a[]`, `a[1:2, 3]`, `++` after anything
    : '.' field=ID call=arguments?
    | '[' ( star='*' | low=expression? ( colon=':' high=expression? )? ( ',' more+=expression )* )
      close=']'
    | step=( '++' | '--' )
    ;

// ---------------------------------------------------------------------------------------------------
// Words that may name a stream after `add`, `body`, `loop`: all keywords but those that start a type
// there already.

keyword
    : 'filter' | 'pipeline' | 'splitjoin' | 'feedbackloop' | 'portal' | 'to' | 'handler' | 'stateful'
    | 'add' | 'split' | 'join' | 'duplicate' | 'roundrobin' | 'body' | 'loop' | 'enqueue' | 'init'
    | 'prework' | 'work' | 'peek' | 'pop' | 'push' | 'struct' | 'template' | 'native' | 'static'
    | 'helper' | 'if' | 'else' | 'while' | 'for' | 'switch' | 'case' | 'default' | 'break'
    | 'continue' | 'return' | 'do' | 'pi' | 'true' | 'false'
    ;

// ===================================================================================================
// Tokens. `iter` and `global` are names: `iter()` is told from a variable by its parentheses.

FILTER : 'filter' ;
PIPELINE : 'pipeline' ;
SPLITJOIN : 'splitjoin' ;
FEEDBACKLOOP : 'feedbackloop' ;
PORTAL : 'portal' ;
TO : 'to' ;
HANDLER : 'handler' ;
STATEFUL : 'stateful' ;
ADD : 'add' ;
SPLIT : 'split' ;
JOIN : 'join' ;
DUPLICATE : 'duplicate' ;
ROUNDROBIN : 'roundrobin' ;
BODY : 'body' ;
LOOP : 'loop' ;
ENQUEUE : 'enqueue' ;
INIT : 'init' ;
PREWORK : 'prework' ;
WORK : 'work' ;
PEEK : 'peek' ;
POP : 'pop' ;
PUSH : 'push' ;
BOOLEAN : 'boolean' ;
FLOAT : 'float' ;
BIT : 'bit' ;
INT : 'int' ;
VOID : 'void' ;
DOUBLE : 'double' ;
COMPLEX : 'complex' ;
FLOAT2 : 'float2' ;
FLOAT3 : 'float3' ;
FLOAT4 : 'float4' ;
STRUCT : 'struct' ;
TEMPLATE : 'template' ;
NATIVE : 'native' ;
STATIC : 'static' ;
HELPER : 'helper' ;
IF : 'if' ;
ELSE : 'else' ;
WHILE : 'while' ;
FOR : 'for' ;
SWITCH : 'switch' ;
CASE : 'case' ;
DEFAULT : 'default' ;
BREAK : 'break' ;
CONTINUE : 'continue' ;
RETURN : 'return' ;
DO : 'do' ;
PI : 'pi' ;
TRUE : 'true' ;
FALSE : 'false' ;

ARROW : '->' ;
PLUS_PLUS : '++' ;
MINUS_MINUS : '--' ;
PLUS_ASSIGN : '+=' ;
MINUS_ASSIGN : '-=' ;
STAR_ASSIGN : '*=' ;
SLASH_ASSIGN : '/=' ;
PERCENT_ASSIGN : '%=' ;
AND_ASSIGN : '&=' ;
OR_ASSIGN : '|=' ;
XOR_ASSIGN : '^=' ;
LEFT_ASSIGN : '<<=' ;
RIGHT_ASSIGN : '>>=' ;
LEFT_SHIFT : '<<' ;
RIGHT_SHIFT : '>>' ;
AND_AND : '&&' ;
OR_OR : '||' ;
EQUAL : '==' ;
NOT_EQUAL : '!=' ;
LESS_EQUAL : '<=' ;
GREATER_EQUAL : '>=' ;
LESS : '<' ;
GREATER : '>' ;
ASSIGN : '=' ;
PLUS : '+' ;
MINUS : '-' ;
STAR : '*' ;
SLASH : '/' ;
PERCENT : '%' ;
AND : '&' ;
OR : '|' ;
XOR : '^' ;
TILDE : '~' ;
BANG : '!' ;
QUESTION : '?' ;
COLON : ':' ;
SEMICOLON : ';' ;
COMMA : ',' ;
DOT : '.' ;
LEFT_PAREN : '(' ;
RIGHT_PAREN : ')' ;
LEFT_BRACKET : '[' ;
RIGHT_BRACKET : ']' ;
LEFT_BRACE : '{' ;
RIGHT_BRACE : '}' ;

ID : LETTER ( LETTER | DIGIT )* ;

INTEGER : DIGIT+ ;
HEX : '0x' [0-9A-Fa-f]+ ;
REAL : DIGIT+ ( FRACTION EXPONENT? | EXPONENT ) 'f'? | DIGIT+ 'f' ;
IMAGINARY : DIGIT+ FRACTION? EXPONENT? 'i' ;
BAD_NUMBER : '.'? DIGIT ( DIGIT | LETTER | '.' )* ;               // `1.`, `.5`, `0X1F`, `3fi`, `1e`

// A backslash takes any character along; the AST builder looks at escapes and at the length.
STRING : '"' STRING_PART* '"' ;
OPEN_STRING : '"' STRING_PART* ;
CHARACTER : '\'' CHARACTER_PART* '\'' ;
OPEN_CHARACTER : '\'' CHARACTER_PART* ;

LINE_COMMENT : '//' ~[\r\n]* -> channel(HIDDEN) ;
BLOCK_COMMENT : '/*' COMMENT_PART* '*'+ '/' -> channel(HIDDEN) ;
OPEN_COMMENT : '/*' COMMENT_PART* '*'* EOF -> channel(HIDDEN) ;

BYTE_ORDER_MARK : '\u00EF\u00BB\u00BF' -> skip ;
BLANK : [ \t\r\n\f]+ -> skip ;

// One token for a run of bytes beyond ASCII: they are one character to the reader, or a word.
BAD_CHARACTER : ( [\u0080-\u00FF]+ | . ) -> channel(HIDDEN) ;

fragment LETTER : [A-Za-z_] ;
fragment DIGIT : [0-9] ;
fragment FRACTION : '.' DIGIT+ ;
fragment EXPONENT : [eE] [+-]? DIGIT+ ;
fragment STRING_PART : ~["\\\r\n] | '\\' ~[\r\n] ;
fragment CHARACTER_PART : ~['\\\r\n] | '\\' ~[\r\n] ;
fragment COMMENT_PART : ~'*' | '*'+ ~[*/] ;
