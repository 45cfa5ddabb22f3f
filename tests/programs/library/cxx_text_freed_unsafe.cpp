// std::cout << of a text that was deleted.
// property: memory   truth: unsafe
// explore: unsafe   impact: unknown (undefined)   staged: unsafe
#include <iostream>

int main() {
    char *text = new char[2]();
    delete[] text;
    std::cout << text;
    return 0;
}
