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
#define TOLERATED                                                       \
	(UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |         \
	 UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN | \
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

int sk__idna_append(struct sk__buf *out, const char *domain, size_t length)
{
	UIDNA *idna = idna_get();
	size_t room = length + 64;

	if (!idna || length > SK__BUF_MAX / 4)
		return -ENOMEM;
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
		out->length += (size_t)n;
		return 0;
	}
}
