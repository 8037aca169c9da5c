/* lesson.c: see lesson.h. tests/test_lessons.c looks whether each chapter has the heading that is named here. */
#include "lesson.h"

const char *lesson_line(enum lesson lesson)
{
    static const char *const lines[LESSON_COUNT] = {
        [LESSON_WHICH_MESSAGE] = "see: chapter 02, 'Which receive belongs to which send?'.",
        [LESSON_SENDS_FIRST] = "see: chapter 06, 'Two ranks, both polite'.",
        [LESSON_RING] = "see: chapter 06, 'A ring of polite ranks'.",
        [LESSON_BUFFERED] = "see: chapter 06, '\"But it worked with small messages\"'.",
        [LESSON_NOT_MET] = "see: chapter 06, 'Two calls that do not find each other'.",
        [LESSON_NOT_ALL] = "see: chapter 06, 'Everyone, or nobody'.",
        [LESSON_IN_FLIGHT] = "see: chapter 06, 'Hands off'.",
        [LESSON_ON_GPU] = "see: chapter 07, 'What runs where'.",
        [LESSON_NO_EVENT] = "see: chapter 07, 'Two streams, and a missing event'.",
        [LESSON_NEW_GROUP] = "see: chapter 09, 'The first hole: only the members make it'.",
        [LESSON_TWO_GROUPS] = "see: chapter 09, 'The second hole: two groups, crossed'.",
    };
    return lines[lesson];
}
