/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static folders.
 *
 * This file decides which file a URL means (index, cleanUrls, trailing
 * slashes); nginx serves it. Each folder has a named location, made by the
 * configuration, so that no regex of the user's nginx.conf can take its
 * requests away and no client can name it.
 *
 * Nothing above the folder can be reached: a name is looked up with openat2()
 * beneath the folder, symbolic links refused, and nginx opens it again with
 * disable_symlinks. Names that begin with a dot are not served, but for
 * /.well-known.
 */

#include "ngx_http_selkie_module.h"

#include <linux/openat2.h>
#include <sys/syscall.h>


typedef enum {
    ngx_http_selkie_absent = 0,
    ngx_http_selkie_file,
    ngx_http_selkie_dir
} ngx_http_selkie_kind_t;


static ngx_str_t  ngx_http_selkie_html = ngx_string(".html");


static ngx_http_core_loc_conf_t *
ngx_http_selkie_location_find(ngx_queue_t *locations, ngx_str_t *name)
{
    ngx_queue_t                *q;
    ngx_http_location_queue_t  *lq;

    if (locations == NULL) {
        return NULL;
    }

    for (q = ngx_queue_head(locations);
         q != ngx_queue_sentinel(locations);
         q = ngx_queue_next(q))
    {
        lq = (ngx_http_location_queue_t *) q;

        if (lq->name->len == name->len
            && ngx_strncmp(lq->name->data, name->data, name->len) == 0)
        {
            return lq->exact;
        }
    }

    return NULL;
}


/* Parses text as if it stood in the server's block. */

static ngx_int_t
ngx_http_selkie_parse_text(ngx_conf_t *cf, u_char *text, size_t len)
{
    char                      *rv;
    ngx_buf_t                  b;
    ngx_conf_t                 save;
    ngx_array_t               *args;
    ngx_conf_file_t            file;
    ngx_http_core_srv_conf_t  *cscf;

    args = ngx_array_create(cf->pool, 4, sizeof(ngx_str_t));
    if (args == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.start = text;
    b.pos = text;
    b.last = text + len;
    b.end = b.last;
    b.temporary = 1;

    /*
     * a descriptor makes it a block, which ends with its "}": nothing is
     * ever read from the file
     */

    ngx_memzero(&file, sizeof(ngx_conf_file_t));
    file.file.fd = cf->conf_file->file.fd;
    file.file.name = cf->conf_file->file.name;
    file.line = cf->conf_file->line;
    file.buffer = &b;

    cscf = ngx_http_conf_get_module_srv_conf(cf, ngx_http_core_module);

    save = *cf;
    cf->args = args;
    cf->conf_file = &file;
    cf->ctx = cscf->ctx;
    cf->cmd_type = NGX_HTTP_SRV_CONF;
    cf->handler = NULL;

    rv = ngx_conf_parse(cf, NULL);

    *cf = save;

    return rv == NGX_CONF_OK ? NGX_OK : NGX_ERROR;
}


ngx_int_t
ngx_http_selkie_static_location(ngx_conf_t *cf, ngx_http_selkie_static_t *st)
{
    u_char                    *text, *p;
    ngx_http_core_srv_conf_t  *cscf;
    ngx_http_core_loc_conf_t  *pclcf, *clcf;
    ngx_http_complex_value_t  *from;

    cscf = ngx_http_conf_get_module_srv_conf(cf, ngx_http_core_module);
    pclcf = cscf->ctx->loc_conf[ngx_http_core_module.ctx_index];

    if (ngx_http_selkie_location_find(pclcf->locations, &st->location)) {
        return NGX_OK;
    }

    text = ngx_pnalloc(cf->pool, st->location.len + 128);
    from = ngx_pcalloc(cf->pool, sizeof(ngx_http_complex_value_t));

    if (text == NULL || from == NULL) {
        return NGX_ERROR;
    }

    p = ngx_sprintf(text,
                    "location %V { gzip_static on; disable_symlinks on; } }",
                    &st->location);

    if (ngx_http_selkie_parse_text(cf, text, p - text) != NGX_OK) {
        return NGX_ERROR;
    }

    clcf = ngx_http_selkie_location_find(pclcf->locations, &st->location);
    if (clcf == NULL) {
        return NGX_ERROR;
    }

    /* set, not written: nginx would take a "$" in a path for a variable */

    from->value = st->folder;
    clcf->root = st->folder;
    clcf->disable_symlinks_from = from;

    return NGX_OK;
}


static ngx_http_selkie_kind_t
ngx_http_selkie_look(ngx_http_request_t *r, int folder, ngx_str_t *name)
{
    int              fd;
    struct stat      st;
    struct open_how  how;

    ngx_memzero(&how, sizeof(struct open_how));
    how.flags = O_PATH|O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH|RESOLVE_NO_SYMLINKS|RESOLVE_NO_MAGICLINKS;

    fd = syscall(SYS_openat2, folder,
                 name->len > 1 ? (char *) name->data + 1 : ".",
                 &how, sizeof(struct open_how));

    if (fd == -1) {
        if (ngx_errno != NGX_ENOENT && ngx_errno != NGX_ENOTDIR) {
            ngx_log_error(NGX_LOG_INFO, r->connection->log, ngx_errno,
                          "static file \"%V\" cannot be opened", name);
        }

        return ngx_http_selkie_absent;
    }

    if (fstat(fd, &st) == -1) {
        ngx_memzero(&st, sizeof(st));
    }

    close(fd);

    if (S_ISREG(st.st_mode)) {
        return ngx_http_selkie_file;
    }

    return S_ISDIR(st.st_mode) ? ngx_http_selkie_dir : ngx_http_selkie_absent;
}


static ngx_int_t
ngx_http_selkie_join(ngx_http_request_t *r, ngx_str_t *to, ngx_str_t *a,
    ngx_str_t *b)
{
    u_char  *p;

    to->len = a->len + b->len;

    to->data = ngx_pnalloc(r->pool, to->len + 1);
    if (to->data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(to->data, a->data, a->len);
    p = ngx_cpymem(p, b->data, b->len);
    *p = '\0';

    return NGX_OK;
}


static ngx_int_t
ngx_http_selkie_hidden(ngx_str_t *name)
{
    size_t  i;

    for (i = 0; i + 1 < name->len; i++) {
        if (name->data[i] == '/' && name->data[i + 1] == '.'
            && ngx_strncmp(name->data + i, "/.well-known/",
                           ngx_min(name->len - i, 13))
               != 0)
        {
            return 1;
        }
    }

    return 0;
}


static ngx_int_t
ngx_http_selkie_serve(ngx_http_request_t *r, ngx_http_selkie_static_t *st,
    ngx_str_t *name)
{
    if (!(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))) {
        return ngx_http_selkie_error(r, NGX_HTTP_NOT_ALLOWED);
    }

    r->uri = *name;
    ngx_http_set_exten(r);

    return ngx_http_named_location(r, &st->location);
}


/*
 * 301 to the request's own path with (or without) a slash at its end. The
 * path is written anew from its decoded form, so that no client can make it
 * begin with "//", which would be another host.
 */

static ngx_int_t
ngx_http_selkie_slash(ngx_http_request_t *r, ngx_uint_t add)
{
    u_char           *p;
    size_t            len;
    ngx_str_t         uri;
    ngx_table_elt_t  *location;

    if (!(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))) {
        return ngx_http_selkie_error(r, NGX_HTTP_NOT_ALLOWED);
    }

    uri = r->uri;

    while (uri.len > 1 && uri.data[0] == '/' && uri.data[1] == '/') {
        uri.data++;
        uri.len--;
    }

    if (!add) {
        uri.len--;
    }

    location = ngx_list_push(&r->headers_out.headers);
    if (location == NULL) {
        return NGX_ERROR;
    }

    location->hash = 0;

    len = uri.len + 2 * ngx_escape_uri(NULL, uri.data, uri.len,
                                       NGX_ESCAPE_URI)
          + 2 + r->args.len;

    p = ngx_pnalloc(r->pool, len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    location->value.data = p;
    p = (u_char *) ngx_escape_uri(p, uri.data, uri.len, NGX_ESCAPE_URI);

    if (add) {
        *p++ = '/';
    }

    if (r->args.len) {
        *p++ = '?';
        p = ngx_cpymem(p, r->args.data, r->args.len);
    }

    location->value.len = p - location->value.data;
    location->hash = 1;
    ngx_str_set(&location->key, "Location");

    /* not in headers_out.location: nginx would make it absolute */

    return ngx_http_selkie_error(r, NGX_HTTP_MOVED_PERMANENTLY);
}


/* A path that ends with a slash. */

static ngx_int_t
ngx_http_selkie_static_dir(ngx_http_request_t *r,
    ngx_http_selkie_static_t *st, int folder, ngx_str_t *rest)
{
    ngx_str_t  name, bare;

    if (st->index.len) {
        if (ngx_http_selkie_join(r, &name, rest, &st->index) != NGX_OK) {
            return NGX_ERROR;
        }

        if (ngx_http_selkie_look(r, folder, &name) == ngx_http_selkie_file) {
            return ngx_http_selkie_serve(r, st, &name);
        }
    }

    if (!st->clean_urls || rest->len == 1) {
        return NGX_DECLINED;
    }

    bare.data = rest->data;
    bare.len = rest->len - 1;

    if (ngx_http_selkie_join(r, &name, &bare, &ngx_http_selkie_html)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_http_selkie_look(r, folder, &name) == ngx_http_selkie_file) {
        return ngx_http_selkie_slash(r, 0);
    }

    return NGX_DECLINED;
}


static ngx_int_t
ngx_http_selkie_static_name(ngx_http_request_t *r,
    ngx_http_selkie_static_t *st, int folder, ngx_str_t *rest)
{
    ngx_str_t               name, dir;
    ngx_http_selkie_kind_t  kind;

    static ngx_str_t  slash = ngx_string("/");

    kind = ngx_http_selkie_look(r, folder, rest);

    if (kind == ngx_http_selkie_file) {
        return ngx_http_selkie_serve(r, st, rest);
    }

    if (st->clean_urls && rest->len) {
        if (ngx_http_selkie_join(r, &name, rest, &ngx_http_selkie_html)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (ngx_http_selkie_look(r, folder, &name) == ngx_http_selkie_file) {
            return ngx_http_selkie_serve(r, st, &name);
        }
    }

    if (kind != ngx_http_selkie_dir || st->index.len == 0) {
        return NGX_DECLINED;
    }

    if (ngx_http_selkie_join(r, &dir, rest, &slash) != NGX_OK
        || ngx_http_selkie_join(r, &name, &dir, &st->index) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_http_selkie_look(r, folder, &name) == ngx_http_selkie_file) {
        return ngx_http_selkie_slash(r, 1);
    }

    return NGX_DECLINED;
}


static ngx_int_t
ngx_http_selkie_static_try(ngx_http_request_t *r,
    ngx_http_selkie_static_t *st)
{
    int        folder;
    ngx_int_t  rc;
    ngx_str_t  part, rest;

    static ngx_str_t  empty = ngx_string("");

    part.data = r->uri.data + st->prefix.len;
    part.len = r->uri.len - st->prefix.len;

    if (ngx_http_selkie_hidden(&part)
        || ngx_http_selkie_join(r, &rest, &part, &empty) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (st->clean_urls && rest.len >= ngx_http_selkie_html.len
        && ngx_strcmp(rest.data + rest.len - ngx_http_selkie_html.len,
                      ngx_http_selkie_html.data)
           == 0)
    {
        return NGX_DECLINED;
    }

    folder = open((char *) st->folder.data, O_PATH|O_DIRECTORY|O_CLOEXEC);

    if (folder == -1) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, ngx_errno,
                      "static folder \"%V\" cannot be opened", &st->folder);
        return NGX_DECLINED;
    }

    if (rest.len && rest.data[rest.len - 1] == '/') {
        rc = ngx_http_selkie_static_dir(r, st, folder, &rest);

    } else {
        rc = ngx_http_selkie_static_name(r, st, folder, &rest);
    }

    close(folder);

    return rc == NGX_ERROR ? NGX_HTTP_INTERNAL_SERVER_ERROR : rc;
}


ngx_int_t
ngx_http_selkie_static_handler(ngx_http_request_t *r,
    ngx_http_selkie_app_t *app)
{
    ngx_int_t                  rc;
    ngx_uint_t                 i;
    ngx_http_selkie_static_t  *st;

    st = app->statics.elts;

    for (i = 0; i < app->statics.nelts; i++) {

        if (r->uri.len < st[i].prefix.len
            || ngx_memcmp(r->uri.data, st[i].prefix.data, st[i].prefix.len)
               != 0
            || (r->uri.len > st[i].prefix.len
                && r->uri.data[st[i].prefix.len] != '/'))
        {
            continue;
        }

        rc = ngx_http_selkie_static_try(r, &st[i]);

        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    return NGX_DECLINED;
}
