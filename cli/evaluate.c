/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/evaluate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/diagnosis.h"
#include "cli/file.h"
#include "cli/term.h"

/* The evaluator has limits of its own; this is for one that hangs. */
#define EVALUATE_TIMEOUT 15000

static char *answer_path(const struct sk_bundle *bundle,
			 const struct sk_cache *cache,
			 const struct sk_places *places)
{
	char *stamp = sk_place_stamp(places->worker);
	char *text =
		sk_format("%s\n%s\n%s", stamp, bundle->module, bundle->hash);
	char hash[SK_HASH_SIZE];

	sk_hash(hash, text, strlen(text));
	free(text);
	free(stamp);
	return sk_cache_path(cache, "apps", hash, ".json");
}

static void pass_on(const char *text)
{
	char *copy = sk_copy(text);
	size_t length = strlen(copy);

	while (length && copy[length - 1] == '\n')
		copy[--length] = '\0';
	if (length)
		sk_problem(copy);
	free(copy);
}

/* The evaluator's last line is its answer, what the app file logged stands
 * before it. Cuts `out` in two and returns the answer. */
static const char *split(struct sk_text *out)
{
	char *text = (char *)sk_text_string(out);
	size_t length = out->length;

	while (length && text[length - 1] == '\n')
		text[--length] = '\0';
	while (length && text[length - 1] != '\n')
		length--;
	out->length = length;
	return text + length;
}

static json_t *run(const struct sk_bundle *bundle, const char *worker,
		   struct sk_text *out, struct sk_text *err)
{
	const char *argv[] = { worker,	"--app-file", bundle->module,
			       "--map", "3",	      NULL };
	struct sk_text script = { 0 };
	struct sk_command command = { .argv = argv };
	json_t *said = NULL;
	int status;

	command.extra = open(bundle->map, O_RDONLY | O_CLOEXEC);
	if (command.extra < 0 || sk_file_read(bundle->file, &script)) {
		sk_complain("cannot read %s: %s", bundle->file,
			    strerror(errno));
		goto out;
	}
	command.input = script.data;
	command.input_length = script.length;
	status = sk_child_run(&command, EVALUATE_TIMEOUT, out, err);
	if (status == 0)
		said = json_loads(split(out), 0, NULL);
	if (said || status == -EINTR)
		goto out;
	if (err->length) {
		char *text = sk_diagnosis_script(err->data, bundle->module);

		sk_problem(text);
		free(text);
	} else if (status == -ETIMEDOUT)
		sk_complain("%s: evaluating the app file took too long",
			    sk_path_show(bundle->module));
	else if (status < 0)
		sk_complain("cannot run %s: %s", worker, strerror(-status));
	else
		sk_complain("%s: the evaluator ended with status %d",
			    sk_path_show(bundle->module), status);
out:
	if (command.extra >= 0)
		close(command.extra);
	sk_text_fini(&script);
	return said;
}

json_t *sk_evaluate(const struct sk_bundle *bundle,
		    const struct sk_cache *cache,
		    const struct sk_places *places, char **speech)
{
	struct sk_text out = { 0 };
	struct sk_text err = { 0 };
	json_t *said = NULL;
	const char *earlier;
	json_t *answer;
	char *path;

	if (!places->worker) {
		sk_complain("selkie-worker is missing; it belongs in "
			    "../libexec/selkie beside %s",
			    places->self);
		return NULL;
	}
	path = answer_path(bundle, cache, places);
	answer = sk_cache_read(path);
	if (!json_is_object(json_object_get(answer, "said"))) {
		json_decref(answer);
		answer = NULL;
		said = run(bundle, places->worker, &out, &err);
		if (said)
			answer = json_pack("{sO ss% ss%}", "said", said, "out",
					   sk_text_string(&out), out.length,
					   "err", sk_text_string(&err),
					   err.length);
		if (answer)
			sk_cache_write(path, answer);
	} else {
		said = json_incref(json_object_get(answer, "said"));
		earlier = json_string_value(json_object_get(answer, "err"));
		sk_text_puts(&err, earlier ? earlier : "");
		earlier = json_string_value(json_object_get(answer, "out"));
		sk_text_puts(&out, earlier ? earlier : "");
	}
	/* What the app file prints is printed at each start. */
	if (said && err.length)
		pass_on(err.data);
	if (said && out.length)
		*speech = strndup(out.data, out.length);
	json_decref(answer);
	free(path);
	sk_text_fini(&out);
	sk_text_fini(&err);
	return said;
}
