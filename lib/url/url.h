/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * URLs as the WHATWG URL Standard has them: one parser for the runtime and for
 * every policy check, so that both sides read a URL alike.
 * Source: https://url.spec.whatwg.org/
 *
 * Domains go through UTS 46 (ICU's) only if they have a byte beyond ASCII or a
 * label that begins with "xn--"; nearly none does, and ICU is opened by the
 * first. It reads no file at run time. Its Unicode version (15 in Debian 12)
 * decides which characters a domain may have; labels of more than 1000 UTF-16
 * units beyond ASCII fail. A malformed "xn--" label fails too, as in whatwg-url
 * before version 17.1; tests/conformance/url/known.mjs lists the differences.
 *
 * Time is linear in the input but for IDNA, whose labels are bounded. All calls
 * may run in several threads on different structs. An input whose
 * serialisation would exceed 2 GiB gets -ENOMEM.
 */
#ifndef SK_URL_H
#define SK_URL_H

#include <stddef.h>
#include <stdint.h>

/*
 * A parsed URL: its serialisation (ASCII, NUL-terminated, heap) and where its
 * parts lie in it. With "https://user:pw@host.test:81/p/q?x=1#f":
 *
 *   scheme_end    after "https:"
 *   username_end  after "user"       (== host_start when no credentials)
 *   host_start    at "@" if there are credentials, else after "//"
 *   host_end      after "host.test"
 *   path_start    at "/p/q"; between host_end and it: "" or ":81"
 *   search_start  at "?", or SK_URL_NONE
 *   hash_start    at "#", or SK_URL_NONE
 *
 * Without a host (null host) username_end, host_start and host_end equal
 * scheme_end. A path that begins with "//" and no host has "/." between
 * host_end and path_start, as the standard's serialiser writes it.
 */
#define SK_URL_NONE UINT32_MAX

struct sk_url {
	char *href;
	uint32_t length;
	uint32_t scheme_end;
	uint32_t username_end;
	uint32_t host_start;
	uint32_t host_end;
	uint32_t path_start;
	uint32_t search_start;
	uint32_t hash_start;
	int32_t port; /* -1: none or the scheme's default */
	uint8_t has_host;
	uint8_t special;
	uint8_t opaque_path;
};

enum sk_url_part {
	SK_URL_HREF,
	SK_URL_PROTOCOL,
	SK_URL_USERNAME,
	SK_URL_PASSWORD,
	SK_URL_HOST,
	SK_URL_HOSTNAME,
	SK_URL_PORT,
	SK_URL_PATHNAME,
	SK_URL_SEARCH,
	SK_URL_HASH
};

/* Parses `length` bytes of UTF-8 (ill-formed sequences count as U+FFFD),
 * against `base` unless that is NULL. 0: `out` is filled in and the caller
 * ends it with sk_url_fini. -EINVAL: the standard says failure. -ENOMEM. */
int sk_url_parse(struct sk_url *out, const char *input, size_t length,
		 const struct sk_url *base);

/* The setters of the URL class. 0: done. 1: the setter does nothing with this
 * value, `url` is unchanged. -EINVAL only for SK_URL_HREF. -ENOMEM: unchanged.
 */
int sk_url_set(struct sk_url *url, enum sk_url_part part, const char *value,
	       size_t length);

/* Frees what `url` owns. Safe on a zeroed struct. */
void sk_url_fini(struct sk_url *url);

/* The getters that are not slices of href. `hostname` excludes the port.
 * Pointers go into url->href and are not NUL-terminated. */
void sk_url_hostname(const struct sk_url *url, const char **at, size_t *length);
void sk_url_pathname(const struct sk_url *url, const char **at, size_t *length);
void sk_url_search(const struct sk_url *url, const char **at, size_t *length);

/* The serialised origin ("null" when opaque) as a heap string for the caller
 * to free, or NULL when out of memory. */
char *sk_url_origin(const struct sk_url *url);

/* The default port of a special scheme ("https" without colon), or -1. */
int sk_url_default_port(const char *scheme, size_t length);

/* application/x-www-form-urlencoded. A list owns its strings, one allocation
 * each (NUL-terminated by the parser), and its pairs. */
struct sk_form_pair {
	char *name;
	size_t name_length;
	char *value;
	size_t value_length;
};

struct sk_form {
	struct sk_form_pair *pairs;
	size_t count;
};

/* Parses bytes; names and values come out as well-formed UTF-8. 0 or
 * -ENOMEM. */
int sk_form_parse(struct sk_form *out, const char *input, size_t length);
void sk_form_fini(struct sk_form *form);

/* Serialises a parsed list or one made by hand (ill-formed UTF-8 counts as
 * U+FFFD); the heap string is the caller's, NULL when out of memory. */
char *sk_form_serialize(const struct sk_form *form, size_t *length);

/* Percent-decodes `length` bytes in place-safe fashion into `out` (at least
 * `length` bytes). Malformed escapes stay. Returns the bytes written. */
size_t sk_percent_decode(char *out, const char *input, size_t length);

#endif
