/* Models the names that glibc's headers give to string functions when _FORTIFY_SOURCE is defined. The check of the
 * size is not made: writing beyond the object is an invalid access anyway.
 */
#include "heddle.h"

void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
char *strcpy(char *to, const char *from);
char *stpcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t count);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t count);

#pragma clang diagnostic ignored "-Wunused-parameter"

void *__memcpy_chk(void *to, const void *from, size_t count, size_t room) { return memcpy(to, from, count); }

void *__memmove_chk(void *to, const void *from, size_t count, size_t room) { return memmove(to, from, count); }

void *__memset_chk(void *to, int value, size_t count, size_t room) { return memset(to, value, count); }

char *__strcpy_chk(char *to, const char *from, size_t room) { return strcpy(to, from); }

char *__stpcpy_chk(char *to, const char *from, size_t room) { return stpcpy(to, from); }

char *__strncpy_chk(char *to, const char *from, size_t count, size_t room) { return strncpy(to, from, count); }

char *__strcat_chk(char *to, const char *from, size_t room) { return strcat(to, from); }

char *__strncat_chk(char *to, const char *from, size_t count, size_t room) { return strncat(to, from, count); }
