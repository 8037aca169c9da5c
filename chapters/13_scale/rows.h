/* rows.h: published runs, each a description in rows/ whose first lines say where it stands and what was measured. */
#ifndef ROWS_H
#define ROWS_H

#include "predict/predict.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    struct description d;
    char key[40]; /* what was published: "tflops_per_gpu" ... */
    double published;
};

static inline void row_path(const char *name, char *path, size_t size)
{
    const char *slash = strrchr(__FILE__, '/');
    snprintf(path, size, "%.*srows/%s.run", slash ? (int)(slash + 1 - __FILE__) : 0, __FILE__, name);
}

/* Ends the program where the file is missing or wrong. */
static inline struct row row_read(const char *name)
{
    struct row row = { .published = 0 };
    char path[1024], line[300], why[WHY];
    row_path(name, path, sizeof path);
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "cannot read %s (%s): run the program from the root of the workbook\n", path,
                strerror(errno));
        exit(2);
    }
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "# published: %39s = %lf", row.key, &row.published) == 2)
            break;
    fclose(file);
    if (description_read(&row.d, path, why) != 0) {
        fprintf(stderr, "%s\n", why);
        exit(2);
    }
    return row;
}

static inline double row_predicted(const struct row *row)
{
    if (row->d.collective != NOT_SAID) {
        int n = (int)row->d.gpus, near = n < row->d.machine.gpus_per_node ? n : row->d.machine.gpus_per_node;
        enum collective what = (enum collective)row->d.collective;
        double seconds = collective_alone(&row->d.machine, what, row->d.bytes, n, near);
        return bus_bandwidth(what, row->d.bytes, n, seconds) / 1e9;
    }
    struct prediction p = predict_step(&row->d);
    if (strcmp(row->key, "step_s") == 0)
        return p.step;
    return strcmp(row->key, "tokens_per_gpu_s") == 0 ? row->d.batch * row->d.seq / p.step / row->d.gpus
                                                     : p.tflops;
}

#endif
