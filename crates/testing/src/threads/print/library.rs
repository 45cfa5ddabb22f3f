//! Threads, locks, atomic operations and so on in the syntax of each library.

use crate::threads::ast::{Api, AtomicOp, AtomicType, ChannelKind, Lock, LockKind, Strength};

/// One of the libraries.
#[derive(Clone, Copy)]
pub(super) struct Library {
    pub(super) api: Api,
}

/// The text before, the condition to acquire it without waiting, and the text after.
pub(super) struct Section {
    pub(super) take: String,
    pub(super) try_take: Option<String>,
    pub(super) release: String,
    /// A function to acquire and one to release it, for locks of the library's mutex type.
    pub(super) helpers: Option<(String, String)>,
    /// A C++ guard object.
    pub(super) guard: Option<String>,
}

impl Library {
    pub(super) fn includes(self) -> &'static str {
        match self.api {
            Api::Pthread => {
                "#include <pthread.h>\n#include <semaphore.h>\n#include <stdarg.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n"
            }
            Api::C11 => {
                "#include <stdarg.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n#include <threads.h>\n"
            }
            Api::Std => {
                "#include <atomic>\n#include <condition_variable>\n#include <cstdarg>\n#include <cstdlib>\n#include <cstring>\n#include <mutex>\n#include <new>\n#include <pthread.h>\n#include <shared_mutex>\n#include <thread>\n"
            }
        }
    }

    pub(super) fn mutex_type(self) -> &'static str {
        match self.api {
            Api::Pthread => "pthread_mutex_t",
            Api::C11 => "mtx_t",
            Api::Std => "std::mutex",
        }
    }

    fn condition_type(self) -> &'static str {
        match self.api {
            Api::Pthread => "pthread_cond_t",
            Api::C11 => "cnd_t",
            Api::Std => "std::condition_variable",
        }
    }

    /// The name of a lock.
    pub(super) fn name(self, lock: Lock) -> String {
        let word = match lock.kind {
            LockKind::Slot => return format!("slots[{}].lock", lock.index),
            LockKind::Mutex => "mutex",
            LockKind::Recursive => "recursive",
            LockKind::Spin => "spin",
            LockKind::ReadWrite => "readwrite",
            LockKind::Semaphore => "semaphore",
            LockKind::Flag => "flag",
        };
        format!("{word}{}", lock.index)
    }

    pub(super) fn declare(self, lock: Lock) -> String {
        let name = self.name(lock);
        let ty = match (self.api, lock.kind) {
            (Api::Std, LockKind::Recursive) => "std::recursive_mutex",
            (_, LockKind::Mutex | LockKind::Slot | LockKind::Recursive) => self.mutex_type(),
            (_, LockKind::Spin) => "pthread_spinlock_t",
            (Api::Std, LockKind::ReadWrite) => "std::shared_mutex",
            (_, LockKind::ReadWrite) => return format!("static pthread_rwlock_t {name} = PTHREAD_RWLOCK_INITIALIZER;"),
            (_, LockKind::Semaphore) => "sem_t",
            (Api::Std, LockKind::Flag) => return format!("static std::atomic_flag {name} = ATOMIC_FLAG_INIT;"),
            (_, LockKind::Flag) => return format!("static atomic_flag {name} = ATOMIC_FLAG_INIT;"),
        };
        match (self.api, lock.kind) {
            (Api::Pthread, LockKind::Mutex) => format!("static {ty} {name} = PTHREAD_MUTEX_INITIALIZER;"),
            (_, _) => format!("static {ty} {name};"),
        }
    }

    pub(super) fn set_up(self, lock: Lock) -> Vec<String> {
        let name = self.name(lock);
        match (self.api, lock.kind) {
            (Api::Pthread, LockKind::Recursive) => vec![
                "{".to_owned(),
                "pthread_mutexattr_t kind;".to_owned(),
                "pthread_mutexattr_init(&kind);".to_owned(),
                "pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);".to_owned(),
                format!("pthread_mutex_init(&{name}, &kind);"),
                "pthread_mutexattr_destroy(&kind);".to_owned(),
                "}".to_owned(),
            ],
            (Api::C11, LockKind::Mutex) => vec![format!("mtx_init(&{name}, mtx_plain);")],
            (Api::C11, LockKind::Recursive) => vec![format!("mtx_init(&{name}, mtx_plain | mtx_recursive);")],
            (_, LockKind::Spin) => vec![format!("pthread_spin_init(&{name}, PTHREAD_PROCESS_PRIVATE);")],
            (_, LockKind::Semaphore) => vec![format!("sem_init(&{name}, 0, 1);")],
            (_, _) => vec![],
        }
    }

    pub(super) fn tear_down(self, lock: Lock) -> Vec<String> {
        let name = self.name(lock);
        match (self.api, lock.kind) {
            (Api::Pthread, LockKind::Recursive) => vec![format!("pthread_mutex_destroy(&{name});")],
            (Api::C11, LockKind::Mutex | LockKind::Recursive) => vec![format!("mtx_destroy(&{name});")],
            (_, LockKind::Spin) => vec![format!("pthread_spin_destroy(&{name});")],
            (_, LockKind::Semaphore) => vec![format!("sem_destroy(&{name});")],
            (_, _) => vec![],
        }
    }

    pub(super) fn set_up_slot(self, element: usize) -> Option<String> {
        match self.api {
            Api::Pthread => Some(format!("pthread_mutex_init(&slots[{element}].lock, NULL);")),
            Api::C11 => Some(format!("mtx_init(&slots[{element}].lock, mtx_plain);")),
            Api::Std => None,
        }
    }

    pub(super) fn tear_down_slot(self, element: usize) -> Option<String> {
        match self.api {
            Api::Pthread => Some(format!("pthread_mutex_destroy(&slots[{element}].lock);")),
            Api::C11 => Some(format!("mtx_destroy(&slots[{element}].lock);")),
            Api::Std => None,
        }
    }

    /// The text that acquires and releases a lock, for writing or for reading.
    pub(super) fn section(self, lock: Lock, is_writing: bool) -> Section {
        let name = self.name(lock);
        let calls = |take: &str, try_take: &str, release: &str| Section {
            take: format!("{take}(&{name})"),
            try_take: Some(format!("{try_take}(&{name}) == 0")),
            release: format!("{release}(&{name})"),
            helpers: None,
            guard: None,
        };
        let methods = |take: &str, try_take: &str, release: &str, guard: &str| Section {
            take: format!("{name}.{take}()"),
            try_take: Some(format!("{name}.{try_take}()")),
            release: format!("{name}.{release}()"),
            helpers: None,
            guard: Some(format!("{guard} hold({name});")),
        };
        match (self.api, lock.kind) {
            (Api::Std, LockKind::Flag) => Section {
                take: format!("while ({name}.test_and_set()) DELAY()"),
                try_take: Some(format!("!{name}.test_and_set()")),
                release: format!("{name}.clear()"),
                helpers: None,
                guard: None,
            },
            (_, LockKind::Flag) => Section {
                take: format!("while (atomic_flag_test_and_set(&{name})) DELAY()"),
                try_take: Some(format!("!atomic_flag_test_and_set(&{name})")),
                release: format!("atomic_flag_clear(&{name})"),
                helpers: None,
                guard: None,
            },
            // Writes of a thread after it has released a spin lock may be seen before the release: POSIX does not
            // define what a failing trylock implies about other memory, so none is made.
            (_, LockKind::Spin) => {
                Section { try_take: None, ..calls("pthread_spin_lock", "pthread_spin_trylock", "pthread_spin_unlock") }
            }
            (_, LockKind::Semaphore) => calls("sem_wait", "sem_trywait", "sem_post"),
            (Api::Std, LockKind::ReadWrite) if is_writing => {
                methods("lock", "try_lock", "unlock", "std::unique_lock<std::shared_mutex>")
            }
            (Api::Std, LockKind::ReadWrite) => {
                methods("lock_shared", "try_lock_shared", "unlock_shared", "std::shared_lock<std::shared_mutex>")
            }
            (_, LockKind::ReadWrite) if is_writing => {
                calls("pthread_rwlock_wrlock", "pthread_rwlock_trywrlock", "pthread_rwlock_unlock")
            }
            (_, LockKind::ReadWrite) => {
                calls("pthread_rwlock_rdlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_unlock")
            }
            (Api::Std, LockKind::Recursive) => {
                methods("lock", "try_lock", "unlock", "std::lock_guard<std::recursive_mutex>")
            }
            (Api::Std, LockKind::Mutex | LockKind::Slot) => {
                methods("lock", "try_lock", "unlock", "std::lock_guard<std::mutex>")
            }
            (Api::C11, LockKind::Mutex | LockKind::Slot | LockKind::Recursive) => Section {
                helpers: Some((format!("enter(&{name})"), format!("leave(&{name})"))),
                try_take: Some(format!("mtx_trylock(&{name}) == thrd_success")),
                ..calls("mtx_lock", "mtx_trylock", "mtx_unlock")
            },
            (Api::Pthread, LockKind::Mutex | LockKind::Slot | LockKind::Recursive) => Section {
                helpers: Some((format!("enter(&{name})"), format!("leave(&{name})"))),
                ..calls("pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock")
            },
        }
    }

    /// The functions `enter` and `leave`.
    pub(super) fn helpers(self) -> [String; 2] {
        let (lock, unlock) = match self.api {
            Api::C11 => ("mtx_lock", "mtx_unlock"),
            Api::Pthread | Api::Std => ("pthread_mutex_lock", "pthread_mutex_unlock"),
        };
        let function = "static inline __attribute__((always_inline)) void";
        let mutex = self.mutex_type();
        [
            format!("{function} enter({mutex} *lock) {{ {mutex} *copy = lock; {lock}(copy); DELAY(); }}"),
            format!("{function} leave({mutex} *lock) {{ DELAY(); {unlock}(lock); }}"),
        ]
    }

    pub(super) fn declare_atomic(self, index: usize, ty: AtomicType) -> String {
        match self.api {
            Api::Std => format!("static std::atomic<{}> atomic{index};", ty.name()),
            Api::Pthread | Api::C11 => format!("static _Atomic({}) atomic{index};", ty.name()),
        }
    }

    fn made(ty: AtomicType, value: u8) -> String {
        match ty {
            AtomicType::Pair => format!("pair_of({value})"),
            AtomicType::Wide => format!("wide_of({value})"),
            AtomicType::Huge => format!("huge_of({value})"),
            AtomicType::Byte | AtomicType::Short | AtomicType::Int | AtomicType::Long => value.to_string(),
        }
    }

    fn as_number(ty: AtomicType, text: &str) -> String {
        match ty {
            AtomicType::Pair => format!("of_pair({text})"),
            AtomicType::Wide => format!("of_wide({text})"),
            AtomicType::Huge => format!("of_huge({text})"),
            AtomicType::Byte | AtomicType::Short | AtomicType::Int | AtomicType::Long => text.to_owned(),
        }
    }

    pub(super) fn reset_atomic(self, index: usize, ty: AtomicType) -> String {
        match self.api {
            Api::Std => format!("atomic{index}.store({});", Library::made(ty, 0)),
            Api::Pthread | Api::C11 => format!("atomic_store(&atomic{index}, {});", Library::made(ty, 0)),
        }
    }

    pub(super) fn observe_atomic(self, index: usize, ty: AtomicType, strength: Strength) -> String {
        self.atomic(index, ty, AtomicOp::Load, strength)
    }

    /// An atomic operation.
    pub(super) fn atomic(self, index: usize, ty: AtomicType, op: AtomicOp, strength: Strength) -> String {
        let prefix = if self.api == Api::Std { "std::" } else { "" };
        let order = |handover: &str| match strength {
            Strength::Total => format!("{prefix}memory_order_seq_cst"),
            Strength::Handover => format!("{prefix}memory_order_{handover}"),
            Strength::Relaxed => format!("{prefix}memory_order_relaxed"),
        };
        let call = |name: &str, rest: String| match (self.api, strength) {
            (Api::Std, _) => format!("atomic{index}.{name}({})", rest.trim_start_matches(", ")),
            (_, _) => format!("atomic_{name}_explicit(&atomic{index}{rest})"),
        };
        let swapping =
            |name: &str, value: u8| call(name, format!(", {}, {}", Library::made(ty, value), order("acq_rel")));
        match op {
            AtomicOp::Load => {
                let text = match (self.api, strength) {
                    (Api::Pthread | Api::C11, Strength::Total) => format!("atomic_load(&atomic{index})"),
                    (_, _) => call("load", format!(", {}", order("acquire"))),
                };
                format!("OBSERVE({});", Library::as_number(ty, &text))
            }
            AtomicOp::Store(value) if strength == Strength::Total => {
                format!("atomic{index} = {};", Library::made(ty, value))
            }
            AtomicOp::Store(value) => {
                format!("{};", call("store", format!(", {}, {}", Library::made(ty, value), order("release"))))
            }
            AtomicOp::Add(value) => format!("OBSERVE({});", swapping("fetch_add", value)),
            AtomicOp::Exchange(value) => format!("OBSERVE({});", Library::as_number(ty, &swapping("exchange", value))),
            AtomicOp::CompareExchange(expected, value) => {
                let at = if self.api == Api::Std { "expected" } else { "&expected" };
                let rest = format!(", {at}, {}, {}, {}", Library::made(ty, value), order("acq_rel"), order("acquire"));
                let (made, exchanged) = (Library::made(ty, expected), call("compare_exchange_strong", rest));
                let seen = Library::as_number(ty, "expected");
                format!("{{ {} expected = {made}; OBSERVE({exchanged}); OBSERVE({seen}); }}", ty.name())
            }
        }
    }

    pub(super) fn thread_type(self) -> &'static str {
        match self.api {
            Api::Pthread => "pthread_t",
            Api::C11 => "thrd_t",
            Api::Std => "std::thread",
        }
    }

    /// The head of a thread's function, and its last statement.
    pub(super) fn function(self, thread: usize) -> (String, &'static str) {
        match self.api {
            Api::Pthread => (format!("static void *thread{thread}(void *raw) {{"), "return NULL;"),
            Api::C11 => (format!("static int thread{thread}(void *raw) {{"), "return 0;"),
            Api::Std => (format!("static void thread{thread}(void *raw) {{"), "return;"),
        }
    }

    /// The head of an array of thread functions.
    pub(super) fn starts(self) -> &'static str {
        match self.api {
            Api::Pthread => "void *(*const starts[])(void *)",
            Api::C11 => "int (*const starts[])(void *)",
            Api::Std => "void (*const starts[])(void *)",
        }
    }

    pub(super) fn start(self, index: &str, function: &str, argument: &str) -> String {
        match self.api {
            Api::Pthread => format!("pthread_create(&threads[{index}], NULL, {function}, {argument});"),
            Api::C11 => format!("thrd_create(&threads[{index}], {function}, {argument});"),
            Api::Std if argument.contains('[') => {
                format!("threads[{index}] = std::thread({function}, (void *){argument});")
            }
            Api::Std => {
                let capture = capture(argument);
                format!("threads[{index}] = std::thread([={capture}] {{ {function}({argument}); }});")
            }
        }
    }

    pub(super) fn wait(self, index: &str) -> String {
        match self.api {
            Api::Pthread => format!("pthread_join(threads[{index}], NULL);"),
            Api::C11 => format!("thrd_join(threads[{index}], NULL);"),
            Api::Std => format!("threads[{index}].join();"),
        }
    }

    pub(super) fn declare_once(self) -> Vec<String> {
        let function =
            "static void prepare(void) { int before = prepared; DELAY(); prepared = before + 5; }".to_owned();
        let flag = match self.api {
            Api::Pthread => "static pthread_once_t once = PTHREAD_ONCE_INIT;",
            Api::C11 => "static once_flag once = ONCE_FLAG_INIT;",
            Api::Std => "static std::once_flag once;",
        };
        vec![flag.to_owned(), function]
    }

    pub(super) fn reset_once(self) -> &'static str {
        match self.api {
            Api::Pthread => "{ pthread_once_t fresh = PTHREAD_ONCE_INIT; once = fresh; }",
            Api::C11 => "{ once_flag fresh = ONCE_FLAG_INIT; once = fresh; }",
            Api::Std => "new (&once) std::once_flag;",
        }
    }

    pub(super) fn once(self) -> &'static str {
        match self.api {
            Api::Pthread => "pthread_once(&once, prepare);",
            Api::C11 => "call_once(&once, prepare);",
            Api::Std => "std::call_once(once, [] { prepare(); });",
        }
    }

    pub(super) fn key_type(self) -> &'static str {
        if self.api == Api::C11 {
            "tss_t"
        } else {
            "pthread_key_t"
        }
    }

    pub(super) fn key_create(self) -> &'static str {
        if self.api == Api::C11 {
            "tss_create"
        } else {
            "pthread_key_create"
        }
    }

    pub(super) fn key_delete(self) -> &'static str {
        if self.api == Api::C11 {
            "tss_delete"
        } else {
            "pthread_key_delete"
        }
    }

    /// The functions that get and set the value under a key.
    pub(super) fn key_access(self) -> [&'static str; 2] {
        if self.api == Api::C11 {
            ["tss_get", "tss_set"]
        } else {
            ["pthread_getspecific", "pthread_setspecific"]
        }
    }

    /// A barrier: the library's, or in C11, which has none, one made of a mutex and a condition variable.
    pub(super) fn declare_barrier(self, count: usize) -> Vec<String> {
        match self.api {
            Api::Pthread | Api::Std => vec!["static pthread_barrier_t barrier;".to_owned()],
            Api::C11 => vec![
                "static mtx_t gate;".to_owned(),
                "static cnd_t opened;".to_owned(),
                "static int arrived;".to_owned(),
                "static void arrive(void) {".to_owned(),
                "mtx_lock(&gate);".to_owned(),
                format!("if (++arrived == {count}) cnd_broadcast(&opened);"),
                format!("else while (arrived < {count}) cnd_wait(&opened, &gate);"),
                "mtx_unlock(&gate);".to_owned(),
                "}".to_owned(),
            ],
        }
    }

    pub(super) fn set_up_barrier(self, count: usize) -> Vec<String> {
        match self.api {
            Api::Pthread | Api::Std => vec![format!("pthread_barrier_init(&barrier, NULL, {count});")],
            Api::C11 => vec!["mtx_init(&gate, mtx_plain);".to_owned(), "cnd_init(&opened);".to_owned()],
        }
    }

    pub(super) fn tear_down_barrier(self) -> Vec<String> {
        match self.api {
            Api::Pthread | Api::Std => vec!["pthread_barrier_destroy(&barrier);".to_owned()],
            Api::C11 => vec!["mtx_destroy(&gate);".to_owned(), "cnd_destroy(&opened);".to_owned()],
        }
    }

    pub(super) fn reset_barrier(self) -> Option<&'static str> {
        (self.api == Api::C11).then_some("arrived = 0;")
    }

    pub(super) fn pass_barrier(self) -> &'static str {
        if self.api == Api::C11 {
            "arrive();"
        } else {
            "pthread_barrier_wait(&barrier);"
        }
    }

    /// Only pthreads have semaphores here.
    fn known(self, kind: ChannelKind) -> ChannelKind {
        match (self.api, kind) {
            (Api::C11 | Api::Std, ChannelKind::Semaphore) => ChannelKind::Condition,
            (_, kind) => kind,
        }
    }

    pub(super) fn declare_channel(self, index: usize, kind: ChannelKind) -> Vec<String> {
        let mut lines = vec![format!("static int parcel{index};")];
        match (self.known(kind), self.api) {
            (ChannelKind::Condition, Api::Pthread) => {
                lines.push(format!("static int ready{index};"));
                lines.push(format!("static pthread_mutex_t desk{index} = PTHREAD_MUTEX_INITIALIZER;"));
                lines.push(format!("static pthread_cond_t bell{index} = PTHREAD_COND_INITIALIZER;"));
            }
            (ChannelKind::Condition, Api::C11 | Api::Std) => {
                lines.push(format!("static int ready{index};"));
                lines.push(format!("static {} desk{index};", self.mutex_type()));
                lines.push(format!("static {} bell{index};", self.condition_type()));
            }
            (ChannelKind::Semaphore, _) => lines.push(format!("static sem_t bell{index};")),
            (ChannelKind::Awaited | ChannelKind::Polled, Api::Std) => {
                lines.push(format!("static std::atomic<int> ready{index};"));
            }
            (ChannelKind::Awaited | ChannelKind::Polled, _) => lines.push(format!("static atomic_int ready{index};")),
        }
        lines
    }

    pub(super) fn set_up_channel(self, index: usize, kind: ChannelKind) -> Vec<String> {
        match (self.known(kind), self.api) {
            (ChannelKind::Condition, Api::C11) => {
                vec![format!("mtx_init(&desk{index}, mtx_plain);"), format!("cnd_init(&bell{index});")]
            }
            (ChannelKind::Semaphore, _) => vec![format!("sem_init(&bell{index}, 0, 0);")],
            (_, _) => vec![],
        }
    }

    pub(super) fn tear_down_channel(self, index: usize, kind: ChannelKind) -> Vec<String> {
        match (self.known(kind), self.api) {
            (ChannelKind::Condition, Api::C11) => {
                vec![format!("mtx_destroy(&desk{index});"), format!("cnd_destroy(&bell{index});")]
            }
            (ChannelKind::Semaphore, _) => vec![format!("sem_destroy(&bell{index});")],
            (_, _) => vec![],
        }
    }

    pub(super) fn reset_channel(self, index: usize, kind: ChannelKind) -> Vec<String> {
        match self.known(kind) {
            ChannelKind::Semaphore => vec![format!("parcel{index} = 0;")],
            ChannelKind::Condition | ChannelKind::Awaited | ChannelKind::Polled => {
                vec![format!("parcel{index} = 0;"), format!("ready{index} = 0;")]
            }
        }
    }

    pub(super) fn give(self, index: usize, kind: ChannelKind, value: u8) -> Vec<String> {
        let put = format!("parcel{index} = {value} + 1;");
        let lines: Vec<String> = match (self.known(kind), self.api) {
            (ChannelKind::Condition, Api::Pthread) => vec![
                format!("pthread_mutex_lock(&desk{index});"),
                put,
                format!("ready{index} = 1;"),
                format!("pthread_cond_signal(&bell{index});"),
                format!("pthread_mutex_unlock(&desk{index});"),
            ],
            (ChannelKind::Condition, Api::C11) => vec![
                format!("mtx_lock(&desk{index});"),
                put,
                format!("ready{index} = 1;"),
                format!("mtx_unlock(&desk{index});"),
                format!("cnd_broadcast(&bell{index});"),
            ],
            (ChannelKind::Condition, Api::Std) => vec![
                format!("{{ std::lock_guard<std::mutex> hold(desk{index}); {put} ready{index} = 1; }}"),
                format!("bell{index}.notify_one();"),
            ],
            (ChannelKind::Semaphore, _) => vec![put, "DELAY();".to_owned(), format!("sem_post(&bell{index});")],
            (ChannelKind::Awaited | ChannelKind::Polled, Api::Std) => {
                vec![put, "DELAY();".to_owned(), format!("ready{index}.store(1, std::memory_order_release);")]
            }
            (ChannelKind::Awaited | ChannelKind::Polled, _) => vec![
                put,
                "DELAY();".to_owned(),
                format!("atomic_store_explicit(&ready{index}, 1, memory_order_release);"),
            ],
        };
        lines
    }

    pub(super) fn take(self, index: usize, kind: ChannelKind) -> Vec<String> {
        let observe = format!("OBSERVE(parcel{index});");
        let load = match self.api {
            Api::Std => format!("ready{index}.load(std::memory_order_acquire)"),
            Api::Pthread | Api::C11 => format!("atomic_load_explicit(&ready{index}, memory_order_acquire)"),
        };
        match (self.known(kind), self.api) {
            (ChannelKind::Condition, Api::Pthread) => vec![
                format!("pthread_mutex_lock(&desk{index});"),
                format!("while (!ready{index}) pthread_cond_wait(&bell{index}, &desk{index});"),
                observe,
                format!("pthread_mutex_unlock(&desk{index});"),
            ],
            (ChannelKind::Condition, Api::C11) => vec![
                format!("mtx_lock(&desk{index});"),
                format!("while (!ready{index}) cnd_wait(&bell{index}, &desk{index});"),
                format!("mtx_unlock(&desk{index});"),
                observe,
            ],
            (ChannelKind::Condition, Api::Std) => vec![format!(
                "{{ std::unique_lock<std::mutex> hold(desk{index}); bell{index}.wait(hold, [] {{ return ready{index} != 0; }}); {observe} }}"
            )],
            (ChannelKind::Semaphore, _) => vec![format!("sem_wait(&bell{index});"), observe],
            (ChannelKind::Awaited, _) => vec![format!("while (!{load}) DELAY();"), observe],
            (ChannelKind::Polled, _) => vec![format!("if ({load}) {observe}"), "else OBSERVE(9);".to_owned()],
        }
    }
}

/// Captures of a lambda besides copies: an argument that is a variable, by reference.
fn capture(argument: &str) -> String {
    match argument.strip_prefix('&') {
        Some(variable) => format!(", &{variable}"),
        None => String::new(),
    }
}
