/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the other programs are: ours beside this one (in a build tree and in an
 * installed one the same way), others' on PATH. SELKIE_NGINX and SELKIE_ESBUILD
 * name other ones. A member is NULL when there is none.
 */
#ifndef SK_CLI_PLACES_H
#define SK_CLI_PLACES_H

struct sk_places {
	char *self;
	char *worker;	  /* selkie-worker */
	char *supervisor; /* selkie-supervisor */
	char *egress;	  /* selkie-egress */
	char *run;	  /* selkie-run */
	char *module;	  /* ngx_http_selkie_module.so */
	char *esbuild;	  /* the native program, not npm's launcher */
	char *nginx;
};

void sk_places_init(struct sk_places *places);
void sk_places_fini(struct sk_places *places);

/* What a shell calls this program: "selkie" when PATH leads to it, else its
 * path; heap. */
char *sk_place_command(void);

/* A short text that changes when the program at `path` does; heap. */
char *sk_place_stamp(const char *path);

#endif
