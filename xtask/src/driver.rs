//! A driver similar to those that the paper on thread-modular abstraction refinement proves free of races: devices with a
//! spin lock, a ring of requests and counters each; dispatch routines in a table, called by any number of clients on any
//! device; a timer thread that serves all devices. Generated, so that it can have any size.

use std::fmt::Write as _;

/// The number of devices.
const DEVICES: usize = 8;
/// The number of requests that a device holds.
const SLOTS: usize = 16;

/// The driver with `routines` dispatch routines, each of about 30 lines. With `seeded`, one of them reads a counter
/// after it released the lock.
pub fn driver(routines: usize, seeded: bool) -> String {
    let mut text = HEAD.replace("@DEVICES", &DEVICES.to_string()).replace("@SLOTS", &SLOTS.to_string());
    for routine in 0..routines {
        let part = match routine % 3 {
            0 => SUBMIT,
            1 => COMPLETE,
            _ => CONTROL,
        };
        let is_seeded = seeded && routine == routines / 2;
        let after = if is_seeded { "    status += device->errors;\n" } else { "" };
        text.push_str(
            &part.replace("@N", &routine.to_string()).replace("@SLOTS", &SLOTS.to_string()).replace("@AFTER", after),
        );
    }
    text.push_str(
        "typedef int (*dispatch_routine)(struct device *, int);\n\nstatic const dispatch_routine table[] = {\n",
    );
    for routine in 0..routines {
        writeln!(text, "    dispatch{routine},").expect("writing to a string should not fail");
    }
    text.push_str("};\n");
    text.push_str(&TAIL.replace("@DEVICES", &DEVICES.to_string()).replace("@ROUTINES", &routines.to_string()));
    text
}

const HEAD: &str = r"#include <pthread.h>
extern int __VERIFIER_nondet_int(void);

enum state { STOPPED, STARTED, PAUSED, REMOVED };

struct request {
    int code;
    int length;
    int status;
};

struct device {
    pthread_spinlock_t lock;
    enum state state;
    int pending;
    int errors;
    int bytes;
    unsigned head;
    unsigned tail;
    struct request ring[@SLOTS];
};

static struct device devices[@DEVICES];

static pthread_mutex_t statistics_lock = PTHREAD_MUTEX_INITIALIZER;
static int statistics_calls;
static int statistics_failures;

static void count(int failed) {
    pthread_mutex_lock(&statistics_lock);
    statistics_calls++;
    if (failed) statistics_failures++;
    pthread_mutex_unlock(&statistics_lock);
}

static int is_busy(struct device *device) {
    return device->pending > 0 || device->state == REMOVED;
}

static void fail(struct device *device) {
    device->errors++;
    if (device->errors > 100) device->state = STOPPED;
}

";

const SUBMIT: &str = r"static int dispatch@N(struct device *device, int code) {
    int status = 0;
    int length = code & 255;
    pthread_spin_lock(&device->lock);
    switch (device->state) {
    case STARTED:
        if (device->pending < @SLOTS) {
            struct request *request = &device->ring[device->head % @SLOTS];
            request->code = code;
            request->length = length;
            request->status = 1;
            device->head++;
            device->pending++;
        } else {
            fail(device);
            status = -1;
        }
        break;
    case PAUSED:
        status = 1;
        break;
    case STOPPED:
    case REMOVED:
        fail(device);
        status = -2;
        break;
    }
    device->bytes += length;
    pthread_spin_unlock(&device->lock);
@AFTER    count(status < 0);
    return status;
}

";

const COMPLETE: &str = r"static int dispatch@N(struct device *device, int code) {
    int status = 0;
    int done = 0;
    pthread_spin_lock(&device->lock);
    while (device->pending > 0 && done < 4) {
        struct request *request = &device->ring[device->tail % @SLOTS];
        if (request->code == code) {
            request->status = 2;
            status = request->length;
        } else {
            request->status = 3;
        }
        device->tail++;
        device->pending--;
        done++;
    }
    if (is_busy(device)) {
        status = status ? status : 1;
    } else if (device->state == PAUSED) {
        device->state = STARTED;
    }
    device->bytes -= done;
    pthread_spin_unlock(&device->lock);
@AFTER    count(status < 0);
    return status;
}

";

const CONTROL: &str = r"static int dispatch@N(struct device *device, int code) {
    int status = 0;
    pthread_spin_lock(&device->lock);
    if (code == 0) {
        device->state = STARTED;
    } else if (code == 1) {
        if (is_busy(device)) {
            status = -1;
        } else {
            device->state = STOPPED;
        }
    } else if (code == 2) {
        device->state = PAUSED;
    } else {
        fail(device);
    }
    if (device->errors > 10) {
        device->head = 0;
        device->tail = 0;
        device->pending = 0;
        device->errors = 0;
    }
    pthread_spin_unlock(&device->lock);
@AFTER    count(status < 0);
    return status;
}

";

const TAIL: &str = r"
static void *client(void *arg) {
    while (__VERIFIER_nondet_int()) {
        unsigned which = (unsigned)__VERIFIER_nondet_int() % @DEVICES;
        unsigned routine = (unsigned)__VERIFIER_nondet_int() % @ROUTINES;
        table[routine](&devices[which], __VERIFIER_nondet_int());
    }
    return arg;
}

static void *timer(void *arg) {
    for (;;) {
        for (int i = 0; i < @DEVICES; i++) {
            struct device *device = &devices[i];
            pthread_spin_lock(&device->lock);
            if (device->pending > 0) fail(device);
            pthread_spin_unlock(&device->lock);
        }
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < @DEVICES; i++) {
        pthread_spin_init(&devices[i].lock, 0);
        devices[i].state = STARTED;
    }
    pthread_create(&thread, 0, timer, 0);
    while (__VERIFIER_nondet_int()) pthread_create(&thread, 0, client, 0);
    return 0;
}
";

#[cfg(test)]
mod tests {
    use crate::large::{decide, load, prove};
    use std::time::Duration;

    #[test]
    fn the_driver_is_proved_and_its_seeded_race_is_not() {
        let time = Duration::from_secs(60);
        let text = super::driver(48, false);
        assert!(text.lines().count() > 1500, "{} lines", text.lines().count());
        let outcome = prove(&load(&text).expect("a program"), time);
        assert_eq!(outcome.verdict.name(), "safe", "{:?}", outcome.verdict);
        let seeded = load(&super::driver(48, true)).expect("a program");
        let outcome = prove(&seeded, time);
        assert_eq!(outcome.verdict.name(), "unknown", "{:?}", outcome.verdict);
        let verdict = decide(&seeded, Duration::from_secs(600)).expect("an answer");
        assert_eq!(verdict.name(), "unsafe", "{verdict:?}");
    }
}
