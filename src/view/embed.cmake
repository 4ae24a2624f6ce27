# cmake -DIN=report.html -DOUT=template.c -P embed.cmake: the viewer as C string literals, cut where the data goes.
set(mark "<script type=\"application/json\" id=\"flyball-data\">")
set(after "null</script>")
set(part 1000) # bytes of one literal; compilers need not take more than 4095

file(SIZE ${IN} size)
file(READ ${IN} all HEX)
string(HEX "${mark}${after}" wanted)
string(FIND "${all}" ${wanted} first)
string(FIND "${all}" ${wanted} last REVERSE)
math(EXPR odd "${first} % 2")
if(first LESS 0 OR NOT first EQUAL last OR odd)
  message(FATAL_ERROR "${IN} must hold exactly once: ${mark}${after}")
endif()
set(all "")
string(LENGTH ${mark} mark_length)
math(EXPR head_end "${first} / 2 + ${mark_length}")
math(EXPR tail_begin "${head_end} + 4") # without the word null

# Each part is read from the file again: CMake would copy all of a long string for every piece of it.
function(write_parts name begin end)
  file(APPEND ${OUT}.part "\nconst FbTemplatePart ${name}[] = {\n")
  while(begin LESS end)
    math(EXPR n "${end} - ${begin}")
    if(n GREATER part)
      set(n ${part})
    endif()
    file(READ ${IN} hex OFFSET ${begin} LIMIT ${n} HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" hex "${hex}")
    file(APPEND ${OUT}.part "    {\"${hex}\", ${n}},\n")
    math(EXPR begin "${begin} + ${n}")
  endwhile()
  file(APPEND ${OUT}.part "    {0, 0},\n};\n")
endfunction()

file(WRITE ${OUT}.part "// Written by src/view/embed.cmake.\n#include \"view/template.h\"\n")
write_parts(fb_template_head 0 ${head_end})
write_parts(fb_template_tail ${tail_begin} ${size})
file(RENAME ${OUT}.part ${OUT})
