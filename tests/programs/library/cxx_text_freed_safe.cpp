// std::cout << of a text before it is deleted.
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
#include <iostream>

int main() {
    char *text = new char[2]();
    std::cout << text << "literal" << 3;
    delete[] text;
    return 0;
}
