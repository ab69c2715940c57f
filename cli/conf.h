/* SPDX-License-Identifier: BSD-2-Clause */
/* The nginx configuration that `selkie APP.js` runs with. */
#ifndef SK_CLI_CONF_H
#define SK_CLI_CONF_H

#include "cli/list.h"
#include "cli/term.h"

struct sk_conf {
	const char *module; /* the gateway's shared object */
	const char *app;
	const char *data;    /* APP as a file, or NULL: nginx compiles */
	const char *run;     /* the run folder */
	const char *address; /* of sk_port_name */
	const char *user;    /* of nginx's workers, or NULL: whose nginx is */
	int workers;
	int connections; /* of each nginx worker */
	int dual;	 /* the address is "::": take IPv4 as well */
	int access_log;
	int colour; /* the access log goes to a terminal */
	enum sk_log_format format;
	const struct sk_list *resolve; /* of calls: HOST:PORT:ADDRESS */
	const char *ca_file;	       /* or NULL */
	int audit;
};

/* The configuration's text, a heap string. */
char *sk_conf_text(const struct sk_conf *conf);

#endif
