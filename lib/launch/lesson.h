/*
 * lesson.h: where the workbook explains what a report tells: the report's last line, in the order of the chapters. tests/test_lessons.c
 * looks whether each chapter has the heading that is named here.
 */
#ifndef LAUNCH_LESSON_H
#define LAUNCH_LESSON_H

#define LESSON_WHICH_MESSAGE "see: chapter 02, 'Which receive belongs to which send?'."
#define LESSON_SENDS_FIRST "see: chapter 06, 'Two ranks, both polite'."
#define LESSON_RING "see: chapter 06, 'A ring of polite ranks'."
#define LESSON_BUFFERED "see: chapter 06, '\"But it worked with small messages\"'."
#define LESSON_NOT_MET "see: chapter 06, 'Two calls that do not find each other'."
#define LESSON_NOT_ALL "see: chapter 06, 'Everyone, or nobody'."
#define LESSON_IN_FLIGHT "see: chapter 06, 'Hands off'."
#define LESSON_ON_GPU "see: chapter 07, 'What runs where'."
#define LESSON_NO_EVENT "see: chapter 07, 'Two streams, and a missing event'."
#define LESSON_NEW_GROUP "see: chapter 09, 'The first hole: only the members make it'."
#define LESSON_TWO_GROUPS "see: chapter 09, 'The second hole: two groups, crossed'."

#endif
