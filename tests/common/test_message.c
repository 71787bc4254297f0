/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of messages: every row is whole, no name comes twice. */
#include <check.h>
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "message.h"
#include "tap.h"

static const char *const names[] = {
#define BW_MESSAGE(name, id, kind, group, line) #name,
#include "messages.def"
#undef BW_MESSAGE
};

/* BW_MSG_HALF_SWIZZLE is "half-swizzle": one can be told from the other. */
static bool is_written_as(const char *id, const char *name)
{
    size_t i = 0;
    while (id[i] && name[i] &&
           (id[i] == '-' ? name[i] == '_' : toupper((unsigned char)id[i]) == name[i]))
        i++;
    return !id[i] && !name[i];
}

START_TEST(test_rows)
{
    for (unsigned i = 0; i < BW_MSG_COUNT; i++) {
        const bw_message *message = bw_message_of((bw_message_id)i);
        size_t len = strlen(message->line);
        ck_assert_msg(is_written_as(message->id, names[i]), "%s is %s", message->id, names[i]);
        ck_assert_msg(len > 1 && message->line[len - 1] == '.', "%s: no sentence", message->id);
        ck_assert_ptr_nonnull(bw_message_kind_name(message->kind));
        ck_assert_ptr_nonnull(bw_message_group_title(message->group));
    }
}
END_TEST

START_TEST(test_find)
{
    for (unsigned i = 0; i < BW_MSG_COUNT; i++)
        ck_assert_msg(bw_message_find(bw_message_of((bw_message_id)i)->id) == (bw_message_id)i,
                      "%s comes twice", names[i]);
    ck_assert(bw_message_find("") == BW_MSG_COUNT);
    ck_assert(bw_message_find("no-such-message") == BW_MSG_COUNT);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("message");
    tcase_add_test(tc, test_rows);
    tcase_add_test(tc, test_find);
    return tap_run(tc);
}
