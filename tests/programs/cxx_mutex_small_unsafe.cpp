// A std::mutex in a buffer that is too small for it, and one in a buffer that is not.
// property: memory    truth: unsafe   args: -DSMALL
// explore: unsafe   impact: unsafe   staged: unsafe
// property: memory    truth: safe
// explore: safe   impact: safe   staged: safe
#include <mutex>
#include <new>

#ifdef SMALL
constexpr int size = sizeof(void *);
#else
constexpr int size = sizeof(std::mutex);
#endif
alignas(std::mutex) char buffer[size];

int main() {
    auto *mutex = reinterpret_cast<std::mutex *>(buffer);
    std::lock_guard<std::mutex> guard(*mutex);
    return 0;
}
