/* generated_spoil.h: what the wrong events are made of. */
#ifndef TESTS_GENERATED_SPOIL_H
#define TESTS_GENERATED_SPOIL_H

#include "generated.h"

/* The step as this operation with this peer. */
struct gen_step spoil_as(struct gen_step step, enum gen_op op, int peer);

/* A message with a tag that no other has. */
struct gen_step spoil_message(struct gen_program *p);

/* All ranks in random order. */
void spoil_draw(struct gen_program *p, int *ranks);

/* What must come of the program: its exit status, and how many of two lines the report names. */
void spoil_label(struct gen_program *p, int status, int named, int one, int two);

/* Send or receive: blocking, or started and waited for at once, or (if it may) waited for at the end. Gives the line. */
int spoil_transfer(struct gen_program *p, int rank, struct gen_step m, bool sends, bool may_leave_open);

/* What comes after: the others go about their business; then, if they are to meet, all go on together. */
void spoil_go_on(struct gen_program *p, unsigned stuck, bool meet);

/* generated_spoil_p2p.c */
void spoil_crossed_sends(struct gen_program *p);
void spoil_ring_of_sends(struct gen_program *p);
void spoil_ring_of_receives(struct gen_program *p);
void spoil_send_to_self(struct gen_program *p);
void spoil_wrong_peer(struct gen_program *p);
void spoil_wrong_tag(struct gen_program *p);
void spoil_wrong_group(struct gen_program *p);
void spoil_wrong_size(struct gen_program *p);
void spoil_wrong_type(struct gen_program *p);
void spoil_rank_has_left(struct gen_program *p);
void spoil_no_sender(struct gen_program *p);
void spoil_anybody_tag(struct gen_program *p);
void spoil_any_of_none(struct gen_program *p);

/* generated_spoil_luck.c */
void spoil_anybody_group(struct gen_program *p);
void spoil_later_round(struct gen_program *p);
void spoil_luck_of_buffers(struct gen_program *p);
void spoil_luck_of_order(struct gen_program *p);

/* generated_spoil_collective.c */
void spoil_collective_missing(struct gen_program *p);
void spoil_collective_order(struct gen_program *p);
void spoil_collective_group(struct gen_program *p);
void spoil_other_collective(struct gen_program *p);
void spoil_other_root(struct gen_program *p);
void spoil_other_reduction(struct gen_program *p);
void spoil_other_count(struct gen_program *p);
void spoil_other_type(struct gen_program *p);

/* generated_spoil_buffer.c */
void spoil_write_while_sending(struct gen_program *p);
void spoil_read_too_early(struct gen_program *p);
void spoil_overlapping_receives(struct gen_program *p);
void spoil_free_in_flight(struct gen_program *p);
void spoil_leak_work(struct gen_program *p);
void spoil_leak_message(struct gen_program *p);
void spoil_leak_tensor(struct gen_program *p);
void spoil_leak_group(struct gen_program *p);

#endif
