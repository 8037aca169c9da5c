/* told.h: for suites: what a job over the double of NCCL reports. */
#ifndef DOUBLES_NCCL_TOLD_H
#define DOUBLES_NCCL_TOLD_H

#include "../../conform_exam.h"

/* Ranks are threads with simulated GPUs, the double moves data, and reports go to a folder; which told_close removes. */
void told_open(void);
void told_close(void);

/* Run it, and read the report; it must have ended with this status. */
const char *told_by(void (*body)(struct exam *, int, int), int size, int status);

/* It says so. */
void told_words(const char *report, const char *words);

#endif
