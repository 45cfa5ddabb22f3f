/* Models <locale.h>: all models are about the C locale, in which a program starts, and another one is unmodelled.
 *
 * C11 7.11.1.1p5: setlocale may race with itself and with functions that the locale affects. These look at it where that
 * may be (use_locale in heddle.h); ir::library names them.
 */
#include "heddle.h"

int __heddle_locale;

static char locale_name[] = "C";

ALWAYS int is_text(const char *text, const char *wanted) {
    size_t i = 0;
    for (; wanted[i] != 0; i++) {
        if (text[i] != wanted[i]) return 0;
    }
    return text[i] == 0;
}

char *setlocale(int category, const char *name) {
    __heddle_hidden(&__heddle_locale, HEDDLE_WRITES);
    if (category < 0 || category > 12) return NULL;
    if (name && !is_text(name, "C") && !is_text(name, "POSIX")) __heddle_unmodelled("another locale than C");
    return locale_name;
}

void *localeconv(void) {
    __heddle_hidden(&__heddle_locale, HEDDLE_WRITES);
    __heddle_unmodelled("localeconv");
}
