/*
 * calls.cc: every call from C++, with its optional arguments given and left out. tests/tools/headers.sh compiles it with all C++
 * compilers that it finds, also as CUDA, and runs it with 4 ranks. It ends with an error where a call does something else than in C.
 */
#include "dist.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define EXPECT(what) \
    do { \
        if (!(what)) { \
            std::fprintf(stderr, "calls.cc:%d: not so: %s\n", __LINE__, #what); \
            std::exit(1); \
        } \
    } while (0)

/* ---- reports hold the caller's place ------------------------------------------------------- */

struct Told {
    int count, line;
    char file[32], call[64];
};

static void tell(const dist_report *report, void *context)
{
    Told *told = static_cast<Told *>(context);
    const char *slash = std::strrchr(report->at.file, '/');
    told->count++;
    told->line = report->at.line;
    std::snprintf(told->file, sizeof told->file, "%s", slash ? slash + 1 : report->at.file);
    std::snprintf(told->call, sizeof told->call, "%s", report->call);
}

static void places(tensor *x)
{
    Told told = {};
    dist_set_error_handler(tell, &told);
    dist_send(x, 77);
    EXPECT(told.count == 1 && told.line == __LINE__ - 1 && std::strcmp(told.call, "dist_send") == 0);
    EXPECT(std::strncmp(told.file, "calls.c", 7) == 0);
    EXPECT(tensor_item(x, 99) == 0 && told.count == 2 && told.line == __LINE__);
    EXPECT(dist_broadcast(x, 99) == nullptr && told.count == 3 && told.line == __LINE__);
    auto in_a_lambda = [&] { tensor_set(x, -1, 3); };
    in_a_lambda();
    EXPECT(told.count == 4 && told.line == __LINE__ - 2);
    tensor_print(static_cast<tensor *>(nullptr), "%d", 1);
    EXPECT(told.count == 5 && told.line == __LINE__ - 1);
    EXPECT(!tensor_zeros(DIST_F32, -1) && told.count == 6 && told.line == __LINE__);
    EXPECT(!dist_stream_native() && told.count == 7 && told.line == __LINE__);
    EXPECT(dist_last_error() == -DIST_ERR_ENVIRONMENT);
    EXPECT(std::strcmp(dist_error_name(DIST_ERR_STATE), "DIST_ERR_STATE") == 0);
    dist_set_error_handler(nullptr, nullptr);
}

/* ---- the calls ------------------------------------------------------------------------------- */

/* Lengths and values of any type that C would take. */
static void tensors(int rank)
{
    std::vector<float> values = { 1, -2, 3, 4, 5, 6 };
    unsigned two = 2;
    tensor *x = tensor_from(DIST_F32, values.data(), values.size());
    tensor *m = tensor_from(DIST_F32, values.data(), values.size() / 2, two);
    tensor *z = tensor_zeros(DIST_F32, values.size()), *cube = tensor_zeros(DIST_I64, 1, two, 3u, 4L);
    tensor *f = tensor_full(DIST_F32, rank + 1, 6), *empty = tensor_full(DIST_U8, 3.5f, 0);
    tensor *a = tensor_arange(DIST_F32, 0, rank + 6 - rank);
    EXPECT(tensor_numel(x) == 6 && tensor_size(m, 0) == 3 && tensor_size(m, 1) == 2 && tensor_item(m, 5) == 6);
    EXPECT(tensor_numel(cube) == 24 && tensor_size(cube, 3) == 4 && tensor_type(cube) == DIST_I64);
    EXPECT(tensor_item(f, 5) == rank + 1 && tensor_numel(empty) == 0 && tensor_item(a, 5) == 5);

    tensor *c = tensor_clone(x), *h = tensor_to(x, DIST_HOST), *s = tensor_slice(x, 1, 3);
    EXPECT(tensor_equal(c, h) && tensor_device(h) == DIST_HOST && tensor_item(s, 0) == -2);
    tensor_copy(z, x);
    tensor_add(z, a);
    tensor_sub(z, a);
    tensor_mul(z, f);
    tensor_add_scalar(z, 1);
    tensor_mul_scalar(z, 2.0f);
    EXPECT(tensor_item(z, 2) == 2 * (3 * (rank + 1) + 1));
    tensor_relu(c);
    tensor_fill(a, 1);
    tensor_relu_backward(a, c);
    EXPECT(tensor_sum(c) == 19 && tensor_sum(a) == 5);
    tensor *v = tensor_view(a, two, 3);
    tensor_fill(a, 7);
    tensor_softmax(v);
    EXPECT(tensor_size(v, 1) == 3 && tensor_sum(a) > 1.999 && tensor_sum(a) < 2.001);
    tensor_free(v);
    tensor_set(c, 0, 9);
    tensor_read(c, values.data());
    EXPECT(values[0] == 9 && static_cast<float *>(tensor_data(c))[0] == 9);
    tensor_write(x, values.data());
    EXPECT(tensor_equal(x, c));
    tensor *t = tensor_zeros(DIST_F32, two, 3), *p = tensor_zeros(DIST_F32, two, two);
    tensor_transpose(t, m);
    tensor_matmul(p, t, m);
    EXPECT(tensor_item(p, 0) == 1 + 9 + 25);
    tensor_print(p, "rank %d of %s", rank, "C++");
    for (tensor *each : { x, m, z, cube, f, empty, a, c, h, s, t, p })
        tensor_free(each);
}

static void learning()
{
    const std::vector<int64_t> id = { 1, 0 };
    tensor_reset_peak_memory();
    tensor *x = tensor_full(DIST_F64, 2, 2, 2), *y = tensor_clone(x), *z = tensor_clone(x);
    tensor *w = tensor_full(DIST_F64, 1, 2), *b = tensor_clone(w), *l = tensor_clone(w);
    tensor *ids = tensor_from(DIST_I64, id.data(), 2), *v = tensor_zeros(DIST_F64, 2, 2);
    tensor_layer_norm(y, x, w, b);
    tensor_layer_norm_backward(z, w, b, y, x, l);
    EXPECT(tensor_item(y, 0) == 1 && tensor_item(b, 0) == 3);
    tensor_embedding(z, x, ids);
    tensor_embedding_backward(z, x, ids);
    EXPECT(tensor_item(z, 0) == 4);
    tensor_causal_mask(z, 1);
    tensor_cross_entropy(l, z, ids);
    tensor_cross_entropy_backward(z, ids);
    EXPECT(tensor_item(l, 0) > 0.69 && tensor_item(z, 1) == -0.5);
    tensor_softmax_backward(x, y);
    tensor_fill(x, 0);
    tensor_gelu(x);
    tensor_gelu_backward(z, x);
    EXPECT(tensor_item(z, 0) == 0.25 && tensor_item(x, 0) == 0);
    tensor_fill(y, 0);
    tensor_adamw(x, y, v, z, 1, 0.5, 0.1, 0.9, 0.99, 1e-8);
    tensor_adamw(x, y, v, z, 2, 0.5);
    EXPECT(tensor_item(x, 0) < -0.6);
    EXPECT(tensor_memory_allocated() > 0 && tensor_max_memory_allocated() >= tensor_memory_allocated());
    for (tensor *each : { x, y, z, w, b, l, ids, v })
        tensor_free(each);
}

static void messages(int rank, dist_group *g)
{
    tensor *x = tensor_full(DIST_F32, rank, 2), *y = tensor_zeros(DIST_F32, 2);
    int other = rank ^ 1;
    if (rank < other) {
        dist_send(x, other);
        dist_send(x, other, 7, g);
    } else {
        EXPECT(dist_recv(y, DIST_ANY_SOURCE) == other);
        EXPECT(dist_recv(y, other, 7, g) == other);
        EXPECT(tensor_item(y, 1) == other);
    }
    dist_work *in = dist_irecv(y, other, 8), *out = dist_isend(x, other, 8);
    (void)dist_is_completed(in);
    EXPECT(dist_wait(in) == other && dist_wait_all(&out, 1) == 0);
    dist_p2p_op ops[] = { { DIST_ISEND, x, other, 0, nullptr }, { DIST_IRECV, y, other, 0, nullptr } };
    dist_work *works[2];
    EXPECT(dist_batch_isend_irecv(ops, 2, works) == 0 && dist_wait_all(works, 2) == 0);
    int from = -1;
    works[0] = dist_irecv(y, DIST_ANY_SOURCE, 9);
    works[1] = nullptr;
    dist_send(x, other, 9);
    EXPECT(dist_wait_any(works, 2, &from) == 0 && from == other && !works[0] && dist_wait_any(works, 2) == -1);
    tensor_free(x);
    tensor_free(y);
}

static void collectives(int rank, int size, dist_group *g)
{
    tensor *x = tensor_full(DIST_F32, rank, 4), *y = tensor_zeros(DIST_F32, 4), *n = tensor_zeros(DIST_F32, 4 * size);
    dist_all_reduce(x);
    EXPECT(tensor_item(x, 0) == size * (size - 1) / 2);
    tensor_fill(x, rank);
    dist_wait(dist_all_reduce(x, DIST_MAX, g, true));
    EXPECT(tensor_item(x, 0) == size - 1);
    tensor_fill(x, rank);
    dist_reduce(x, 1, DIST_PRODUCT);
    dist_broadcast(x, 2);
    EXPECT(tensor_item(x, 0) == 2);
    tensor_fill(x, rank);
    dist_all_gather(n, x);
    dist_reduce_scatter(y, n, DIST_AVG);
    EXPECT(tensor_item(y, 3) == rank);
    dist_scatter(y, rank == 1 ? n : nullptr, 1);
    dist_gather(y, rank == 1 ? n : nullptr, 1, g);
    tensor *t = tensor_clone(n);
    dist_all_to_all(t, n, g);
    EXPECT(tensor_item(t, 0) == rank);
    const std::vector<int64_t> splits(size, 4);
    dist_wait(dist_all_to_all(t, n, g, true, splits.data(), splits.data()));
    EXPECT(tensor_item(t, 4 * size - 1) == rank);
    dist_barrier();
    dist_wait(dist_barrier(g, true));
    dist_monitored_barrier(nullptr, 5);
    for (tensor *each : { x, y, n, t })
        tensor_free(each);
}

/* On the simulated GPU. */
static void streams()
{
    dist_set_device(DIST_GPU);
    dist_stream *s = dist_stream_new(), *before = dist_stream_use(s);
    dist_event *from = dist_event_record();
    tensor *x = tensor_full(DIST_F32, 1, 2);
    dist_event *to = dist_event_record();
    dist_event_wait(to);
    EXPECT(dist_stream_synchronize(s) == 0 && dist_event_passed(to) && dist_event_elapsed(from, to) >= 0);
    EXPECT(dist_synchronize() == 0);
    dist_stream_use(before);
    dist_event_free(from);
    dist_event_free(to);
    tensor_free(x);
    dist_stream_free(s);
    dist_set_device(DIST_HOST);
}

static void run(int rank, int size)
{
    double start = dist_time();
    dist_init_process_group("shm");
    const int members[] = { 0, 1, 2, 3 };
    dist_group *g = dist_new_group(members, 4), *pair = dist_new_group(members, 2);
    EXPECT(dist_get_rank() == rank && dist_get_rank(g) == rank && dist_get_world_size() == size);
    EXPECT(dist_get_world_size(pair) == 2 && dist_get_rank(pair) == (rank < 2 ? rank : -1));
    tensor *x = tensor_full(DIST_F32, rank, 1);
    places(x);
    dist_span("rank %d", rank) {
        dist_span("all of it") {
            tensors(rank);
            learning();
            messages(rank, g);
            collectives(rank, size, g);
        }
        streams();
    }
    tensor_free(x);
    dist_group_free(pair);
    dist_group_free(g);
    EXPECT(dist_time() > start);
    dist_destroy_process_group();
}

int main()
{
    return dist_spawn(run, 4);
}
