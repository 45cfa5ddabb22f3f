// N - 1 elevators serve FLOORS floors, R times up and down, and one thread presses the buttons. An elevator that sees a button
// claims the floor under the floor's lock. Who has claimed a floor is an elevator or nobody; with -DWRONG an elevator
// believes that what it has claimed stays its own.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 4
#endif
#ifndef R
#define R 2
#endif
#ifndef FLOORS
#define FLOORS 4
#endif

pthread_mutex_t floor_lock[FLOORS];
int button[FLOORS];
int claimed[FLOORS];
int position[N];

static void visit(int id, int floor, int is_last)
{
    int pressed = button[floor];
    if (pressed == 1 && (floor == 0 || button[floor - 1] != 1)) {
        pthread_mutex_lock(&floor_lock[floor]);
        int who = claimed[floor];
        if (who == 0) claimed[floor] = id;
        pthread_mutex_unlock(&floor_lock[floor]);
        position[id] = floor;
        int now = claimed[floor];
        if (is_last) {
#ifdef WRONG
            assert(who != 0 || now == id);
#else
            assert(now < N);
#endif
        }
        if (now == id) {
            button[floor] = 2;
            pthread_mutex_lock(&floor_lock[floor]);
            claimed[floor] = 0;
            pthread_mutex_unlock(&floor_lock[floor]);
        }
    }
}

static void *elevator(void *argument)
{
    int id = (int)(intptr_t)argument;
    for (int round = 0; round < R; round++)
        for (int floor = 0; floor < FLOORS; floor++)
            visit(id, floor, id == 1 && round == R - 1 && floor == FLOORS - 1);
    return 0;
}

static void *people(void *argument)
{
    for (int round = 0; round < R; round++)
        for (int floor = 0; floor < FLOORS; floor++) {
            button[floor] = 1;
            if (position[1] > floor) button[floor] = 2;
#ifdef WRONG
            if (round > 0) claimed[floor] = 0;
#endif
        }
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < FLOORS; i++) pthread_mutex_init(&floor_lock[i], 0);
    pthread_create(&threads[0], 0, people, 0);
    for (intptr_t i = 1; i < N; i++) pthread_create(&threads[i], 0, elevator, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    return 0;
}
