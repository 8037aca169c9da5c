/* held.h: for suites: hold up one stream of the CUDA device on the double, while the others go on. */
#ifndef DOUBLE_HELD_H
#define DOUBLE_HELD_H

struct stream;

/* What is put into the stream from now on waits until held_release(). One stream at a time. */
void held_up(struct stream *stream);
void held_release(void);

/* How many ranks have a device open. */
int held_devices(void);

#endif
