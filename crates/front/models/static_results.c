/* Functions that need not be thread-safe because they answer with a pointer to something static, and whose answers are
 * not modelled: calls by two threads race, and one call alone is unmodelled.
 *
 * C11 7.27.3: asctime, ctime, gmtime and localtime need not avoid data races with each other. glibc's manual is more
 * exact: asctime's text is one thing ("race:asctime") and the broken-down time of the others another ("race:tmbuf").
 */
#include "heddle.h"

#pragma clang diagnostic ignored "-Wunused-parameter"

static int broken_down_time, asctime_text;

void *localtime(const long *time) {
    (void)*(const volatile long *)time;
    __heddle_hidden(&broken_down_time, HEDDLE_WRITES);
    __heddle_unmodelled("localtime");
}

void *gmtime(const long *time) {
    (void)*(const volatile long *)time;
    __heddle_hidden(&broken_down_time, HEDDLE_WRITES);
    __heddle_unmodelled("gmtime");
}

char *asctime(const void *time) {
    __heddle_hidden(&broken_down_time, HEDDLE_WRITES);
    __heddle_unmodelled("asctime");
}

char *asctime__glibc(const void *time) {
    __heddle_hidden(&asctime_text, HEDDLE_WRITES);
    __heddle_unmodelled("asctime");
}

char *ctime(const long *time) {
    (void)*(const volatile long *)time;
    __heddle_hidden(&broken_down_time, HEDDLE_WRITES);
    __heddle_unmodelled("ctime");
}

char *ctime__glibc(const long *time) {
    (void)*(const volatile long *)time;
    __heddle_hidden(&broken_down_time, HEDDLE_WRITES);
    __heddle_hidden(&asctime_text, HEDDLE_WRITES);
    __heddle_unmodelled("ctime");
}

/* With a buffer it is thread-safe. */
char *tmpnam(char *buffer) {
    static int tmpnam_text;
    if (buffer == NULL) __heddle_hidden(&tmpnam_text, HEDDLE_WRITES);
    __heddle_unmodelled("tmpnam");
}

static int password_entry, group_entry;

void *getpwnam(const char *name) {
    __heddle_hidden(&password_entry, HEDDLE_WRITES);
    __heddle_unmodelled("getpwnam");
}

/* In glibc each of these functions has a result of its own. */
void *getpwuid__glibc(unsigned user) {
    static int getpwuid_result;
    __heddle_hidden(&getpwuid_result, HEDDLE_WRITES);
    __heddle_unmodelled("getpwuid");
}

void *getgrgid__glibc(unsigned group) {
    static int getgrgid_result;
    __heddle_hidden(&getgrgid_result, HEDDLE_WRITES);
    __heddle_unmodelled("getgrgid");
}

void *getpwuid(unsigned user) {
    __heddle_hidden(&password_entry, HEDDLE_WRITES);
    __heddle_unmodelled("getpwuid");
}

void *getgrnam(const char *name) {
    __heddle_hidden(&group_entry, HEDDLE_WRITES);
    __heddle_unmodelled("getgrnam");
}

void *getgrgid(unsigned group) {
    __heddle_hidden(&group_entry, HEDDLE_WRITES);
    __heddle_unmodelled("getgrgid");
}

#define STATIC_RESULT(name, ...)                                                                                       \
    void *name(__VA_ARGS__) {                                                                                          \
        static int name##_result;                                                                                      \
        __heddle_hidden(&name##_result, HEDDLE_WRITES);                                                                \
        __heddle_unmodelled(#name);                                                                                    \
    }

STATIC_RESULT(gethostbyname, const char *name)
STATIC_RESULT(getlogin, void)
STATIC_RESULT(ttyname, int file)
STATIC_RESULT(inet_ntoa, unsigned address)

/* glibc's has a text for each thread. */
void *inet_ntoa__glibc(unsigned address) { __heddle_unmodelled("inet_ntoa"); }
