/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/linux/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/linux/host.h"

static char folder[3072];

static int make_all(char *path)
{
	char *slash;

	for (slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(path, 0700) && errno != EEXIST) {
			*slash = '/';
			return -errno;
		}
		*slash = '/';
	}
	return mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

int sk_store_open(void)
{
	const char *given = getenv("SELKIE_CACHE");
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct stat st;
	int err;

	if (given && *given)
		snprintf(folder, sizeof(folder), "%s/programs", given);
	else if (xdg && *xdg == '/')
		snprintf(folder, sizeof(folder), "%s/selkie/programs", xdg);
	else
		snprintf(folder, sizeof(folder), "%s/.cache/selkie/programs",
			 home && *home == '/' ? home : "/root");
	err = make_all(folder);
	if (!err && stat(folder, &st))
		err = -errno;
	if (!err && (st.st_uid != geteuid() || (st.st_mode & 022)))
		err = -EPERM; /* what others can write is not to be run */
	if (err)
		sk_host_say("%s: %s", folder, strerror(-err));
	return err;
}

int sk_store_read_file(const char *path, void **data, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t done = 0;
	struct stat st;
	char *to;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	to = malloc((size_t)st.st_size + 1);
	while (to && done < (size_t)st.st_size) {
		ssize_t n = read(fd, to + done, (size_t)st.st_size - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	close(fd);
	if (!to)
		return -ENOMEM;
	*data = to;
	*size = done;
	return 0;
}

static int path_of(char *path, size_t size, const char *name)
{
	return snprintf(path, size, "%s/%s.so", folder, name) < (int)size
		       ? 0
		       : -ENAMETOOLONG;
}

int sk_store_read(const char *name, void **data, size_t *size)
{
	char path[4096];
	int err = path_of(path, sizeof(path), name);

	return err ? err : sk_store_read_file(path, data, size);
}

int sk_store_take(const char *from, const char *name)
{
	char path[4096];
	int err = path_of(path, sizeof(path), name);

	if (!err && rename(from, path))
		err = -errno;
	return err;
}

int sk_store_work(char *path, size_t size)
{
	if (snprintf(path, size, "%s/work-XXXXXX", folder) >= (int)size)
		return -ENAMETOOLONG;
	return mkdtemp(path) ? 0 : -errno;
}

void sk_store_clean(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	rmdir(path);
}

void sk_store_hash(char name[SK_STORE_NAME], const char *first,
		   const void *data, size_t size)
{
	unsigned char sum[EVP_MAX_MD_SIZE];
	EVP_MD_CTX *context;
	unsigned i;

	/* Nothing of a configuration file, which takes longer than the sum. */
	OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	context = EVP_MD_CTX_new();
	EVP_DigestInit_ex(context, EVP_sha256(), NULL);
	EVP_DigestUpdate(context, first, strlen(first) + 1);
	EVP_DigestUpdate(context, data, size);
	EVP_DigestFinal_ex(context, sum, NULL);
	EVP_MD_CTX_free(context);
	for (i = 0; i < 32; i++)
		snprintf(name + 2 * i, 3, "%02x", sum[i]);
}
