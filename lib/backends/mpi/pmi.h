/* pmi.h: how the ranks of BACKEND=mpi find each other where no mpirun has started them. */
#ifndef MPI_PMI_H
#define MPI_PMI_H

#include "../transport/state.h"

/*
 * How MPICH's processes find each other: a launcher answers a few questions (PMI-1, one line each) on the descriptor in PMI_FD: who am I,
 * put this name and value where all can read them, wait until all have. Here each rank answers itself, from a thread, and the
 * names stand in the world's memory. False: there is no thread, or no descriptor.
 */
bool pmi_serve(struct launch_self *self);
void pmi_end(void); /* MPI has started, or will not */

#endif
