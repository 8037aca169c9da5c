/* trace_file.h: judges what DIST_TRACE wrote, by the rules of the format alone. */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* What was counted on the way. */
struct trace_counts {
    int slices, spans, waits, messages; /* messages: arrows with both ends */
    int alone;                          /* sends and receives without an arrow */
    int unfinished;
    long long lost;
};

/* Is it a good trace? Slices of a rank stand in the order in which they began; those of a thread lie inside each other or
 * apart; every arrow has one start and one end, each inside a slice of its thread, the end not before the start (but for the error of clocks that the file tells); what was sent
 * is what was received. False: why. */
bool trace_judge(const char *path, struct trace_counts *counts, char *why, size_t why_size);

#endif
