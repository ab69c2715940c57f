// SPDX-License-Identifier: BSD-2-Clause
/*
 * UTS 46 "domain to ASCII" by ICU, as the URL Standard configures it:
 * CheckHyphens and VerifyDnsLength false, CheckBidi and CheckJoiners true,
 * nontransitional. ICU's object is opened by the first domain that needs it;
 * its data lies in libicudata, so no file is read.
 */
#include <errno.h>
#include <stdatomic.h>
#include <unicode/uidna.h>

#include "url/internal.h"

/* What ICU reports and the standard's flags do not ask for. */
#define TOLERATED                                                              \
	(UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |                \
	 UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN |       \
	 UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4)

static _Atomic(UIDNA *) shared;

/* The one UIDNA of this process (ICU's is immutable and thread-safe). */
static UIDNA *idna_get(void)
{
	UIDNA *idna = atomic_load(&shared), *none = NULL;
	UErrorCode status = U_ZERO_ERROR;

	if (idna)
		return idna;
	idna = uidna_openUTS46(UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ |
				       UIDNA_NONTRANSITIONAL_TO_ASCII |
				       UIDNA_NONTRANSITIONAL_TO_UNICODE,
			       &status);
	if (U_FAILURE(status))
		return NULL;
	if (!atomic_compare_exchange_strong(&shared, &none, idna)) {
		uidna_close(idna);
		idna = none;
	}
	return idna;
}

/* Unicode 15.1 maps U+1E9E to U+00DF, older versions of ICU to "ss". */
static void sharp_s(struct sk__buf *text, const char *domain, size_t length)
{
	static const char capital[] = "\xe1\xba\x9e", small[] = "\xc3\x9f";
	const char *end = domain + length, *at;

	while ((at = memmem(domain, (size_t)(end - domain), capital, 3))) {
		sk__buf_append(text, domain, (size_t)(at - domain));
		sk__buf_append(text, small, 2);
		domain = at + 3;
	}
	sk__buf_append(text, domain, (size_t)(end - domain));
}

/* Whether the A-label decodes to one that begins with "xn--" itself, which UTS
 * 46 forbids since version 15.1 when hyphens are not checked. */
static int nested(const UIDNA *idna, const char *label, size_t length)
{
	UIDNAInfo info = UIDNA_INFO_INITIALIZER;
	UErrorCode status = U_ZERO_ERROR;
	char text[5] = "";

	if (length < 8 || memcmp(label, "xn--xn--", 8) != 0)
		return 0;
	/* Only the first bytes matter: an overflow is no error here. */
	uidna_labelToUnicodeUTF8(idna, label, (int32_t)length, text, 4, &info,
				 &status);
	return !memcmp(text, "xn--", 4);
}

static int has_nested(const UIDNA *idna, const char *domain, size_t length)
{
	const char *end = domain + length, *dot;

	for (; domain < end; domain = dot + 1) {
		dot = memchr(domain, '.', (size_t)(end - domain));
		if (!dot)
			dot = end;
		if (nested(idna, domain, (size_t)(dot - domain)))
			return 1;
	}
	return 0;
}

static int to_ascii(const UIDNA *idna, struct sk__buf *out, const char *domain,
		    size_t length)
{
	size_t room = length + 64;

	for (;;) {
		UIDNAInfo info = UIDNA_INFO_INITIALIZER;
		UErrorCode status = U_ZERO_ERROR;
		int32_t n;

		if (!sk__buf_reserve(out, room))
			return -ENOMEM;
		n = uidna_nameToASCII_UTF8(idna, domain, (int32_t)length,
					   out->data + out->length,
					   (int32_t)room, &info, &status);
		if (status == U_BUFFER_OVERFLOW_ERROR && (size_t)n > room) {
			room = (size_t)n;
			continue;
		}
		if (status == U_MEMORY_ALLOCATION_ERROR)
			return -ENOMEM;
		if (U_FAILURE(status) || (info.errors & ~(uint32_t)TOLERATED))
			return -EINVAL;
		if (has_nested(idna, out->data + out->length, (size_t)n))
			return -EINVAL;
		out->length += (size_t)n;
		return 0;
	}
}

int sk__idna_append(struct sk__buf *out, const char *domain, size_t length)
{
	UIDNA *idna = idna_get();
	struct sk__buf text = { 0 };
	int error = -ENOMEM;

	if (!idna)
		return -ENOMEM;
	sharp_s(&text, domain, length);
	if (!text.failed && text.length < SK__BUF_MAX / 4)
		error = to_ascii(idna, out, text.data, text.length);
	sk__buf_fini(&text);
	return error;
}
