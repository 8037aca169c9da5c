/* marks.h: spans of the desk's own in a trace. No span of a learner's can have such a name (late.c). */
#ifndef GRADER_MARKS_H
#define GRADER_MARKS_H

/* Around the second call in one run. */
#define AGAIN_BEGINS "desk: called again"
#define AGAIN_ENDS "desk: over again"

/* The rank asks again and again for what it has just sent. */
#define ASKS_AGAIN "desk: asks again"

#endif
