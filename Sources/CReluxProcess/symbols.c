// See CReluxProcess.h.
#define _GNU_SOURCE
#include "CReluxProcess.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Whether so many entries of this size lie at `offset` of a file.
static int fits(size_t size, uint64_t offset, uint64_t count, uint64_t entry) {
  return offset <= size && count <= (size - offset) / entry && offset % 8 == 0;
}

// The name of the function at this address of a file that is mapped, from the table for debuggers, which knows those that are not exported too.
static void search(const unsigned char *file, size_t size, uint64_t address, char *name, size_t room) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
  if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64) return;
  if (header->e_shentsize != sizeof(Elf64_Shdr) || !fits(size, header->e_shoff, header->e_shnum, sizeof(Elf64_Shdr))) return;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
  for (int index = 0; index < header->e_shnum; index++) {
    const Elf64_Shdr *table = &sections[index];
    if (table->sh_type != SHT_SYMTAB || table->sh_link >= header->e_shnum) continue;
    const Elf64_Shdr *strings = &sections[table->sh_link];
    uint64_t count = table->sh_size / sizeof(Elf64_Sym);
    if (!fits(size, table->sh_offset, count, sizeof(Elf64_Sym))) return;
    if (strings->sh_offset > size || strings->sh_size > size - strings->sh_offset) return;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(file + table->sh_offset);
    for (uint64_t at = 0; at < count; at++) {
      const Elf64_Sym *symbol = &symbols[at];
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF || symbol->st_name >= strings->sh_size) continue;
      if (address < symbol->st_value || address - symbol->st_value >= symbol->st_size) continue;
      const char *text = (const char *)file + strings->sh_offset + symbol->st_name;
      size_t length = strnlen(text, strings->sh_size - symbol->st_name);
      if (length >= room) length = room - 1;
      memcpy(name, text, length);
      name[length] = 0;
      return;
    }
    return;
  }
}

const char *relux_code_library(uintptr_t address, char *name, size_t room) {
  if (room > 0) name[0] = 0;
  Dl_info info;
  struct link_map *map = NULL;
  if (!dladdr1((void *)address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) return NULL;
  if (room == 0) return info.dli_fname;
  // The program itself has no name there.
  const char *path = map->l_name[0] ? map->l_name : "/proc/self/exe";
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  struct stat state;
  if (descriptor >= 0 && fstat(descriptor, &state) == 0 && state.st_size > 0) {
    void *file = mmap(NULL, (size_t)state.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (file != MAP_FAILED) {
      search(file, (size_t)state.st_size, address - map->l_addr, name, room);
      munmap(file, (size_t)state.st_size);
    }
  }
  if (descriptor >= 0) close(descriptor);
  if (!name[0] && info.dli_sname) {
    strncpy(name, info.dli_sname, room - 1);
    name[room - 1] = 0;
  }
  return info.dli_fname;
}
