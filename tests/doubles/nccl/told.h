/* told.h: for suites: jobs over the double of NCCL, and what they report. */
#ifndef DOUBLES_NCCL_TOLD_H
#define DOUBLES_NCCL_TOLD_H

#include "../../conform_exam.h"
#include "dist.h"

/* Ranks are threads with simulated GPUs, and the double moves data. */
void told_play(void);

/* Run it: nothing is wrong. Tensors to count with: 100 * rank and on; and what one must hold (frees it). */
void told_good(const char *name, void (*body)(struct exam *, int, int), int size);
tensor *told_counted(int rank, int count);
void told_items(struct exam *exam, tensor *t, double first, const char *what);

/* told_play, and reports go to a folder; which told_close removes. */
void told_open(void);
void told_close(void);

/* Run it, and read the report; it must have ended with this status. */
const char *told_by(void (*body)(struct exam *, int, int), int size, int status);

/* It says so. */
void told_words(const char *report, const char *words);

#endif
