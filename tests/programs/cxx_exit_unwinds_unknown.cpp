// pthread_exit unwinds the stack in glibc, so that the destructor releases the mutex.
// property: deadlock   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   staged: unknown (unmodelled)
#include <mutex>
#include <pthread.h>

std::mutex m;

void *f(void *) {
    std::lock_guard<std::mutex> guard(m);
    pthread_exit(nullptr);
}

int main() {
    pthread_t t;
    pthread_create(&t, nullptr, f, nullptr);
    pthread_join(t, nullptr);
    m.lock();
    m.unlock();
}
