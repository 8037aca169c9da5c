/* lesson.h: where the workbook explains what a report tells. */
#ifndef LAUNCH_LESSON_H
#define LAUNCH_LESSON_H

/* In the order of the chapters. */
enum lesson {
    LESSON_WHICH_MESSAGE,
    LESSON_SENDS_FIRST,
    LESSON_RING,
    LESSON_BUFFERED,
    LESSON_NOT_MET,
    LESSON_NOT_ALL,
    LESSON_IN_FLIGHT,
    LESSON_ON_GPU,
    LESSON_NO_EVENT,
    LESSON_NEW_GROUP,
    LESSON_TWO_GROUPS,
    LESSON_COUNT
};

/* A report's last line: "see: chapter 06, 'Hands off'." */
const char *lesson_line(enum lesson lesson);

#endif
