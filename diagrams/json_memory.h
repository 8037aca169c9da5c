/* json_memory.h: what the parts of the reader share. */
#ifndef JSON_MEMORY_H
#define JSON_MEMORY_H

#include "json.h"

/* Memory until json_forget. NULL: json->why. */
void *json_memory(struct json *json, size_t bytes);

/* Go over blanks; go over `c` if it comes next. */
void json_skip_blanks(struct json *json);
bool json_take(struct json *json, char c);

/* The string that begins here. NULL: json->why. */
const char *json_string(struct json *json);

#endif
