/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/conf.h"

#include <stdlib.h>

#include "cli/file.h"
#include "cli/text.h"

#define MIME_TYPES "/etc/nginx/mime.types"

/* A string of nginx's configuration language. */
static char *quote(const char *text)
{
	struct sk_text out = { 0 };

	sk_text_puts(&out, "\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			sk_text_puts(&out, "\\");
		sk_text_add(&out, text, 1);
	}
	sk_text_puts(&out, "\"");
	return sk_text_take(&out);
}

static void add_head(struct sk_text *out, const struct sk_conf *conf)
{
	char *module = quote(conf->module);
	char *pid = sk_format("%s/nginx.pid", conf->run);
	char *quoted_pid = quote(pid);

	sk_text_printf(out,
		       "load_module %s;\n"
		       "daemon off;\n"
		       "worker_processes %d;\n"
		       "worker_shutdown_timeout 10s;\n"
		       "pid %s;\n"
		       "error_log stderr;\n",
		       module, conf->workers, quoted_pid);
	if (conf->user)
		sk_text_printf(out, "user %s;\n", conf->user);
	sk_text_printf(out, "\nevents {\n\tworker_connections %d;\n}\n\n",
		       conf->connections);
	free(quoted_pid);
	free(pid);
	free(module);
}

/* nginx colours nothing, so each class of status has a format and a log of its
 * own; they share one file. */
static void add_colour_log(struct sk_text *out)
{
	static const struct {
		const char *name;
		const char *status;
		const char *tint;
	} classes[] = {
		{ "good", "~^[123]", "32" },
		{ "client", "~^4", "33" },
		{ "server", "~^5", "31" },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		sk_text_printf(
			out,
			"\tmap $status $selkie_is_%s {\n"
			"\t\t%s 1;\n"
			"\t\tdefault 0;\n"
			"\t}\n"
			"\tlog_format selkie_%s '\033[%sm$status\033[0m "
			"$request_method $request_uri "
			"\033[2m${request_time}s ${body_bytes_sent}B\033[0m';\n"
			"\taccess_log /dev/stdout selkie_%s "
			"if=$selkie_is_%s;\n",
			classes[i].name, classes[i].status, classes[i].name,
			classes[i].tint, classes[i].name, classes[i].name);
}

static void add_access_log(struct sk_text *out, const struct sk_conf *conf)
{
	if (!conf->access_log) {
		sk_text_puts(out, "\taccess_log off;\n");
		return;
	}
	if (conf->colour) {
		add_colour_log(out);
		return;
	}
	if (conf->format == SK_LOG_JSON)
		sk_text_puts(
			out,
			"\tlog_format selkie escape=json "
			"'{\"time\":\"$time_iso8601\","
			"\"level\":\"access\",\"remote\":\"$remote_addr\","
			"\"method\":\"$request_method\","
			"\"uri\":\"$request_uri\",\"status\":$status,"
			"\"bytes\":$body_bytes_sent,\"seconds\":$request_time,"
			"\"agent\":\"$http_user_agent\"}';\n");
	else
		sk_text_puts(out, "\tlog_format selkie '$time_iso8601 "
				  "$remote_addr $status $request_method "
				  "$request_uri ${request_time}s "
				  "${body_bytes_sent}B';\n");
	sk_text_puts(out,
		     "\taccess_log /dev/stdout selkie buffer=32k flush=1s;\n");
}

static void add_types(struct sk_text *out)
{
	if (sk_path_exists(MIME_TYPES))
		sk_text_puts(out, "\tinclude " MIME_TYPES ";\n");
	else
		sk_text_puts(out, "\ttypes {\n"
				  "\t\ttext/html html;\n"
				  "\t\ttext/css css;\n"
				  "\t\ttext/plain txt;\n"
				  "\t\tapplication/javascript js;\n"
				  "\t\tapplication/json json;\n"
				  "\t\tapplication/wasm wasm;\n"
				  "\t\timage/svg+xml svg;\n"
				  "\t\timage/png png;\n"
				  "\t\timage/jpeg jpg jpeg;\n"
				  "\t}\n");
	sk_text_puts(out, "\ttypes {\n"
			  "\t\tapplication/javascript mjs;\n"
			  "\t\tapplication/manifest+json webmanifest;\n"
			  "\t}\n"
			  "\tdefault_type application/octet-stream;\n");
}

static void add_temp_paths(struct sk_text *out, const char *run)
{
	static const char *const kinds[] = { "client_body", "proxy", "fastcgi",
					     "uwsgi", "scgi" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		char *path = sk_format("%s/%s", run, kinds[i]);
		char *quoted = quote(path);

		sk_text_printf(out, "\t%s_temp_path %s;\n", kinds[i], quoted);
		free(quoted);
		free(path);
	}
}

static void add_server(struct sk_text *out, const struct sk_conf *conf)
{
	char *app = quote(conf->app);

	sk_text_printf(out, "\tserver {\n\t\tlisten %s backlog=4096%s%s;\n",
		       conf->address, conf->workers > 1 ? " reuseport" : "",
		       conf->dual ? " ipv6only=off" : "");
	if (conf->data) {
		char *data = sk_format("data=%s", conf->data);
		char *quoted = quote(data);

		sk_text_printf(out, "\t\tselkie_app %s %s;\n", app, quoted);
		free(quoted);
		free(data);
	} else {
		sk_text_printf(out, "\t\tselkie_app %s;\n", app);
	}
	sk_text_puts(out, "\t}\n");
	free(app);
}

static void add_egress(struct sk_text *out, const struct sk_conf *conf)
{
	char *quoted;

	for (size_t i = 0; i < conf->resolve->count; i++) {
		quoted = quote(conf->resolve->items[i]);
		sk_text_printf(out, "\tselkie_resolve %s;\n", quoted);
		free(quoted);
	}
	if (conf->ca_file) {
		quoted = quote(conf->ca_file);
		sk_text_printf(out, "\tselkie_ca_file %s;\n", quoted);
		free(quoted);
	}
	if (conf->audit)
		sk_text_puts(out, "\tselkie_audit on;\n");
}

char *sk_conf_text(const struct sk_conf *conf)
{
	struct sk_text out = { 0 };

	add_head(&out, conf);
	sk_text_puts(&out, "http {\n");
	if (conf->format == SK_LOG_JSON)
		sk_text_puts(&out, "\tselkie_log json;\n");
	add_egress(&out, conf);
	add_types(&out);
	add_temp_paths(&out, conf->run);
	sk_text_puts(&out, "\tserver_tokens off;\n"
			   "\tsendfile on;\n"
			   "\ttcp_nopush on;\n"
			   "\ttcp_nodelay on;\n"
			   "\tkeepalive_timeout 75s;\n"
			   "\tkeepalive_requests 1000000;\n"
			   "\tclient_header_timeout 10s;\n"
			   "\tclient_body_timeout 10s;\n"
			   "\tclient_body_buffer_size 64k;\n"
			   "\tsend_timeout 30s;\n"
			   "\treset_timedout_connection on;\n");
	add_access_log(&out, conf);
	add_server(&out, conf);
	sk_text_puts(&out, "}\n");
	return sk_text_take(&out);
}
