/* network.h: the network of chapter 04's exercises, all of it in one place, to compare with what the stages compute. */
#ifndef GRADER_NETWORK_H
#define GRADER_NETWORK_H

#include "grader.h"

#define NETWORK_WIDTH 4 /* inputs and outputs of each layer */

/* Give every rank "w", its layer, and "x", so many samples: on rank 0 the batch, on the others something to be overwritten. The
 * last rank also gets the "target". All ranks get "rows" and "width". All is F64 and whole, and so small that sums are exact. */
void network_lay_out(struct sitting *s, int rows);

/* The gradient of a rank's layer, of all samples together. */
double network_gradient(const struct sitting *s, int rank, int64_t i);

#endif
