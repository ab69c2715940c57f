/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/walls.h"

#include "cli/text.h"
#include "sandbox/sandbox.h"

char *sk_walls_missing(void)
{
	struct sk_sandbox_layer layers[SK_SANDBOX_LAYERS];
	struct sk_text out = { 0 };
	int count = sk_sandbox_probe(layers, SK_SANDBOX_LAYERS);

	for (int i = 0; i < count && i < SK_SANDBOX_LAYERS; i++)
		if (layers[i].state == SK_SANDBOX_MISSING)
			sk_text_printf(&out, "%s%s", out.length ? ", " : "",
				       layers[i].name);
	return sk_text_take(&out);
}
