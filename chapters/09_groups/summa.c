/*
 * summa.c: a matrix product on a grid. Every rank holds a block of A, a block of B, and makes a block of C = A B.
 *
 *     step k     column k of A goes along the rows       row k of B goes down the columns
 *
 *                    a0 --> .                                b0   b1
 *                    a1 --> .                                v    v       every rank: C += its a times its b
 *
 * Is it what one rank would get? The columns of A are taken one by one, then WIDE at a time.
 *
 * Run it:  make run-09 PROG=summa N=4
 */
#include "../mesh.h"

enum { EACH = 12, WIDE = 3 }; /* the matrices have EACH rows and columns for every rank */

struct part {
    int i, rows, j, columns; /* rows i .. i + rows - 1 of a matrix, and columns j .. */
};

/* A part of A or of B. `turned`: its columns are the tensor's rows, which can be cut out. Tenths have to be rounded. */
static tensor *make_part(int which, struct part p, bool turned)
{
    float *values = calloc((size_t)p.rows * (size_t)p.columns, sizeof *values);
    for (int i = 0; values && i < p.rows; i++)
        for (int j = 0; j < p.columns; j++)
            values[turned ? j * p.rows + i : i * p.columns + j] =
                0.1f * (float)((7 * (p.i + i) + 5 * (p.j + j) + 3 * which) % 19) - 0.9f;
    tensor *t = turned ? tensor_from(DIST_F32, values, p.columns, p.rows)
                       : tensor_from(DIST_F32, values, p.rows, p.columns);
    free(values);
    return t;
}

/* Lines k .. k + wide - 1 of a matrix whose blocks lie along `axis`: from the rank that has them, to all in this line. */
static tensor *spread(const struct mesh *mesh, const char *axis, tensor *block, int k, int wide)
{
    int each = (int)tensor_size(block, 0), owner = k / each;
    int at = mesh_get_local_rank(mesh, axis) == owner ? k % each : 0;
    tensor *lines = tensor_slice(block, at, at + wide), *mine = tensor_clone(lines);
    dist_broadcast(mine, .src = mesh_rank_at(mesh, axis, owner), .group = mesh_get_group(mesh, axis));
    tensor_free(lines);
    return mine;
}

/* c = my block of A B. `a` is turned. */
static void summa(tensor *c, const struct mesh *mesh, tensor *a, tensor *b, int n, int wide)
{
    tensor *step = tensor_clone(c), *column = tensor_zeros(DIST_F32, tensor_size(c, 0), wide);
    tensor_fill(c, 0);
    for (int k = 0; k < n; k += wide) {
        tensor *along = spread(mesh, "column", a, k, wide), *down = spread(mesh, "row", b, k, wide);
        tensor_transpose(column, along);
        tensor_matmul(step, column, down);
        tensor_add(c, step);
        tensor_free(down);
        tensor_free(along);
    }
    tensor_free(column);
    tensor_free(step);
}

/* My block of the product that one rank alone makes: all of A and of B, one call. */
static tensor *alone(struct part mine, int n)
{
    struct part whole = { 0, n, 0, n };
    tensor *a = make_part(0, whole, false), *b = make_part(1, whole, false);
    tensor *c = tensor_zeros(DIST_F32, n, n), *turned = tensor_zeros(DIST_F32, n, n);
    tensor_matmul(c, a, b);
    tensor_transpose(turned, c);
    tensor *columns = tensor_slice(turned, mine.j, mine.j + mine.columns);
    tensor *back = tensor_zeros(DIST_F32, n, mine.columns);
    tensor_transpose(back, columns);
    tensor *rows = tensor_slice(back, mine.i, mine.i + mine.rows), *block = tensor_clone(rows);
    tensor *gone[] = { rows, back, columns, turned, c, b, a };
    for (int i = 0; i < 7; i++)
        tensor_free(gone[i]);
    return block;
}

/* How many elements have other bits, on all ranks together? */
static int different(const tensor *x, const tensor *y)
{
    int64_t count = tensor_numel(x);
    float *left = calloc((size_t)count, sizeof *left), *right = calloc((size_t)count, sizeof *right);
    tensor *differ = tensor_zeros(DIST_I32, 1);
    tensor_read(x, left);
    tensor_read(y, right);
    int here = 0;
    for (int64_t i = 0; i < count; i++)
        here += memcmp(&left[i], &right[i], sizeof *left) != 0;
    tensor_set(differ, 0, here);
    dist_all_reduce(differ);
    here = (int)tensor_item(differ, 0);
    tensor_free(differ);
    free(right);
    free(left);
    return here;
}

static void compare(const struct mesh *mesh, int rank, int n)
{
    int rows = n / mesh_size(mesh, "row"), columns = n / mesh_size(mesh, "column");
    struct part mine = { mesh_get_local_rank(mesh, "row") * rows, rows,
                         mesh_get_local_rank(mesh, "column") * columns, columns };
    tensor *a = make_part(0, mine, true), *b = make_part(1, mine, false);
    tensor *c = tensor_zeros(DIST_F32, rows, columns), *reference = alone(mine, n);
    if (rank == 0)
        printf("A, B and C are %d x %d; each rank has %d x %d of them\n", n, n, rows, columns);
    for (int wide = 1; wide <= WIDE; wide += WIDE - 1) {
        summa(c, mesh, a, b, n, wide);
        int differ = different(c, reference);
        if (rank == 0)
            printf("columns of A taken %d at a time: %4d of %d elements of C unlike one rank's\n", wide,
                   differ, n * n);
    }
    tensor_free(reference);
    tensor_free(c);
    tensor_free(b);
    tensor_free(a);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int rows = 1;
    for (int i = 2; i * i <= world_size; i++)
        rows = world_size % i == 0 ? i : rows;
    struct mesh *mesh =
        mesh_init(2, (struct mesh_axis[]){ { "row", rows }, { "column", world_size / rows } });
    compare(mesh, rank, EACH * world_size);
    mesh_free(mesh);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
