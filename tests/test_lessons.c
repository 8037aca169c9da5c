/* test_lessons.c: each class of report names the lesson that explains it, and that lesson has the heading that is named. */
#include "started.h"

#include "launch/text.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

/* Has the chapter's lesson a line "## HEADING", of two or three #? */
static bool has_heading(const char *chapter, const char *heading)
{
    char pattern[64], line[512];
    glob_t found;
    bool has = false;
    snprintf(pattern, sizeof pattern, "chapters/%s_*/README.md", chapter);
    cr_assert(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1, "there is no chapter %s", chapter);
    FILE *lesson = fopen(found.gl_pathv[0], "r");
    while (lesson && fgets(line, sizeof line, lesson)) {
        line[strcspn(line, "\n")] = '\0';
        size_t hashes = strspn(line, "#");
        has |= (hashes == 2 || hashes == 3) && line[hashes] == ' ' && strcmp(line + hashes + 1, heading) == 0;
    }
    cr_assert(lesson);
    fclose(lesson);
    globfree(&found);
    return has;
}

Test(lessons, each_heading_that_is_named_is_there)
{
    cr_assert(!has_heading("06", "Three ranks, all polite"));
    static const char *const lessons[] = { LESSON_WHICH_MESSAGE, LESSON_SENDS_FIRST, LESSON_RING,
                                           LESSON_BUFFERED,      LESSON_NOT_MET,     LESSON_NOT_ALL,
                                           LESSON_IN_FLIGHT,     LESSON_ON_GPU,      LESSON_NO_EVENT,
                                           LESSON_NEW_GROUP,     LESSON_TWO_GROUPS };
    for (size_t i = 0; i < sizeof lessons / sizeof *lessons; i++) {
        char chapter[3], heading[80];
        const char *text = lessons[i], *from = strchr(text, '\''), *end = strrchr(text, '\'');
        cr_assert(sscanf(text, "see: chapter %2[0-9], '", chapter) == 1 && from < end, "%s", text);
        cr_assert(strcmp(end, "'.") == 0 && strlen(text) <= 74, "%s", text);
        snprintf(heading, sizeof heading, "%.*s", (int)(end - from - 1), from + 1);
        cr_assert(has_heading(chapter, heading), "%s: that chapter has no such heading", text);
    }
}

/* Those that no chapter's program shows; tests/tools/outputs.sh compares the others. */
Test(lessons, each_report_names_its_own, .timeout = 60)
{
    static const struct {
        const char *program, *name, *setting, *lesson;
    } reports[] = {
        { "advice", "self-recv", "DIST_CHECK=0", LESSON_SENDS_FIRST },
        { "advice", "self-irecv", "DIST_CHECK=0", LESSON_NOT_MET },
        { "advice", "not-for-anybody", "DIST_CHECK=0", LESSON_NOT_MET },
        { "advice", "not-a-message", "DIST_ALGORITHM=messages", LESSON_NOT_ALL },
        { "advice", "groups", "DIST_CHECK=0", LESSON_TWO_GROUPS },
        { "advice", "many-crossed", "DIST_BUFFERING=eager:64", LESSON_BUFFERED },
        { "anybody", "early", "DIST_CHECK=1", LESSON_WHICH_MESSAGE },
    };
    static struct started job;
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        STARTED(&job, SETTINGS(reports[i].setting, "TMPDIR=/nowhere"), reports[i].program, reports[i].name);
        const char *see = strstr(job.stderr_text, "\nsee: "), *line = reports[i].lesson;
        cr_assert(see && strncmp(see + 1, line, strlen(line)) == 0, "%s %s does not end with \"%s\": %s",
                  reports[i].program, reports[i].name, line, job.stderr_text);
    }
}
