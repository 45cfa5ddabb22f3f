/* Models the functions of <math.h> that have operations of their own in the core form. Others are unmodelled: the
 * results of the C library for them are not those of exact arithmetic.
 */
#include "heddle.h"

double sqrt(double x) {
    if (x < 0) *__errno_location() = EDOM;
    return __builtin_elementwise_sqrt(x);
}

float sqrtf(float x) {
    if (x < 0) *__errno_location() = EDOM;
    return __builtin_elementwise_sqrt(x);
}

double fabs(double x) { return __builtin_elementwise_abs(x); }

float fabsf(float x) { return __builtin_elementwise_abs(x); }

double floor(double x) { return __builtin_elementwise_floor(x); }

float floorf(float x) { return __builtin_elementwise_floor(x); }

double ceil(double x) { return __builtin_elementwise_ceil(x); }

float ceilf(float x) { return __builtin_elementwise_ceil(x); }

double trunc(double x) { return __builtin_elementwise_trunc(x); }

float truncf(float x) { return __builtin_elementwise_trunc(x); }

double fmax(double x, double y) { return x != x || x < y ? y : x; }

double fmin(double x, double y) { return x != x || y < x ? y : x; }
