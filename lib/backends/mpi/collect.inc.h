/* collect.inc.h: the part of plugin.c that is about types, groups and collectives. */
/* ---- reductions: F16 and BF16 are no types of MPI's, and what MIN makes of a NaN is not said there: ours ----------- */

static void plugin_reduce(void *in, void *inout, const int *count, const MPI_Datatype *datatype, int op)
{
    int type = 0;
    while (type < TYPES - 1 && plugin_types[type] != *datatype)
        type++;
    plugin_job.reduce(inout, in, *count, type, op);
}

/* MPI does not say which operation it calls: so each has a function. */
#define REDUCER(n) \
    static void plugin_reduce_##n(void *in, void *inout, int *count, MPI_Datatype *datatype) \
    { \
        plugin_reduce(in, inout, count, datatype, n); \
    }
REDUCER(0)
REDUCER(1)
REDUCER(2)
REDUCER(3)
REDUCER(4)
static MPI_User_function *const reducers[OPS] = { plugin_reduce_0, plugin_reduce_1, plugin_reduce_2,
                                                  plugin_reduce_3, plugin_reduce_4 };

static int plugin_make_types(void)
{
    static const int sizes[TYPES] = { 4, 8, 2, 2, 4, 8, 1 };
    int fine = plugin_good(MPI_Type_contiguous((int)PIECE, MPI_BYTE, &plugin_piece)) &&
               plugin_good(MPI_Type_commit(&plugin_piece));
    for (int i = 0; i < TYPES && fine; i++)
        fine = plugin_good(MPI_Type_contiguous(sizes[i], MPI_BYTE, &plugin_types[i])) &&
               plugin_good(MPI_Type_commit(&plugin_types[i]));
    for (int i = 0; i < OPS && fine; i++)
        fine = plugin_good(MPI_Op_create(reducers[i], 1, &plugin_ops[i]));
    return fine;
}

/* ---- groups ----------------------------------------------------------------------------------------- */

/* One for messages and collectives, which MPI never takes for each other; the program may use MPI_COMM_WORLD. Between two looks others
 * get the processor: inside of MPI_Comm_dup the ranks of a crowded machine spin for those who wait for it. */
static int plugin_make_world(void)
{
    MPI_Request copied;
    int done = 0, fine = plugin_good(MPI_Comm_idup(MPI_COMM_WORLD, &plugin_world, &copied));
    while (fine && !done) {
        sched_yield();
        fine = plugin_good(MPI_Test(&copied, &done, MPI_STATUS_IGNORE));
    }
    return fine;
}

static void *plugin_group_new(const int *ranks, int size, int number)
{
    MPI_Comm group;
    MPI_Group all, some;
    if (!plugin_good(MPI_Comm_group(plugin_world, &all)) ||
        !plugin_good(MPI_Group_incl(all, size, ranks, &some)))
        return NULL;
    int fine = plugin_good(MPI_Comm_create_group(plugin_world, some, number % TRANSPORT_TAGS, &group));
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return fine ? (void *)(intptr_t)group : NULL;
}

/* MPI calls it collective; in both MPIs nobody waits in it for the others. */
static void plugin_group_free(void *group)
{
    MPI_Comm comm = (MPI_Comm)(intptr_t)group;
    MPI_Comm_free(&comm);
}

/* ---- collectives ------------------------------------------------------------------------------------- */

/* A piece of each member's block, as one: so that the next one begins where the next block does. */
static int plugin_each_block(const struct transport_collective *c, MPI_Datatype *each)
{
    MPI_Datatype piece;
    if (!plugin_good(MPI_Type_contiguous((int)c->block, plugin_types[c->type], &piece)))
        return 0;
    int fine =
        plugin_good(MPI_Type_create_resized(piece, 0, (MPI_Aint)(c->element * (size_t)c->stride), each)) &&
        plugin_good(MPI_Type_commit(each));
    MPI_Type_free(&piece);
    return fine;
}

static transport_request plugin_collect(void *group, const struct transport_collective *c)
{
    MPI_Comm comm = group ? (MPI_Comm)(intptr_t)group : plugin_world;
    MPI_Datatype type = plugin_types[c->type], each = type;
    MPI_Op op = plugin_ops[c->op];
    MPI_Request request = MPI_REQUEST_NULL;
    int rank, n = (int)c->block, blocks = c->stride > c->block ? 1 : n, code = MPI_SUCCESS;
    if (c->stride > c->block && !plugin_each_block(c, &each))
        return 0;
    MPI_Comm_rank(comm, &rank);
    int root = rank == c->root;
    const void *in = c->in == c->out ? MPI_IN_PLACE : c->in;
    switch (c->call) {
    case TRANSPORT_BROADCAST:
        code = MPI_Ibcast(c->out, n, type, c->root, comm, &request);
        break;
    case TRANSPORT_REDUCE:
        code = MPI_Ireduce(root ? in : c->in, root ? c->out : NULL, n, type, op, c->root, comm, &request);
        break;
    case TRANSPORT_ALL_REDUCE:
        code = MPI_Iallreduce(in, c->out, n, type, op, comm, &request);
        break;
    case TRANSPORT_SCATTER:
        code = MPI_Iscatter(root ? c->in : NULL, blocks, each, c->out, n, type, c->root, comm, &request);
        break;
    case TRANSPORT_GATHER:
        code = MPI_Igather(c->in, n, type, root ? c->out : NULL, blocks, each, c->root, comm, &request);
        break;
    case TRANSPORT_ALL_GATHER:
        code = MPI_Iallgather(c->in, n, type, c->out, blocks, each, comm, &request);
        break;
    case TRANSPORT_REDUCE_SCATTER:
        code = MPI_Ireduce_scatter_block(c->in, c->out, n, type, op, comm, &request);
        break;
    }
    transport_request number = plugin_number_of(code, &request);
    if (each != type)
        MPI_Type_free(&each);
    return number;
}
