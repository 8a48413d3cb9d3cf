/* subprocess-local: what is kept of a stream, and the file the whole goes to (P-4, W27, W28). */
#include "tests/temp.h"
#include "tests/unit.h"

#include "collector.h"
#include "spill.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add(struct collector *collector, const char *text)
{
	collector_add(collector, text, strlen(text));
}

static char *read_from(const struct collector *collector, uint64_t offset, size_t max, uint64_t *ret_offset)
{
	static char data[65536];
	size_t len = collector_read(collector, offset, data, max, ret_offset);
	data[len] = '\0';
	return data;
}

/* peer/F9 */
START_TEST(reading_does_not_consume_and_the_past_of_the_end_is_empty)
{
	struct collector collector;
	uint64_t offset;
	collector_init(&collector, 0, 100);
	add(&collector, "abcdef");
	ck_assert_str_eq(read_from(&collector, 2, 100, &offset), "cdef");
	ck_assert_uint_eq(offset, 2);
	ck_assert_str_eq(read_from(&collector, 6, 100, &offset), "");
	ck_assert_str_eq(read_from(&collector, 99, 100, &offset), "");
	ck_assert_uint_eq(offset, 6);
	ck_assert_str_eq(read_from(&collector, 0, 3, &offset), "abc");
	collector_finish(&collector);
}
END_TEST

START_TEST(head_and_tail_stay_and_the_gap_is_named)
{
	struct collector collector;
	struct uw_stream_facts facts = {0};
	uint64_t offset;
	collector_init(&collector, 4, 6);
	add(&collector, "0123456789");
	collector_facts(&collector, &facts);
	ck_assert_uint_eq(facts.lossy, 0);
	ck_assert_str_eq(read_from(&collector, 0, 100, &offset), "0123456789");
	add(&collector, "abcde");
	collector_facts(&collector, &facts);
	ck_assert_uint_eq(facts.total, 15);
	ck_assert_uint_eq(facts.lossy, 1);
	ck_assert_uint_eq(facts.head_len, 4);
	ck_assert_uint_eq(facts.tail_offset, 9);
	ck_assert_str_eq(read_from(&collector, 0, 100, &offset), "0123");
	ck_assert_str_eq(read_from(&collector, 4, 100, &offset), "9abcde");
	ck_assert_uint_eq(offset, 9);
	collector_finish(&collector);
}
END_TEST

START_TEST(no_kept_part_begins_or_ends_inside_a_character)
{
	struct collector collector;
	struct uw_stream_facts facts = {0};
	uint64_t offset;
	collector_init(&collector, 3, 5);
	for (int i = 0; i < 10; i++)
		add(&collector, "\xe2\x82\xac\xc3\xa9"); /* 3 + 2 bytes */
	add(&collector, "x");
	collector_facts(&collector, &facts);
	ck_assert_uint_eq(facts.head_len, 3);
	/* the last five bytes begin inside the euro sign */
	ck_assert_uint_eq(facts.tail_offset, 48);
	ck_assert_str_eq(read_from(&collector, 20, 100, &offset), "\xc3\xa9x");
	ck_assert_uint_eq(offset, 48);
	collector_finish(&collector);
}
END_TEST

START_TEST(a_partial_character_is_held_back_until_the_stream_ends)
{
	struct collector collector;
	uint64_t offset;
	collector_init(&collector, 0, 100);
	add(&collector, "a\xe2\x82");
	ck_assert_str_eq(read_from(&collector, 0, 100, &offset), "a");
	ck_assert_str_eq(read_from(&collector, 1, 100, &offset), "");
	collector.ended = 1;
	ck_assert_str_eq(read_from(&collector, 1, 100, &offset), "\xe2\x82");
	collector_finish(&collector);
}
END_TEST

START_TEST(a_window_narrower_than_a_character_still_moves_on)
{
	struct collector collector;
	uint64_t offset;
	collector_init(&collector, 0, 100);
	add(&collector, "\xf0\x9f\x98\x80z");
	ck_assert_uint_eq(strlen(read_from(&collector, 0, 2, &offset)), 2);
	collector_finish(&collector);
}
END_TEST

/* every split of the input into chunks keeps the same */
START_TEST(chunking_changes_nothing)
{
	char text[4000];
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)('a' + i % 26);
	for (size_t chunk = 1; chunk < 400; chunk = chunk * 3 + 1) {
		struct collector collector;
		uint64_t offset;
		char *kept;
		collector_init(&collector, 10, 333);
		for (size_t at = 0; at < sizeof text; at += chunk)
			collector_add(&collector, text + at, sizeof text - at < chunk ? sizeof text - at : chunk);
		kept = read_from(&collector, 10, 1000, &offset);
		ck_assert_uint_eq(offset, sizeof text - 333);
		ck_assert_int_eq(memcmp(kept, text + sizeof text - 333, 333), 0);
		ck_assert_int_eq(memcmp(read_from(&collector, 0, 1000, &offset), text, 10), 0);
		collector_finish(&collector);
	}
}
END_TEST

static char spill_dir[96];

static void setup_spill(struct spill *spill, uint64_t max)
{
	struct uw_place temp = {spill_dir, 0, 0};
	(void)snprintf(spill_dir, sizeof spill_dir, "%s", temp_make().path);
	spill_init(spill);
	ck_assert_int_eq(spill_setup(spill, max, &temp, "/inside", "out"), 0);
	ck_assert_int_eq(spill_open(spill), 0);
}

static size_t read_back(const struct spill *spill, char *text, size_t size)
{
	ssize_t len = pread(spill->fd, text, size - 1, 0);
	ck_assert_int_ge(len, 0);
	text[len] = '\0';
	return (size_t)len;
}

static void drop_spill(struct spill *spill)
{
	char path[256];
	(void)snprintf(path, sizeof path, "%s/%s", spill_dir, spill->name);
	ck_assert_int_eq(unlink(path), 0);
	spill_finish(spill);
	ck_assert_int_eq(rmdir(spill_dir), 0);
}

/* peer/F7, peer/F8, shell/S10 */
START_TEST(the_file_is_private_and_over_its_size_keeps_the_first_and_the_last_half)
{
	struct spill spill;
	struct stat st;
	char text[64];
	setup_spill(&spill, 10);
	ck_assert_int_eq(fstat(spill.fd, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_int_eq(strncmp(spill.inside, "/inside/output-", 15), 0);
	spill_add(&spill, "0123456789", 10);
	ck_assert_int_eq(spill.lossy, 0);
	read_back(&spill, text, sizeof text);
	ck_assert_str_eq(text, "0123456789");
	spill_add(&spill, "abcdefgh", 8);
	ck_assert_int_eq(spill.lossy, 1);
	spill_end(&spill);
	ck_assert_uint_eq(read_back(&spill, text, sizeof text), 10);
	ck_assert_str_eq(text, "01234defgh");
	drop_spill(&spill);
}
END_TEST

START_TEST(the_ring_of_the_file_turns_at_every_length)
{
	for (size_t total = 11; total < 40; total++) {
		struct spill spill;
		char text[64], want[64];
		setup_spill(&spill, 11);
		for (size_t i = 0; i < total; i++) {
			char byte = (char)('A' + i);
			spill_add(&spill, &byte, 1);
		}
		spill_end(&spill);
		for (size_t i = 0; i < 11; i++)
			want[i] = (char)('A' + (i < 5 ? i : total - 11 + i));
		want[11] = '\0';
		read_back(&spill, text, sizeof text);
		ck_assert_str_eq(text, want);
		drop_spill(&spill);
	}
}
END_TEST

START_TEST(an_exchanged_directory_gets_no_file)
{
	struct spill spill;
	struct uw_place temp = {"/var/tmp", 1, 1};
	spill_init(&spill);
	ck_assert_int_eq(spill_setup(&spill, 10, &temp, "/inside", "out"), 0);
	ck_assert_int_eq(spill_open(&spill), -1);
	ck_assert_int_eq(spill.failed, 1);
	spill_finish(&spill);
}
END_TEST

UW_TESTS("subprocess-local/collector", reading_does_not_consume_and_the_past_of_the_end_is_empty,
         head_and_tail_stay_and_the_gap_is_named, no_kept_part_begins_or_ends_inside_a_character,
         a_partial_character_is_held_back_until_the_stream_ends,
         a_window_narrower_than_a_character_still_moves_on, chunking_changes_nothing,
         the_file_is_private_and_over_its_size_keeps_the_first_and_the_last_half,
         the_ring_of_the_file_turns_at_every_length, an_exchanged_directory_gets_no_file)
