/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The linker here is for one kind of object only: what translate.c asks the
 * compiler for, without data that is written, thread-local storage or
 * libraries. Its input comes out of a cache, so it is checked nevertheless.
 */
#include "host/linux/arena.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/linux/guest/wasm-rt.h"
#include "host/linux/symbols.h"

#define ARENA_SIZE (UINT64_C(1) << 30)
#define PAGE	   UINT64_C(4096)
#define OBJECTS	   4096

#if defined(__x86_64__)
#define MACHINE	   EM_X86_64
#define R_RELATIVE R_X86_64_RELATIVE
#define R_ABSOLUTE R_X86_64_64
#define R_GLOBAL   R_X86_64_GLOB_DAT
#define R_JUMP	   R_X86_64_JUMP_SLOT
#else
#define MACHINE	   EM_AARCH64
#define R_RELATIVE R_AARCH64_RELATIVE
#define R_ABSOLUTE R_AARCH64_ABS64
#define R_GLOBAL   R_AARCH64_GLOB_DAT
#define R_JUMP	   R_AARCH64_JUMP_SLOT
#endif

static struct {
	uint8_t *code;	/* where it is run */
	uint8_t *write; /* where the broker writes it */
	uint64_t used;
	int fd;
	uintptr_t bases[OBJECTS];
	unsigned count;
} arena = { .fd = -1 };

int sk_arena_init(void)
{
	arena.fd = memfd_create("selkie-code", MFD_CLOEXEC);
	if (arena.fd < 0)
		return -errno;
	if (ftruncate(arena.fd, (off_t)ARENA_SIZE))
		goto failed;
	arena.write = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_NORESERVE, arena.fd, 0);
	arena.code = mmap(NULL, ARENA_SIZE, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (arena.write == MAP_FAILED || arena.code == MAP_FAILED)
		goto failed;
	return 0;
failed:
	return -errno;
}

int sk_arena_enter(void)
{
	void *code = mmap(arena.code, ARENA_SIZE, PROT_READ | PROT_EXEC,
			  MAP_SHARED | MAP_FIXED, arena.fd, 0);

	if (code == MAP_FAILED)
		return -errno;
	munmap(arena.write, ARENA_SIZE);
	close(arena.fd);
	return 0;
}

int sk_arena_has(uintptr_t pc)
{
	return pc - (uintptr_t)arena.code < ARENA_SIZE;
}

uintptr_t sk_arena_base(uintptr_t pc)
{
	unsigned i = arena.count;

	while (i--)
		if (arena.bases[i] <= pc)
			return arena.bases[i];
	return 0;
}

/* An object while it is being linked. */
struct linking {
	const uint8_t *data; /* the file */
	size_t size;
	uint64_t span;	/* bytes in memory */
	uint8_t *image; /* in our mapping */
	uint64_t base;	/* where it will run */
	const Elf64_Sym *symbols;
	const char *names;
	uint64_t symbol_count, names_size;
	const char *why;
};

/* `count` things of `size` bytes at a virtual address, or NULL. */
static void *at(struct linking *l, uint64_t address, uint64_t count,
		uint64_t size)
{
	if (address > l->span || count > (l->span - address) / size)
		return NULL;
	return l->image + address;
}

static const Elf64_Phdr *headers(struct linking *l, unsigned *count)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)l->data;

	if (l->size < sizeof(*e) || memcmp(e->e_ident, ELFMAG, SELFMAG) ||
	    e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_type != ET_DYN ||
	    e->e_machine != MACHINE || e->e_phentsize != sizeof(Elf64_Phdr) ||
	    e->e_phoff > l->size ||
	    e->e_phnum > (l->size - e->e_phoff) / sizeof(Elf64_Phdr))
		return NULL;
	*count = e->e_phnum;
	return (const Elf64_Phdr *)(l->data + e->e_phoff);
}

static int measure(struct linking *l, const Elf64_Phdr *h, unsigned count)
{
	unsigned i;

	for (i = 0; i < count; i++) {
		if (h[i].p_type == PT_TLS)
			return -1;
		if (h[i].p_type != PT_LOAD)
			continue;
		if (h[i].p_offset > l->size ||
		    h[i].p_filesz > l->size - h[i].p_offset ||
		    h[i].p_filesz > h[i].p_memsz || h[i].p_vaddr > ARENA_SIZE ||
		    h[i].p_memsz > ARENA_SIZE)
			return -1;
		if (h[i].p_vaddr + h[i].p_memsz > l->span)
			l->span = h[i].p_vaddr + h[i].p_memsz;
	}
	l->span = (l->span + PAGE - 1) & ~(PAGE - 1);
	return 0;
}

static uint64_t tag(const Elf64_Dyn *d, uint64_t count, int64_t wanted)
{
	for (; count-- && d->d_tag != DT_NULL; d++)
		if (d->d_tag == wanted)
			return d->d_un.d_val;
	return 0;
}

static int resolve(struct linking *l, uint32_t index, uint64_t *value)
{
	const Elf64_Sym *s;

	if (index >= l->symbol_count)
		return -1;
	s = &l->symbols[index];
	if (s->st_name >= l->names_size)
		return -1;
	if (s->st_shndx != SHN_UNDEF) {
		*value = l->base + s->st_value;
		return 0;
	}
	*value = (uint64_t)sk_symbol_find(l->names + s->st_name);
	if (*value)
		return 0;
	l->why = l->names + s->st_name;
	return -1;
}

static int relocate(struct linking *l, uint64_t address, uint64_t bytes)
{
	uint64_t i, count = bytes / sizeof(Elf64_Rela), value = 0;
	const Elf64_Rela *r = at(l, address, count, sizeof(*r));

	if (!r)
		return -1;
	for (i = 0; i < count; i++, r++) {
		uint64_t type = ELF64_R_TYPE(r->r_info);
		uint64_t *place = at(l, r->r_offset, 1, 8);

		if (!place)
			return -1;
		if (type == R_RELATIVE)
			value = l->base;
		else if (type != R_ABSOLUTE && type != R_GLOBAL &&
			 type != R_JUMP)
			return -1;
		else if (resolve(l, (uint32_t)ELF64_R_SYM(r->r_info), &value))
			return -1;
		value += (uint64_t)r->r_addend;
		memcpy(place, &value, sizeof(value));
	}
	return 0;
}

/* The table of symbols has no length of its own: DT_HASH knows it. */
static int find_symbols(struct linking *l, const Elf64_Dyn *d, uint64_t count)
{
	const uint32_t *hash = at(l, tag(d, count, DT_HASH), 2, 4);

	l->names_size = tag(d, count, DT_STRSZ);
	l->names = at(l, tag(d, count, DT_STRTAB), l->names_size, 1);
	if (!hash || !l->names || !l->names_size || l->names[l->names_size - 1])
		return -1;
	l->symbol_count = hash[1];
	l->symbols = at(l, tag(d, count, DT_SYMTAB), l->symbol_count,
			sizeof(Elf64_Sym));
	return l->symbols ? 0 : -1;
}

static int link_dynamic(struct linking *l, const Elf64_Phdr *h, unsigned count)
{
	const Elf64_Dyn *d;
	uint64_t n;
	unsigned i;

	for (i = 0; i < count && h[i].p_type != PT_DYNAMIC; i++)
		;
	if (i == count)
		return -1;
	n = h[i].p_memsz / sizeof(*d);
	d = at(l, h[i].p_vaddr, n, sizeof(*d));
	if (!d || find_symbols(l, d, n))
		return -1;
	if (tag(d, n, DT_RELASZ) &&
	    relocate(l, tag(d, n, DT_RELA), tag(d, n, DT_RELASZ)))
		return -1;
	if (tag(d, n, DT_PLTRELSZ) &&
	    relocate(l, tag(d, n, DT_JMPREL), tag(d, n, DT_PLTRELSZ)))
		return -1;
	return 0;
}

int sk_arena_load(const void *data, size_t size,
		  const struct sk_object **object, const char **why)
{
	struct linking l = { .data = data, .size = size, .why = "damaged" };
	const Elf64_Phdr *h;
	const struct sk_object *found;
	uint64_t entry;
	unsigned i, count;

	*why = l.why;
	h = headers(&l, &count);
	if (!h || measure(&l, h, count))
		return -ENOEXEC;
	if (l.span > ARENA_SIZE - arena.used || arena.count == OBJECTS) {
		*why = "no room for more programs";
		return -ENOMEM;
	}
	l.image = arena.write + arena.used;
	l.base = (uint64_t)(uintptr_t)arena.code + arena.used;
	for (i = 0; i < count; i++)
		if (h[i].p_type == PT_LOAD)
			memcpy(l.image + h[i].p_vaddr, l.data + h[i].p_offset,
			       h[i].p_filesz);
	if (link_dynamic(&l, h, count)) {
		*why = l.why;
		goto damaged;
	}
	entry = ((const Elf64_Ehdr *)l.data)->e_entry;
	found = at(&l, entry, 1, sizeof(*found));
	if (!found || found->magic != SK_OBJECT_MAGIC)
		goto damaged;
	*object = (const struct sk_object *)(uintptr_t)(l.base + entry);
	arena.bases[arena.count++] = (uintptr_t)l.base;
	arena.used += l.span;
	return 0;
damaged:
	memset(l.image, 0, l.span); /* what comes here next expects zeroes */
	return -ENOEXEC;
}
