/* Grades 06.4: what the learner has read out of a report. Feedback says where to look, and never what is right. */
#include "../../grader/grader.h"

#include <string.h>

#define PROGRAM "exercises/06_deadlocks/4_read_a_report.c"

const struct exercise exercise = { .title = "Read a report", .drawing = "spacetime" };

/* In which line of a file is this? 0: in none. */
static int line_in(const char *path, const char *words)
{
    char text[256];
    int line = 0, found = 0;
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(text, sizeof text, file)) {
        line++;
        found = strstr(text, words) ? line : 0;
    }
    if (file)
        fclose(file);
    return found;
}

/* The line of the learner's own file, which may have grown by an include, where the program is still in it; else that of the stub. A number
 * that is right in either is right. */
static int line_with(const char *words, int told)
{
    const char *own = getenv("GRADE_SOURCE");
    int here = own ? line_in(own, words) : 0, stub = line_in(PROGRAM, words);
    return told == here || stub == 0 ? here : stub;
}

/* One rank is enough to ask. -1000: it has not answered. */
static int heard(const struct sitting *s, const char *question)
{
    double number = handed(s, 0, question, 0);
    return number > -1000 && number < 1000 ? (int)number : -1000;
}

static int asked(struct sitting *s, const char *question)
{
    sit(s);
    return heard(s, question);
}

GRADED(the_class, 2)
{
    EACH_SITTING(s, 1, 1) {
        int class = asked(s, "class");
        claim(s, class == DIST_ERR_MISMATCH,
              "CLASS is %d: that does not stand for the word before the first colon of the report", class);
    }
}

GRADED(the_rank, 3)
{
    EACH_SITTING(s, 1, 1) {
        int rank = asked(s, "rank");
        claim(s, rank == 2, "RANK is %d: %s", rank,
              rank < 0 || rank > 3 ? "there are ranks 0 to 3"
              : rank == 0          ? "rank 0 waits for its second child, as the tree says"
                                   : "that one stands in the barrier; its part of the sum is done");
    }
}

GRADED(the_lines, 3)
{
    EACH_SITTING(s, 1, 1) {
        int line = asked(s, "line"), change = heard(s, "line_to_change");
        int send = line_with("dist_send(x, parent);", line),
            parent = line_with("int parent = rank / 2;", change);
        claim(s, send && parent,
              "Leave the program in " PROGRAM " as it came, or put it back: make reset-06.4");
        claim(s, line == send, "LINE is %d: the report names another one for that rank", line);
        claim(s, change == parent, "LINE_TO_CHANGE is %d: %s", change,
              change == send ? "it sends to the parent, and that is right if `parent` is"
                             : "changing it does not make that call right");
    }
}

GRADED(the_cure, 2)
{
    static const char *const why_not[] = {
        "choose one of 1 to 4",
        "rank 2 is no child of rank 1, and then rank 0 would still wait for rank 2",
        "nobody receives what goes to the wrong rank, however it is sent",
        "",
        "rank 0 waits for rank 2 before it comes to the barrier, so it would wait without a barrier too",
    };
    EACH_SITTING(s, 1, 1) {
        int cure = asked(s, "cure");
        claim(s, cure == 3, "CURE is %d: %s", cure, why_not[cure >= 1 && cure <= 4 ? cure : 0]);
    }
}
