/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An app's data (APP in docs/control.md), read into the tables that requests
 * are looked up in. It comes from our own compiler, but may be a file that
 * somebody edited: whatever does not fit is refused by name.
 */

#include "ngx_http_selkie_module.h"

#include <jansson.h>


#define NGX_HTTP_SELKIE_ROUTES_MAX     10000
#define NGX_HTTP_SELKIE_PROCESSES_MAX  64
#define NGX_HTTP_SELKIE_WALL_MAX       (24 * 60 * 60 * 1000)


static ngx_http_selkie_app_t *
ngx_http_selkie_app_find(ngx_http_selkie_main_conf_t *smcf, ngx_str_t *file,
    ngx_str_t *data)
{
    ngx_uint_t               i;
    ngx_http_selkie_app_t  **app;

    app = smcf->apps.elts;

    for (i = 0; i < smcf->apps.nelts; i++) {
        if (app[i]->file.len == file->len
            && ngx_memcmp(app[i]->file.data, file->data, file->len) == 0
            && app[i]->data.len == data->len
            && ngx_memcmp(app[i]->data.data, data->data, data->len) == 0)
        {
            return app[i];
        }
    }

    return NULL;
}


static ngx_int_t
ngx_http_selkie_app_read(ngx_conf_t *cf, ngx_str_t *path, ngx_str_t *json)
{
    int          fd;
    off_t        size;
    ssize_t      n;
    struct stat  st;

    fd = open((char *) path->data, O_RDONLY|O_CLOEXEC);

    if (fd == -1 || fstat(fd, &st) == -1) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           "cannot read \"%V\"", path);
        goto failed;
    }

    size = st.st_size;

    json->data = ngx_pnalloc(cf->pool, size + 1);
    if (json->data == NULL) {
        goto failed;
    }

    n = read(fd, json->data, size);

    if (n != size) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, n == -1 ? ngx_errno : 0,
                           "cannot read all of \"%V\"", path);
        goto failed;
    }

    close(fd);

    json->data[size] = '\0';
    json->len = size;

    return NGX_OK;

failed:

    if (fd != -1) {
        close(fd);
    }

    return NGX_ERROR;
}


static ngx_int_t
ngx_http_selkie_copy(ngx_conf_t *cf, ngx_str_t *to, json_t *from)
{
    if (!json_is_string(from)) {
        return NGX_ERROR;
    }

    to->len = json_string_length(from);

    to->data = ngx_pnalloc(cf->pool, to->len + 1);
    if (to->data == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(to->data, json_string_value(from), to->len);
    to->data[to->len] = '\0';

    return NGX_OK;
}


/* A whole number between 1 and max; what is absent or odd counts as max. */

static json_int_t
ngx_http_selkie_number(json_t *object, const char *name, json_int_t max)
{
    json_int_t   n;
    json_t      *value;

    value = json_object_get(object, name);

    if (!json_is_integer(value)) {
        return max;
    }

    n = json_integer_value(value);

    return (n < 1 || n > max) ? max : n;
}


static void
ngx_http_selkie_pattern_cleanup(void *data)
{
    sk_pattern_free(data);
}


static char *
ngx_http_selkie_pattern(ngx_conf_t *cf, ngx_http_selkie_route_t *route)
{
    char                 error[256];
    size_t               i;
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return "no memory";
    }

    if (sk_pattern_compile(&route->pattern, (char *) route->text.data,
                           route->text.len, error, sizeof(error))
        != 0)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "pattern \"%V\": %s",
                           &route->text, error);
        return "has a bad pattern";
    }

    cln->handler = ngx_http_selkie_pattern_cleanup;
    cln->data = route->pattern;

    route->literal = 1;

    for (i = 0; i < route->text.len; i++) {
        if (ngx_strchr(":*%\\", route->text.data[i]) != NULL) {
            route->literal = 0;
        }
    }

    return NULL;
}


static char *
ngx_http_selkie_read_route(ngx_conf_t *cf, ngx_http_selkie_app_t *app,
    json_t *item, ngx_uint_t number)
{
    char                     *err;
    u_char                   *p;
    json_t                   *limits;
    ngx_uint_t                i;
    ngx_http_selkie_route_t  *route;
    ngx_http_selkie_place_t  *place;

    route = ngx_array_push(&app->routes);
    if (route == NULL) {
        return "no memory";
    }

    ngx_memzero(route, sizeof(ngx_http_selkie_route_t));
    route->app = app;
    route->number = number;

    if (ngx_http_selkie_copy(cf, &route->method,
                             json_object_get(item, "method"))
        != NGX_OK
        || ngx_http_selkie_copy(cf, &route->text,
                                json_object_get(item, "pattern"))
           != NGX_OK)
    {
        return "has a route without method or pattern";
    }

    err = ngx_http_selkie_pattern(cf, route);
    if (err) {
        return err;
    }

    route->label.len = route->method.len + 1 + route->text.len;
    route->label.data = ngx_pnalloc(cf->pool, route->label.len);
    if (route->label.data == NULL) {
        return "no memory";
    }

    p = ngx_cpymem(route->label.data, route->method.data, route->method.len);
    *p++ = ' ';
    ngx_memcpy(p, route->text.data, route->text.len);

    limits = json_object_get(item, "limits");

    route->wall = ngx_http_selkie_number(limits, "wall",
                                         NGX_HTTP_SELKIE_WALL_MAX);
    route->body = ngx_http_selkie_number(limits, "body", NGX_MAX_OFF_T_VALUE);
    route->concurrency = ngx_http_selkie_number(limits, "concurrency", 65536);
    route->broken = !json_is_string(json_object_get(item, "bundle"));

    route->nplaces = 1;

    if (json_object_get(item, "processes")) {
        route->nplaces = ngx_http_selkie_number(item, "processes",
                                               NGX_HTTP_SELKIE_PROCESSES_MAX);
    }

    place = ngx_pcalloc(cf->pool,
                        route->nplaces * sizeof(ngx_http_selkie_place_t));
    if (place == NULL) {
        return "no memory";
    }

    route->places = place;

    for (i = 0; i < route->nplaces; i++) {
        place[i].route = route;
        place[i].index = i;
        ngx_queue_init(&place[i].waiting);
    }

    return NULL;
}


static char *
ngx_http_selkie_read_static(ngx_conf_t *cf, ngx_http_selkie_app_t *app,
    json_t *item, ngx_uint_t number)
{
    json_t                    *index;
    ngx_http_selkie_static_t  *st;

    st = ngx_array_push(&app->statics);
    if (st == NULL) {
        return "no memory";
    }

    ngx_memzero(st, sizeof(ngx_http_selkie_static_t));

    if (ngx_http_selkie_copy(cf, &st->prefix, json_object_get(item, "prefix"))
        != NGX_OK
        || ngx_http_selkie_copy(cf, &st->folder,
                                json_object_get(item, "folder"))
           != NGX_OK
        || st->folder.len == 0 || st->folder.data[0] != '/'
        || (st->prefix.len && st->prefix.data[0] != '/'))
    {
        return "has a static folder without a prefix and an absolute path";
    }

    while (st->prefix.len && st->prefix.data[st->prefix.len - 1] == '/') {
        st->prefix.len--;
    }

    while (st->folder.len > 1 && st->folder.data[st->folder.len - 1] == '/') {
        st->folder.data[--st->folder.len] = '\0';
    }

    index = json_object_get(item, "index");

    if (json_is_string(index)
        && ngx_http_selkie_copy(cf, &st->index, index) != NGX_OK)
    {
        return "no memory";
    }

    if (ngx_strlchr(st->index.data, st->index.data + st->index.len, '/')) {
        return "has a static folder whose index is not a plain file name";
    }

    st->clean_urls = json_is_true(json_object_get(item, "cleanUrls"));

    st->location.data = ngx_pnalloc(cf->pool, sizeof("@selkie-static--")
                                              + 2 * NGX_INT_T_LEN);
    if (st->location.data == NULL) {
        return "no memory";
    }

    st->location.len = ngx_sprintf(st->location.data, "@selkie-static-%ui-%ui",
                                   app->number, number)
                       - st->location.data;

    return NULL;
}


static char *
ngx_http_selkie_read_hosts(ngx_conf_t *cf, ngx_http_selkie_app_t *app,
    json_t *list)
{
    size_t      i;
    json_t     *item;
    ngx_str_t  *host;

    app->any_host = !json_is_array(list);

    json_array_foreach(list, i, item) {
        host = ngx_array_push(&app->hosts);

        if (host == NULL || ngx_http_selkie_copy(cf, host, item) != NGX_OK) {
            return "has a host that is not a name";
        }

        ngx_strlow(host->data, host->data, host->len);
    }

    return NULL;
}


static char *
ngx_http_selkie_app_parse(ngx_conf_t *cf, ngx_http_selkie_app_t *app,
    json_t *root)
{
    char    *err;
    size_t   i;
    json_t  *list, *item;

    if (json_integer_value(json_object_get(root, "version")) != 1) {
        return "is of another version than this nginx module";
    }

    if (ngx_array_init(&app->routes, cf->pool, 8,
                       sizeof(ngx_http_selkie_route_t))
        != NGX_OK
        || ngx_array_init(&app->statics, cf->pool, 2,
                          sizeof(ngx_http_selkie_static_t))
           != NGX_OK
        || ngx_array_init(&app->hosts, cf->pool, 2, sizeof(ngx_str_t))
           != NGX_OK)
    {
        return "no memory";
    }

    err = ngx_http_selkie_read_hosts(cf, app, json_object_get(root, "host"));
    if (err) {
        return err;
    }

    list = json_object_get(root, "routes");

    if (json_array_size(list) > NGX_HTTP_SELKIE_ROUTES_MAX) {
        return "has too many routes";
    }

    json_array_foreach(list, i, item) {
        err = ngx_http_selkie_read_route(cf, app, item, i);
        if (err) {
            return err;
        }
    }

    json_array_foreach(json_object_get(root, "statics"), i, item) {
        err = ngx_http_selkie_read_static(cf, app, item, i);
        if (err) {
            return err;
        }
    }

    return NULL;
}


/* Named locations belong to a server, and an app may be used in many. */

static ngx_int_t
ngx_http_selkie_app_locations(ngx_conf_t *cf, ngx_http_selkie_app_t *app)
{
    ngx_uint_t                 i;
    ngx_http_selkie_static_t  *st;

    st = app->statics.elts;

    for (i = 0; i < app->statics.nelts; i++) {
        if (ngx_http_selkie_static_location(cf, &st[i]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* Places point into the array of routes, so it has stopped moving by now. */

static void
ngx_http_selkie_app_settle(ngx_http_selkie_app_t *app)
{
    ngx_uint_t                i, j;
    ngx_http_selkie_route_t  *route;

    route = app->routes.elts;

    for (i = 0; i < app->routes.nelts; i++) {
        for (j = 0; j < route[i].nplaces; j++) {
            route[i].places[j].route = &route[i];
        }
    }
}


/* `nginx -s` reads the configuration only for the pid file's name. */

static ngx_int_t
ngx_http_selkie_app_json(ngx_conf_t *cf, ngx_http_selkie_main_conf_t *smcf,
    ngx_http_selkie_app_t *app)
{
    if (ngx_process == NGX_PROCESS_SIGNALLER) {
        ngx_str_set(&app->json, "{\"version\":1}");
        return NGX_OK;
    }

    if (app->data.len) {
        return ngx_http_selkie_app_read(cf, &app->data, &app->json);
    }

    return ngx_http_selkie_compile(cf, &smcf->selkie, &app->file, &app->json);
}


ngx_http_selkie_app_t *
ngx_http_selkie_app_load(ngx_conf_t *cf, ngx_http_selkie_main_conf_t *smcf,
    ngx_str_t *file, ngx_str_t *data)
{
    char                    *err;
    json_t                  *root;
    json_error_t             error;
    ngx_http_selkie_app_t   *app, **slot;

    app = ngx_http_selkie_app_find(smcf, file, data);
    if (app) {
        return ngx_http_selkie_app_locations(cf, app) == NGX_OK ? app : NULL;
    }

    app = ngx_pcalloc(cf->pool, sizeof(ngx_http_selkie_app_t));
    if (app == NULL) {
        return NULL;
    }

    app->file = *file;
    app->data = *data;
    app->number = smcf->apps.nelts;

    if (ngx_http_selkie_app_json(cf, smcf, app) != NGX_OK) {
        return NULL;
    }

    root = json_loadb((char *) app->json.data, app->json.len, 0, &error);

    if (root == NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "the data of \"%V\" is not JSON: %s (line %d)",
                           file, error.text, error.line);
        return NULL;
    }

    err = ngx_http_selkie_app_parse(cf, app, root);

    json_decref(root);

    if (err) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "app \"%V\" %s", file, err);
        return NULL;
    }

    ngx_http_selkie_app_settle(app);

    if (ngx_http_selkie_app_locations(cf, app) != NGX_OK) {
        return NULL;
    }

    slot = ngx_array_push(&smcf->apps);
    if (slot == NULL) {
        return NULL;
    }

    *slot = app;

    return app;
}
