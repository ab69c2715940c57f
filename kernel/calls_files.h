/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls on files, folders and descriptors: X(name, flags), see call.c. */
#ifndef SK_CALLS_FILES_H
#define SK_CALLS_FILES_H

/* clang-format off */
#define SK_CALLS_FILES(X) \
	X(getcwd, 0) X(dup, 0) X(dup3, 0) X(fcntl, 0) X(ioctl, 0) \
	X(flock, 0) X(mknodat, 0) X(mkdirat, 0) X(unlinkat, 0) \
	X(symlinkat, 0) X(linkat, 0) X(renameat, 0) X(umount2, 0) \
	X(mount, 0) X(statfs, 0) X(fstatfs, 0) X(truncate, 0) \
	X(ftruncate, 0) X(fallocate, 0) X(faccessat, 0) X(chdir, 0) \
	X(fchdir, 0) X(chroot, 0) X(fchmod, 0) X(fchmodat, 0) \
	X(fchownat, 0) X(fchown, 0) X(openat, 0) X(close, 0) \
	X(getdents64, 0) X(lseek, 0) X(read, 0) X(write, 0) X(readv, 0) \
	X(writev, 0) X(pread64, 0) X(pwrite64, 0) X(preadv, 0) \
	X(pwritev, 0) X(sendfile, 0) X(splice, 0) X(readlinkat, 0) \
	X(newfstatat, 0) X(fstat, 0) X(sync, 0) X(fsync, 0) \
	X(fdatasync, 0) X(utimensat, 0) X(munmap, 0) X(mmap, 0) \
	X(fadvise64, 0) X(msync, 0) X(syncfs, 0) X(renameat2, 0) \
	X(memfd_create, 0) X(copy_file_range, 0) X(statx, 0) \
	X(close_range, 0) X(faccessat2, 0)

#endif
