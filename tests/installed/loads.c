/*
 * loads.c: a program that is not linked with the library, has threads of its own, and loads it by dlopen: loads PLUGIN NAME. It
 * does so twice; the library (NAME; "-": it is inside the plugin) stays in between.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *wait_for_ever(void *unused)
{
    pause();
    return unused;
}

static int job_of(const char *plugin)
{
    void *library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    int (*job)(void) = NULL;
    if (library)
        *(void **)&job = dlsym(library, "plugin_job");
    if (!job) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int status = job();
    return dlclose(library) == 0 ? status : 1;
}

int main(int argc, char **argv)
{
    pthread_t other;
    if (argc < 3 || pthread_create(&other, NULL, wait_for_ever, NULL) != 0)
        return 2;
    for (int i = 0; i < 2; i++) {
        int status = job_of(argv[1]);
        if (status != 0)
            return status;
        if (strcmp(argv[2], "-") != 0 && !dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD)) {
            fprintf(stderr, "%s did not stay: %s\n", argv[2], dlerror());
            return 1;
        }
    }
    return 0;
}
