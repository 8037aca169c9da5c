/* sentences_unsaid.c: what no line of sentences_lines.c says. */
#include "sentences.h"

const struct unsaid sentences_unsaid[] = {
    { "zzzz", NULL, "" },
};
const size_t sentences_unsaid_count = sizeof sentences_unsaid / sizeof *sentences_unsaid;
