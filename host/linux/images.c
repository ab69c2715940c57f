/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/linux/images.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "host/linux/broker.h"
#include "selkie/kernel.h"

#define BUCKETS	  256
#define MOST	  4096
#define IMAGE_MAX (INT64_C(256) << 20)

struct entry {
	struct entry *next;
	uint64_t dev, ino, generation;
	int64_t size;
	const struct sk_object *object;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *buckets[BUCKETS];
static unsigned count;

static struct entry **bucket(const struct sk_image *i)
{
	return &buckets[(i->ino * 31 + i->dev + i->generation) % BUCKETS];
}

static const struct sk_object *find(const struct sk_image *i)
{
	const struct sk_object *object = NULL;
	struct entry *e;

	pthread_mutex_lock(&lock);
	for (e = *bucket(i); e && !object; e = e->next)
		if (e->dev == i->dev && e->ino == i->ino &&
		    e->generation == i->generation && e->size == i->size)
			object = e->object;
	pthread_mutex_unlock(&lock);
	return object;
}

static void remember(const struct sk_image *i, const struct sk_object *object)
{
	struct entry *e;

	pthread_mutex_lock(&lock);
	e = count < MOST ? calloc(1, sizeof(*e)) : NULL;
	if (e) {
		*e = (struct entry){ *bucket(i),    i->dev,  i->ino,
				     i->generation, i->size, object };
		*bucket(i) = e;
		count++;
	}
	pthread_mutex_unlock(&lock);
}

static int ask(struct sk_task *t, const struct sk_image *i,
	       const struct sk_object **object)
{
	char *wasm = malloc((size_t)i->size);
	int64_t got;
	int err = -SK_ENOEXEC;

	if (!wasm)
		return -SK_ENOMEM;
	got = sk_image_read(t, 0, wasm, (size_t)i->size);
	if (got < 0)
		err = (int)got;
	else if (got >= 8 && !memcmp(wasm, "\0asm\1\0\0", 8))
		err = sk_broker_load(i->name, wasm, (size_t)got, object);
	free(wasm);
	if (err && err != -SK_ENOMEM)
		err = -SK_ENOEXEC;
	return err;
}

int sk_images_load(struct sk_task *t, const struct sk_object **object)
{
	const struct sk_image *i = sk_image(t);
	int err;

	*object = find(i);
	if (*object)
		return 0;
	if (i->size < 8 || i->size > IMAGE_MAX)
		return -SK_ENOEXEC;
	err = ask(t, i, object);
	if (!err)
		remember(i, *object);
	return err;
}
