// One error number with two names has one text.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <errno.h>
#include <string.h>

int main(void) {
    assert(strcmp(strerror(EAGAIN), strerror(EWOULDBLOCK)) != 0);
    return 0;
}
