/* explain_svg.c: a picture inside the page: neato is asked to make an SVG of it. */
#define _POSIX_C_SOURCE 200809L
#include "explain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void explain_text(FILE *page, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", page);
        else if (*text == '>')
            fputs("&gt;", page);
        else if (*text == '&')
            fputs("&amp;", page);
        else
            fputc(*text, page);
    }
}

static void become_neato(int in, int out)
{
    dup2(in, 0);
    dup2(out, 1);
    close(2);
    execlp("neato", "neato", "-n2", "-Tsvg", (char *)NULL);
    _exit(127);
}

/* What neato prints, without what comes before the image. NULL: it is not there, or did not like it. */
static char *render(const char *dot)
{
    int ends[2], status = 1;
    char *text = NULL, part[4096];
    size_t size = 0;
    FILE *in = tmpfile(), *all = open_memstream(&text, &size);
    pid_t child = -1;
    if (in && all && fputs(dot, in) >= 0 && fflush(in) == 0 && pipe(ends) == 0) {
        rewind(in);
        if ((child = fork()) == 0)
            become_neato(fileno(in), ends[1]);
        close(ends[1]);
        for (ssize_t length; child > 0 && (length = read(ends[0], part, sizeof part)) > 0;)
            fwrite(part, 1, (size_t)length, all);
        close(ends[0]);
        if (child > 0)
            waitpid(child, &status, 0);
    }
    if (in)
        fclose(in);
    bool good = all && fclose(all) == 0 && status == 0 && text && strstr(text, "<svg");
    if (good)
        return memmove(text, strstr(text, "<svg"), strlen(strstr(text, "<svg")) + 1);
    free(text);
    return NULL;
}

bool explain_svg(FILE *page, const char *dot, const char *label)
{
    char *svg = render(dot);
    if (svg)
        fprintf(page, "<figure role='img' aria-label='%s'>\n%s</figure>\n", label, svg);
    fputs("<script type='text/vnd.graphviz'>\n", page);
    explain_text(page, dot);
    fputs("</script>\n", page);
    bool there = svg != NULL;
    free(svg);
    return there;
}
