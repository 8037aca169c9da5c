/* twice.c: a program that uses the library, and loads a plugin that may have a copy of it inside: twice PLUGIN. */
#include <dist.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const char *plugin;

static void run(int rank, int size)
{
    (void)size;
    dist_init_process_group();
    void *library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    int (*plugin_rank)(void) = NULL;
    if (library)
        *(void **)&plugin_rank = dlsym(library, "plugin_rank");
    if (!plugin_rank) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    if (plugin_rank() == rank && rank == 0)
        puts("the plugin knows the rank");
    dist_destroy_process_group();
}

int main(int argc, char **argv)
{
    plugin = argc > 1 ? argv[1] : "";
    return dist_spawn(run, 2);
}
