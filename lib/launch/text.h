/* text.h: sentences put together piece by piece. */
#ifndef LAUNCH_TEXT_H
#define LAUNCH_TEXT_H

#include "../why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The last part of a path; of none "?". */
static inline const char *text_file(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "?";
}

/* The same in at most so many letters: of a very long name the end, since that is where the ".c" is. */
static inline const char *text_file_in(const char *path, size_t letters)
{
    const char *name = text_file(path);
    size_t length = strlen(name);
    return length > letters ? name + length - letters : name;
}

/* A text that grows to its end and never beyond. Start with used = 0. */
struct text {
    size_t used;
    char bytes[16384];
};

/* The first `length` bytes as JSON has a string, with its quotes. Names of files can be in any encoding: what is no UTF-8 becomes U+FFFD. */
void text_put_json(FILE *file, const char *text, size_t length);

/* From here on this thread writes and reads numbers with a point, whatever language the program has set (setlocale); and as before. */
void *text_use_point(void);
void text_use_language(void *before);

/* A piece of a sentence. */
struct words {
    char text[160];
};
struct words words_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "rank 0", "ranks 0, 1 and 3", "ranks 0 to 62": those of in[0 .. size-1] that are true. Returns how many. */
int text_add_ranks(struct text *text, const bool *in, int size);

/* All of it, to a descriptor. Gives how much: less, where it could not be written. */
size_t text_write(int fd, const char *bytes, size_t size);

/* The first line of a file in which these words stand ("": the first of all). False: there is none, or no such file. */
bool text_find_line(const char *path, const char *words, char *line, size_t size);

/* To the descriptor of stderr, as one piece. (dprintf hangs its buffer among all streams until glibc 2.37: a thread that flushes
 * them, or calls exit(), writes it a second time, when it is gone.) */
void text_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Columns of a report: a terminal's 80 hold it, also behind the number of its rank. And where no number stands in front. */
enum { TEXT_WIDTH = 74, TEXT_WIDTH_ALONE = 79 };

/* Break prose at blanks, so that no line is longer than `width`; further ones are indented by two. What `out` cannot hold is cut off. */
void text_wrap(const char *text, size_t width, char *out, size_t size);

/* A sentence without its full stop: with one, unless it asks, to stderr, broken so. */
void text_tell(const char *sentence, size_t width);

/* Where the workbook explains what a report tells: the report's last line, in the order of the chapters. tests/test_lessons.c looks whether each
 * chapter has the heading that is named here. */
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
