/*
 * explain_source.c: the lines of the program. A report names files without their folders, so they are looked for, and only one is
 * believed that has the call in that line.
 */
#define _XOPEN_SOURCE 700
#include "explain.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>

#define AROUND 3  /* lines before and behind */
#define PLACES 16 /* of one report */
#define LINE 400
#define DEPTH 6 /* of folders, and how many are open at once */

/* A place in the program, and the rank that stands there. */
struct place {
    const char *name, *call;
    int line, rank;
    char path[1000]; /* "": not found */
};

/* nftw has no argument for what is looked for. */
static struct place *wanted;

/* The n-th line of a file, without its end. False: there is none. */
static bool read_line(const char *path, int n, char *text)
{
    FILE *file = fopen(path, "r");
    bool good = file != NULL;
    for (int i = 0; i < n && good; i++)
        good = fgets(text, LINE, file) != NULL;
    if (file)
        fclose(file);
    if (good)
        text[strcspn(text, "\r\n")] = '\0';
    return good;
}

static int try_file(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    char text[LINE];
    (void)status;
    if (kind == FTW_D && where->level > DEPTH)
        return 0;
    if (kind != FTW_F || strcmp(path + where->base, wanted->name) != 0 ||
        strlen(path) >= sizeof wanted->path || !read_line(path, wanted->line, text) ||
        !strstr(text, wanted->call))
        return 0;
    strcpy(wanted->path, path);
    return 1;
}

static bool find(struct place *place, const char *folder)
{
    wanted = place;
    place->path[0] = '\0';
    nftw(folder, try_file, DEPTH, FTW_PHYS);
    return place->path[0] != '\0';
}

static bool place_of(const struct value *entry, struct place *place)
{
    *place = (struct place){ .name = value_text(entry, "file", NULL),
                             .call = value_text(entry, "call", NULL),
                             .line = (int)value_whole(entry, "line", 1, 1 << 24, 0),
                             .rank = (int)value_whole(entry, "rank", 0, 1 << 20, 0) };
    return place->name && place->call && place->line > 0;
}

static void show(FILE *page, const struct place *place)
{
    char text[LINE];
    fputs("<h3>", page);
    explain_text(page, place->name);
    fprintf(page, ":%d</h3>\n<pre>", place->line);
    for (int n = place->line > AROUND ? place->line - AROUND : 1; n <= place->line + AROUND; n++) {
        if (!read_line(place->path, n, text))
            break;
        fprintf(page, n == place->line ? "<b>%4d  " : "%4d  ", n);
        explain_text(page, text);
        fputs(n == place->line ? "</b>\n" : "\n", page);
    }
    fputs("</pre>\n", page);
}

static const struct value *first_rank(const struct value *report)
{
    const struct value *list = value_member(report, "ranks");
    return list ? list->first : NULL;
}

void explain_source(FILE *page, const struct value *report, const char *folder)
{
    struct place seen[PLACES], place;
    int count = 0;
    bool missing = false;
    for (const struct value *entry = first_rank(report); entry && count < PLACES; entry = entry->next) {
        bool again = !place_of(entry, &place);
        for (int i = 0; i < count && !again; i++)
            again = seen[i].line == place.line && strcmp(seen[i].name, place.name) == 0;
        if (again)
            continue;
        seen[count++] = place;
        if (find(&place, folder))
            show(page, &place);
        else
            missing = true;
    }
    if (missing)
        fputs("<p>Some of the program's lines were not found; <code>--source FOLDER</code> says where it "
              "lies.</p>\n",
              page);
}

/* ---- a change of one line ------------------------------------------------------------------------- */

/* A piece of a line. */
struct piece {
    const char *text;
    int length; /* 0: there is none */
};

/* What is written behind ".tag =". */
static struct piece tag_in(const char *line)
{
    const char *at = strstr(line, ".tag");
    at = at ? at + strlen(".tag") + strspn(at + strlen(".tag"), " =") : "";
    int depth = 0, length = 0;
    while (at[length] && (depth > 0 || (at[length] != ',' && at[length] != ')'))) {
        depth += (at[length] == '(') - (at[length] == ')');
        length++;
    }
    return (struct piece){ at, length };
}

/* The first number behind the first comma, if it is this one: the rank that a call names. */
static struct piece rank_in(const char *line, long long rank)
{
    const char *at = strchr(line, ',');
    at = at ? at + 1 + strspn(at + 1, " ") : "";
    size_t length = strspn(at, "0123456789");
    bool is_it = length > 0 && strtoll(at, NULL, 10) == rank && strchr(",) ", at[length]);
    return (struct piece){ at, is_it ? (int)length : 0 };
}

static void show_change(FILE *page, const struct place *place, const char *line, struct piece old,
                        struct piece new)
{
    char changed[2 * LINE];
    snprintf(changed, sizeof changed, "%.*s%.*s%s", (int)(old.text - line), line, new.length, new.text,
             old.text + old.length);
    fputs("<h2>A change of one line</h2>\n<pre>", page);
    explain_text(page, place->name);
    fprintf(page, ":%d\n<del>- ", place->line);
    explain_text(page, line);
    fputs("</del>\n<ins>+ ", page);
    explain_text(page, changed);
    fputs("</ins></pre>\n", page);
}

static long long whole(const struct value *entry, const char *name)
{
    return value_whole(entry, name, 0, 1 << 30, -1);
}

static bool is_call(const struct value *entry, const char *word)
{
    const char *call = value_text(entry, "call", "");
    return strcmp(value_text(entry, "state", ""), "waiting") == 0 && strstr(call, word) != NULL &&
           !strstr(call, "reduce");
}

/* Does `waiter` receive what `other` sends it, but for the tag (1), or for the rank that it names (2)? 0: neither. */
static int nearly(const struct value *waiter, const struct value *other)
{
    if (waiter == other || !is_call(waiter, "recv") || !is_call(other, "send") ||
        whole(other, "peer") != whole(waiter, "rank") || whole(waiter, "group") != whole(other, "group"))
        return 0;
    bool same_rank = whole(waiter, "peer") == whole(other, "rank"),
         same_tag = whole(waiter, "tag") == whole(other, "tag");
    return same_rank && !same_tag ? 1 : same_tag && !same_rank && whole(waiter, "peer") >= 0 ? 2 : 0;
}

/* The line of a rank's call. */
static bool line_of(const struct value *entry, const char *folder, struct place *place, char *line)
{
    return place_of(entry, place) && find(place, folder) && read_line(place->path, place->line, line);
}

/* False: that is not written there as one number, or one name. */
static bool change(FILE *page, const struct value *waiter, const struct value *other, const char *folder)
{
    struct place here, there;
    char line[LINE], theirs[LINE], number[32];
    int what = nearly(waiter, other);
    if (!what || !line_of(waiter, folder, &here, line))
        return false;
    snprintf(number, sizeof number, "%lld", whole(other, what == 1 ? "tag" : "rank"));
    struct piece old = what == 1 ? tag_in(line) : rank_in(line, whole(waiter, "peer"));
    struct piece new = { number, (int)strlen(number) };
    if (what == 1 && line_of(other, folder, &there, theirs) && tag_in(theirs).length > 0)
        new = tag_in(theirs);
    if (old.length > 0)
        show_change(page, &here, line, old, new);
    return old.length > 0;
}

void explain_change(FILE *page, const struct value *report, const char *folder)
{
    bool told = strcmp(value_text(report, "class", ""), "mismatch") != 0;
    for (const struct value *waiter = first_rank(report); waiter && !told; waiter = waiter->next)
        for (const struct value *other = first_rank(report); other && !told; other = other->next)
            told = change(page, waiter, other, folder);
}
