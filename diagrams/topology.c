/* topology.c: says, and draws, what this machine is made of: `make topology`. */
#include "topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define USAGE 2 /* exit status: the command line makes no sense */

static const char help[] =
    "usage: topology [-o OUT.dot] [--root FOLDER]\n"
    "\n"
    "Says what this machine is made of: processors, GPUs, networks, and the ways between them.\n"
    "\n"
    "  -o FILE        also draw it; render it with: neato -n2 -Tsvg FILE -o OUT.svg\n"
    "  --root FOLDER  another machine, whose /sys and /proc were copied there\n";

static int draw(const struct topology *t, const char *path)
{
    struct picture p = { .file = fopen(path, "w") };
    if (p.file)
        topology_draw(t, &p);
    if (p.file && fclose(p.file) == 0)
        return EXIT_SUCCESS;
    fprintf(stderr, "topology: %s: %s\n", path, strerror(errno));
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct topology t;
    const char *out = NULL, *root = "";
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(help, stdout) < 0;
    for (int i = 1; i < argc; i += 2) {
        bool known = strcmp(argv[i], "-o") == 0 || strcmp(argv[i], "--root") == 0;
        if (!known || i + 1 == argc) {
            fputs("topology: the command line is not understood; topology --help shows what there is\n",
                  stderr);
            return USAGE;
        }
        *(argv[i][1] == 'o' ? &out : &root) = argv[i + 1];
    }
    topology_read(&t, root);
    if (!*root)
        topology_ask_nvml(&t);
    topology_words(&t, stdout);
    return out ? draw(&t, out) : EXIT_SUCCESS;
}
