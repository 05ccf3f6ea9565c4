# cmake -DSYMBOL=.. -DBASE=.. -DFILES=list -DSOURCE=x.cpp -DHEADER=x.h -P embed.cmake
# Writes a C++ source with the contents of the listed text files; see strc_embed.

file(STRINGS "${FILES}" files)
set(entries "")
foreach(file IN LISTS files)
    file(READ "${file}" text)
    if(text MATCHES "\\)strc_text\"")
        message(FATAL_ERROR "${file} holds the delimiter of its own embedding")
    endif()
    file(RELATIVE_PATH name "${BASE}" "${file}")
    string(APPEND entries "    {\"${name}\", R\"strc_text(${text})strc_text\"sv},\n")
endforeach()
list(LENGTH files count)
file(WRITE "${HEADER}" "#pragma once

#include <span>

#include \"base/embedded.h\"

namespace strc::embedded {
std::span<const base::EmbeddedFile> ${SYMBOL}();
}
")
if(count EQUAL 0)
    set(body "    return {};\n")
    set(table "")
else()
    set(body "    return files;\n")
    # Literals that know their length: counting characters would use up the steps of constant expressions.
    set(table "using namespace std::literals;\n\nstatic constexpr base::EmbeddedFile files[] = {\n${entries}};\n\n")
endif()
file(WRITE "${SOURCE}" "#include \"embedded/${SYMBOL}.h\"

namespace strc::embedded {
${table}std::span<const base::EmbeddedFile> ${SYMBOL}() {
${body}}
}
")
