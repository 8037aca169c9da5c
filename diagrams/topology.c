/* topology.c: says, and draws, what this machine is made of: `make topology`. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: topology [-o OUT.dot] [--root FOLDER] [--title TEXT]\n"
    "\n"
    "Says what this machine is made of: processors, GPUs, networks, and the ways between them.\n"
    "\n"
    "  -o FILE        also draw it; render it with: neato -n2 -Tsvg FILE -o OUT.svg\n"
    "  --root FOLDER  another machine, whose /sys and /proc were copied there\n"
    "  --title TEXT   what stands above the drawing\n"
    "  --version      which version this is\n";

int main(int argc, char **argv)
{
    struct topology t;
    const char *out = NULL, *root = "", *title = NULL;
    const struct cli_option options[] = {
        { "-o", &out, NULL }, { "--root", &root, NULL }, { "--title", &title, NULL }, { NULL, NULL, NULL }
    };
    struct cli cli = { .program = "topology", .help = help, .options = options };
    char *text = NULL;
    size_t size = 0;
    int status = cli_read(&cli, argc, argv);
    if (status >= 0)
        return status;
    if (*root && access(root, R_OK | X_OK) != 0)
        return cli_fail(&cli, root, strerror(errno));
    topology_read(&t, root);
    if (!*root)
        topology_ask_nvml(&t);
    if (t.error)
        return cli_fail(&cli, *root ? root : NULL, strerror(t.error));
    topology_words(&t, stdout);
    if (fflush(stdout) != 0)
        return cli_fail(&cli, "stdout", strerror(errno));
    struct picture p = { .file = out ? open_memstream(&text, &size) : NULL };
    if (!out)
        return EXIT_SUCCESS;
    if (!p.file)
        return cli_fail(&cli, NULL, strerror(errno));
    topology_draw(&t, &p, title ? title : *root ? root : "This machine");
    status = fclose(p.file) == 0 && text ? cli_write(&cli, out, NULL, text, size)
                                         : cli_fail(&cli, NULL, "the system gives no memory");
    free(text);
    return status;
}
