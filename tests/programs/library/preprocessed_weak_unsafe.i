// In C that has been preprocessed too, a weak compare-exchange of something large may fail for no reason.
// property: unreach    truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
struct triple {
    long a, b, c;
};
void reach_error(void);

int main(void) {
    struct triple object = {1, 1, 1}, expected = {1, 1, 1}, desired = {2, 2, 2};
    if (!__atomic_compare_exchange(&object, &expected, &desired, 1, 5, 5)) reach_error();
    return 0;
}
