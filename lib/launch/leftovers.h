/* leftovers.h: what an engine leaves behind when its ranks are killed. */
#ifndef LAUNCH_LEFTOVERS_H
#define LAUNCH_LEFTOVERS_H

/* Files of MPICH's in /dev/shm that belong to this user and to no process any more. */
void leftovers_remove(void);

#endif
