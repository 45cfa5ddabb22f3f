/* A rotation may be by nothing or by the whole width: it is no shift by the width. */
void abort(void);
unsigned distance = 32;
int main(void) {
    if (__builtin_rotateleft32(0x80000001u, distance) != 0x80000001u) abort();
    if (__builtin_rotateright32(0x80000001u, distance - 32) != 0x80000001u) abort();
    if (__builtin_rotateleft32(0x80000001u, distance + 1) != 3) abort();
    return 0;
}
