/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int sk_file_read(const char *path, struct sk_text *out)
{
	char piece[65536];
	ssize_t got;
	int result = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	while ((got = read(fd, piece, sizeof(piece))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			result = -errno;
			break;
		}
		sk_text_add(out, piece, (size_t)got);
	}
	close(fd);
	return result;
}

static int write_all(int fd, const char *data, size_t length)
{
	while (length) {
		ssize_t put = write(fd, data, length);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		data += put;
		length -= (size_t)put;
	}
	return 0;
}

int sk_file_write(const char *path, const void *data, size_t length,
		  mode_t mode)
{
	char *temp = sk_format("%s.XXXXXX", path);
	int result;
	int fd = mkostemp(temp, O_CLOEXEC);

	if (fd < 0) {
		result = -errno;
		goto free_temp;
	}
	result = write_all(fd, data, length);
	if (!result && fchmod(fd, mode) < 0)
		result = -errno;
	if (close(fd) < 0 && !result)
		result = -errno;
	if (!result && rename(temp, path) < 0)
		result = -errno;
	if (result)
		unlink(temp);
free_temp:
	free(temp);
	return result;
}

int sk_file_memory(const void *data, size_t length)
{
	int result;
	int fd = memfd_create("selkie", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	result = write_all(fd, data, length);
	if (!result && lseek(fd, 0, SEEK_SET) < 0)
		result = -errno;
	if (result) {
		close(fd);
		return result;
	}
	return fd;
}

int sk_folder_make(const char *path, mode_t mode)
{
	char *copy = sk_copy(path);
	int result = 0;

	for (char *at = strchr(copy + 1, '/');; at = strchr(at + 1, '/')) {
		if (at)
			*at = '\0';
		if (mkdir(copy, mode) < 0 && errno != EEXIST) {
			result = -errno;
			break;
		}
		if (!at)
			break;
		*at = '/';
	}
	free(copy);
	if (!result && !sk_path_is_folder(path))
		return -ENOTDIR;
	return result;
}

static int remove_inside(int parent, const char *name)
{
	struct dirent *entry;
	int result = 0;
	DIR *dir;
	int fd = openat(parent, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (unlinkat(fd, entry->d_name, 0) < 0 &&
		    (errno == EISDIR || errno == EPERM))
			remove_inside(fd, entry->d_name);
	}
	closedir(dir);
	if (unlinkat(parent, name, AT_REMOVEDIR) < 0)
		result = -errno;
	return result;
}

int sk_folder_remove(const char *path)
{
	return remove_inside(AT_FDCWD, path);
}

int sk_path_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

int sk_path_is_folder(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

int sk_path_is_file(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

char *sk_path_resolve(const char *base, const char *path)
{
	struct sk_text out = { 0 };
	char *all =
		*path == '/' ? sk_copy(path) : sk_format("%s/%s", base, path);
	char *rest = all;
	char *part;

	sk_text_puts(&out, "");
	while ((part = strsep(&rest, "/"))) {
		if (!*part || !strcmp(part, "."))
			continue;
		if (!strcmp(part, "..")) {
			char *slash = strrchr(out.data, '/');

			if (slash) {
				*slash = '\0';
				out.length = (size_t)(slash - out.data);
			}
			continue;
		}
		sk_text_printf(&out, "/%s", part);
	}
	if (!out.length)
		sk_text_puts(&out, "/");
	free(all);
	return sk_text_take(&out);
}

char *sk_path_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return sk_copy("/");
	return sk_copy_range(path, (size_t)(slash - path));
}

const char *sk_path_show(const char *path)
{
	char here[PATH_MAX];
	size_t length;

	if (!getcwd(here, sizeof(here)))
		return path;
	length = strlen(here);
	if (length > 1 && !strncmp(path, here, length) && path[length] == '/')
		return path + length + 1;
	return path;
}

void sk_hash(char out[SK_HASH_SIZE], const void *data, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char digest[(SK_HASH_SIZE - 1) / 2] = { 0 };

	EVP_Digest(data, length, digest, NULL, EVP_sha256(), NULL);
	for (size_t i = 0; i < sizeof(digest); i++) {
		out[2 * i] = digits[digest[i] >> 4];
		out[2 * i + 1] = digits[digest[i] & 15];
	}
	out[2 * sizeof(digest)] = '\0';
}

int sk_hash_file(char out[SK_HASH_SIZE], const char *path)
{
	struct sk_text text = { 0 };
	int result = sk_file_read(path, &text);

	if (!result)
		sk_hash(out, sk_text_string(&text), text.length);
	sk_text_fini(&text);
	return result;
}
