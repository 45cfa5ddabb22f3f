//! The surface syntax: C and C++ text for changes of cells, observations of cells, and thread-local computations. In a
//! template `$L` is the cell, `$T` its type, `$V` a small constant and `$N` a number that makes names unique. Nothing here
//! overflows, is left uninitialised or depends on an address, and results stay below 8, so every cell can hold them.

use super::ast::{Dress, Sum};

/// Changes a cell that has an address.
pub(super) fn update(dress: Dress, is_cxx: bool) -> &'static str {
    match (dress, is_cxx) {
        (Dress::Plain, _) => "$L = ($T)(($L + $V) & 7);",
        (Dress::Macro, _) => "ADD($L, $V);",
        (Dress::Inline, _) => "$L = add_$T($L, $V);",
        (Dress::Twist, _) => "$L = twist_$T($L, $V);",
        (Dress::Bump, _) => "for (int i = 0; i < 2; i++) bump_$T(&$L, $V);",
        (Dress::Table, _) => "$L = ($T)operators[$V % 2]((int)$L, $V);",
        (Dress::Switch, _) => {
            "switch ($L & 3) { case 0: $L ^= 1; break; case 1: $L ^= 2; /* falls through */ default: $L = ($T)(($L + 1) & 7); break; case 2: $L = $V; }"
        }
        (Dress::Back, _) => {
            "{ int round = 0; back$N:; $T copy = ($T)(($L + round) & 7); $T *at = &copy; *at ^= 1; $L = copy; if (++round < 2) goto back$N; }"
        }
        (Dress::Blocks, _) => {
            "{ $T value = $L; $T *outer = &value; { $T value = $V; $T *inner = &value; *outer = ($T)((*outer + *inner) & 7); } { $T value = *outer; $L = value; } }"
        }
        (Dress::Literal, false) => "$L = ($T)fold(&(struct pair){ (int)$L, $V });",
        (Dress::Literal, true) => "{ int by = $V; auto change = [&by](int old) { return (old + by) & 7; }; by++; $L = ($T)change((int)$L); }",
        (Dress::Row, false) => {
            "{ int n = $V + 1; $T row[n]; for (int i = 0; i < n; i++) row[i] = ($T)($L + i); $L = ($T)(row[n - 1] & 7); }"
        }
        (Dress::Row, true) => "{ int row[] = { (int)$L, $V, 1 }; int total = 0; for (int &item : row) { item += 1; total += item; } $L = ($T)(total & 7); }",
        (Dress::Varargs, _) => "$L = ($T)(sum(3, (int)$L, $V, 1) & 7);",
        (Dress::Recursion, _) => "$L = ($T)(climb($V, (int)$L) & 7);",
        (Dress::Union, false) => {
            "{ union view view; view.whole = 0; view.bytes[0] = (byte)$L; view.bytes[1] = $V; $L = ($T)((view.half.low + (view.whole >> 8)) & 7); }"
        }
        (Dress::Union, true) => "{ $T &name = $L; const $T &fixed = $V; name = ($T)((name + fixed) & 7); }",
        (Dress::Bits, _) => {
            "{ struct fields f; memset(&f, 0, sizeof f); f.low = (unsigned)$L; f.high = $V; f.small = -1; f.wider = 77; f.low += f.high; $L = ($T)f.low; }"
        }
        (Dress::ByValue, _) => {
            "{ struct pair p; p.first = $V; p.second = (int)$L; p = swapped(p); $L = ($T)((p.first ^ p.second) & 7); }"
        }
    }
}

/// Observes a cell that has an address.
pub(super) fn observe(dress: Dress, is_cxx: bool) -> &'static str {
    match (dress, is_cxx) {
        (Dress::Plain | Dress::Macro | Dress::Union, _) => "OBSERVE($L);",
        (Dress::Inline | Dress::Bump, _) => "OBSERVE(get_$T(&$L));",
        (Dress::Twist, _) => "for (int i = 0; i < 2; i++) OBSERVE(get_$T(&$L) + (unsigned)i);",
        (Dress::Table, _) => "OBSERVE(operators[1]((int)$L, 3));",
        (Dress::Switch, _) => "switch ($L) { case 0: OBSERVE(5); break; case 3: OBSERVE(1); /* falls through */ default: OBSERVE($L); }",
        (Dress::Back, _) => "{ int round = 0; back$N:; $T copy = $L; OBSERVE(copy); if (++round < 2) goto back$N; }",
        (Dress::Blocks, _) => "{ const $T *at = &$L; { $T copy = *at; { $T *inner = &copy; OBSERVE(*inner); } } }",
        (Dress::Literal, false) => "OBSERVE(fold(&(struct pair){ .second = (int)$L, .first = 1 }));",
        (Dress::Literal, true) => "{ auto look = [=](int more) { return (int)$L + more; }; OBSERVE(look(1)); }",
        (Dress::Row, false) => "{ int n = 2; $T row[n]; row[0] = 1; row[1] = $L; OBSERVE(row[n - 1]); }",
        (Dress::Row, true) => "{ $T row[2] = { 1, $L }; for (const auto &item : row) OBSERVE(item); }",
        (Dress::Varargs, _) => "OBSERVE(sum(2, 1, (int)$L));",
        (Dress::Recursion, _) => "OBSERVE(climb(2, (int)$L));",
        (Dress::Bits, _) => "{ struct fields f; memset(&f, 0, sizeof f); f.low = (unsigned)$L; f.small = (int)f.low; OBSERVE(f.small + 4); }",
        (Dress::ByValue, _) => "{ struct pair p; p.first = 2; p.second = (int)$L; OBSERVE(swapped(p).first); }",
    }
}

/// A computation.
pub(super) fn sum(sum: Sum, is_cxx: bool) -> &'static str {
    match (sum, is_cxx) {
        (Sum::Scopes, _) => {
            "{ int a = $V; int *p = &a; { int b = a + 1; p = &b; *p += a; OBSERVE(b); p = &a; } { int c = 3; *p += c; OBSERVE(a); } for (int a = 0; a < 2; a++) { int b = a; OBSERVE(b + *p); } }"
        }
        (Sum::Again, false) => {
            "{ struct pair *p = 0, *q; int j = 0; again$N: q = p; p = &(struct pair){ j++, $V }; if (j < 2) goto again$N; OBSERVE(p == q); OBSERVE(q->first * 4 + q->second); }"
        }
        (Sum::Again, true) => {
            "{ int total = 0; auto twice = [&total](auto &&act) { act(1); act(2); }; twice([&total](int by) { total += by + $V; }); auto copy = [total]() mutable { total += 1; return total; }; OBSERVE(copy() + total); }"
        }
        (Sum::Label, _) => {
            "{ int round = 0; label$N:; int fresh = round + $V; int *at = &fresh; *at += 1; OBSERVE(fresh); if (++round < 3) goto label$N; OBSERVE(*at); }"
        }
        (Sum::Rows, false) => {
            "for (int i = 1; i < 4; i++) { int row[i + 1]; for (int j = 0; j <= i; j++) row[j] = j * $V; int (*whole)[i + 1] = &row; OBSERVE((*whole)[i] + (int)(sizeof row / sizeof *row)); }"
        }
        (Sum::Rows, true) => {
            "for (int i = 1; i < 4; i++) { int row[i + 1]; for (int j = 0; j <= i; j++) row[j] = j * $V; int *at = row + i; OBSERVE(*at + (int)(sizeof row / sizeof *row)); }"
        }
        (Sum::Switch, _) => {
            "for (int i = 0; i < 4; i++) switch ((i + $V) % 4) { case 0: { int inner = i + 1; OBSERVE(inner); break; } default: OBSERVE(9); case 2: OBSERVE(i); continue; case 3: OBSERVE(1); }"
        }
        (Sum::Varargs, _) => "{ int deep = 4; OBSERVE(mixed(\"ilpi\", $V, 5L, &deep, 1)); OBSERVE(mixed(\"p\", &deep)); }",
        (Sum::Recursion, _) => "OBSERVE(is_even($V) * 2 + is_odd($V + 3) + climb(3, $V));",
        (Sum::Bits, _) => {
            "{ struct fields f, g; memset(&f, 0, sizeof f); f.low = 6 + $V; f.high = 0x1f; f.small = 5; f.wide = 0xfffff; f.wider = f.wide + 2; g = f; g.low++; OBSERVE(g.low * 16 + g.high); OBSERVE(g.small + 8); OBSERVE(g.wider); OBSERVE(f.wide >> 16); }"
        }
        (Sum::Union, false) => {
            "{ union view view; view.whole = 0x01020304u + $V; OBSERVE(view.bytes[0]); view.half.high = 0x55; OBSERVE(view.whole >> 16); OBSERVE(view.bytes[3]); }"
        }
        (Sum::Union, true) => {
            "{ struct counter { int &at; explicit counter(int &a) : at(a) { at += 1; } ~counter() { at *= 2; } }; int n = $V; { counter one(n); { counter two(n); } OBSERVE(n); } OBSERVE(n); }"
        }
        (Sum::Inlined, _) => {
            "{ int rounds = 0, total = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) { total += halve(i * 4 + j + $V, &rounds); total += scale(j); } OBSERVE(total); OBSERVE(rounds); }"
        }
        (Sum::Bodies, _) => {
            "for (int i = 0; i < 3; i++) { int body = i * 2; int *at = &body; if (i == 1) continue; for (int j = 0; j < 2; j++) { int deeper = j + *at; at[0] = deeper + $V; } OBSERVE(body); }"
        }
        (Sum::Arrays, false) => {
            "{ int grid[2][3] = { [1] = { 4, [2] = 6 }, [0][1] = $V }; const int *end = &grid[1][3]; int total = 0; for (const int *at = grid[1]; at != end; ++at) total += *at; OBSERVE(total + grid[0][1]); struct { int n; char text[4]; } named = { .text = \"ab\", .n = (int)(end - grid[1]) }; OBSERVE(named.text[1] - named.text[0] + named.n); }"
        }
        (Sum::Arrays, true) => {
            "{ int grid[2][3] = { { 0, $V, 0 }, { 4, 0, 6 } }; int total = 0; for (auto &line : grid) for (int item : line) total += item; struct shape { virtual int sides() const { return 0; } virtual ~shape() {} }; struct square : shape { int sides() const override { return 4; } }; square s; const shape &any = s; OBSERVE(total + any.sides()); }"
        }
        (Sum::Conversions, _) => {
            "{ signed char narrow = (signed char)(250 + $V); unsigned char wide = (unsigned char)narrow; short s = (short)(narrow * 3); unsigned u = (unsigned)s; long long big = (long long)u << 2; OBSERVE(wide); OBSERVE(u >> 28); OBSERVE((unsigned)(big >> 30)); OBSERVE(narrow < 0 ? 1 : 2); OBSERVE(sizeof(u + narrow)); OBSERVE((unsigned)-$V > 7u); }"
        }
        (Sum::Library, _) => {
            "{ char text[8]; memset(text, 'a', 5); text[5] = 0; char copy[8]; memcpy(copy, text, sizeof text); copy[$V] = 'b'; OBSERVE(strlen(copy)); OBSERVE(strcmp(text, copy) < 0); OBSERVE(memcmp(text, copy, $V) == 0); OBSERVE((int)(strchr(copy, 'b') - copy)); }"
        }
        (Sum::Structures, _) => {
            "{ struct { int (*act)(int, int); struct pair p; } object = { times, { $V, 3 } }; object.p = swapped(object.p); OBSERVE(object.act(object.p.first, object.p.second)); object.act = plus; OBSERVE((*object.act)(fold(&object.p), LARGER($V, 2))); }"
        }
        (Sum::Loops, _) => {
            "{ int i = 0; while (1) { int j = 0; do { if (j == 1) continue; if (i + j > $V) goto out$N; OBSERVE(j); } while (++j < 3); if (++i > 2) break; } out$N: OBSERVE(i); }"
        }
    }
}

/// Fills a template.
pub(super) fn fill(template: &str, place: &str, ty: &str, value: u8, number: usize) -> String {
    let text = template.replace("$L", place).replace("$T", ty);
    text.replace("$V", &value.to_string()).replace("$N", &number.to_string())
}
