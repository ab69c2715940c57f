/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/linux/glue.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/linux/store.h"

static const struct {
	const char *from, *to;
} edits[] = {
	/* Both sides have the same base: no load of it. */
	{ "#define MEM_ADDR(mem, addr, n) &((mem)->data[addr])",
	  "#define MEM_ADDR(mem, addr, n) \\\n"
	  "\t((u8 *)(mem) + SK_GUEST_MEMORY + (addr))" },
	/* A load whose value nobody wants need not happen. */
	{ "#define FORCE_READ_INT(var) __asm__(\"\" ::\"r\"(var));",
	  "#define FORCE_READ_INT(var)" },
	{ "#define FORCE_READ_FLOAT(var) __asm__(\"\" ::\"r\"(var));",
	  "#define FORCE_READ_FLOAT(var)" },
};

static int read_text(const char *folder, const char *name, char **text)
{
	char path[PATH_MAX];
	void *data;
	size_t size;
	int err;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	err = sk_store_read_file(path, &data, &size);
	if (err)
		return err;
	*text = data;
	(*text)[size] = '\0';
	return 0;
}

static FILE *create(const char *folder, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, "we");
}

static int edit(const char *folder, char *why, size_t size)
{
	char *text, *rest;
	size_t i;
	FILE *f;
	int err = read_text(folder, "p-impl.h", &text);

	if (err)
		return err;
	rest = text;
	f = create(folder, "p-impl.h");
	for (i = 0; f && i < sizeof(edits) / sizeof(*edits); i++) {
		char *found = strstr(rest, edits[i].from);

		if (!found) {
			snprintf(why, size, "wasm2c is not version 1.0.39");
			err = -EIO;
			break;
		}
		fwrite(rest, 1, (size_t)(found - rest), f);
		fputs(edits[i].to, f);
		rest = found + strlen(edits[i].from);
	}
	if (f) {
		fputs(rest, f);
		if (fclose(f))
			err = -EIO;
	} else {
		err = -EIO;
	}
	free(text);
	return err;
}

/* The member of the struct w2c_prog that a line "  TYPE NAME;" declares: the
 * first of that type. */
static int member(const char *header, const char *type, char *name, size_t size)
{
	const char *line = strstr(header, "typedef struct w2c_prog {"), *end;
	size_t length = strlen(type);

	name[0] = '\0';
	while (line && *line && strncmp(line, "} w2c_prog;", 11)) {
		line += strspn(line, " ");
		if (!strncmp(line, type, length) && line[length] == ' ') {
			line += length + 1;
			end = strchr(line, ';');
			if (end)
				snprintf(name, size, "%.*s", (int)(end - line),
					 line);
			return 1;
		}
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return 0;
}

/* All imports must be the kernel's. */
static int check_imports(const char *header, char *why, size_t size)
{
	const char *import = header;

	while ((import = strstr(import, "/* import: "))) {
		if (strncmp(import, "/* import: 'kernel' ", 20)) {
			snprintf(why, size, "it wants %.*s",
				 (int)strcspn(import + 11, "*\n"), import + 11);
			return -ENOEXEC;
		}
		import++;
	}
	return 0;
}

static int exports(const char *header, const char *name)
{
	char text[128];

	snprintf(text, sizeof(text), " w2c_prog_%s(w2c_prog*", name);
	return strstr(header, text) != NULL;
}

static void write_fork_buffer(FILE *f)
{
	fputs("static uint32_t fork_buffer(void *instance)\n"
	      "{\n\treturn *w2c_prog_0x5F_sk_fork_buffer(instance);\n}\n",
	      f);
}

static void write_asyncify(FILE *f)
{
	static const char *const names[] = { "start_unwind", "stop_unwind",
					     "start_rewind", "stop_rewind" };
	size_t i;

	for (i = 0; i < 4; i++)
		fprintf(f, "\t.%s = (void *)w2c_prog_asyncify_%s,\n", names[i],
			names[i]);
	fputs("\t.fork_buffer = fork_buffer,\n", f);
}

static int write_glue(FILE *f, const char *header, char *why, size_t size)
{
	char memory[128], table[128], stack[128];
	const char *maker = strstr(header, "void wasm2c_prog_instantiate(");
	int imports = maker && !strncmp(maker,
					"void wasm2c_prog_instantiate("
					"w2c_prog*, struct w2c_kernel*",
					58);
	int forks = exports(header, "asyncify_start_unwind") &&
		    exports(header, "0x5F_sk_fork_buffer");
	int err = check_imports(header, why, size);

	if (err)
		return err;
	if (!imports || !exports(header, "0x5Fstart") ||
	    !member(header, "wasm_rt_memory_t", memory, sizeof(memory))) {
		snprintf(why, size,
			 "it is no program (no _start, no memory, "
			 "or no import)");
		return -ENOEXEC;
	}
	fputs("#include \"p.h\"\n", f);
	fprintf(f,
		"_Static_assert(offsetof(w2c_prog, %s) <= SK_GUEST_HEAD && "
		"sizeof(w2c_prog) - offsetof(w2c_prog, %s) <= "
		"SK_GUEST_MEMORY, \"too many globals\");\n",
		memory, memory);
	if (forks)
		write_fork_buffer(f);
	fprintf(f,
		"__attribute__((visibility(\"default\"))) "
		"const struct sk_object sk_object = {\n"
		"\t.magic = SK_OBJECT_MAGIC,\n"
		"\t.instance_size = sizeof(w2c_prog),\n"
		"\t.memory = offsetof(w2c_prog, %s),\n"
		"\t.import = offsetof(w2c_prog, w2c_kernel_instance),\n"
		"\t.instantiate = (void *)wasm2c_prog_instantiate,\n"
		"\t.start = (void *)w2c_prog_0x5Fstart,\n"
		"\t.func_type = wasm2c_prog_get_func_type,\n",
		memory);
	if (member(header, "wasm_rt_funcref_table_t", table, sizeof(table)))
		fprintf(f, "\t.table = offsetof(w2c_prog, %s),\n", table);
	if (member(header, "u32", stack, sizeof(stack)))
		fprintf(f, "\t.stack_pointer = offsetof(w2c_prog, %s),\n",
			stack);
	if (forks)
		write_asyncify(f);
	if (exports(header, "0x5F_sk_vfork_over"))
		fputs("\t.vfork_over = (void *)w2c_prog_0x5F_sk_vfork_over,\n",
		      f);
	fputs("};\n", f);
	return 0;
}

int sk_glue_write(const char *folder, char *why, size_t size)
{
	char *header;
	FILE *f;
	int err = edit(folder, why, size);

	if (err)
		return err;
	err = read_text(folder, "p.h", &header);
	if (err)
		return err;
	f = create(folder, "glue.c");
	if (f) {
		err = write_glue(f, header, why, size);
		if (fclose(f))
			err = -EIO;
	} else {
		err = -errno;
	}
	free(header);
	return err;
}
