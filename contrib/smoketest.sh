#!/bin/sh
# Tries the competition's interface end to end: a violation, a race and a proof, with witnesses that are validated.
# Usage: contrib/smoketest.sh [HEDDLE]; ends with status 0 if everything is as it should be.
set -eu

heddle=${1:-heddle}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

printf 'CHECK( init(main()), LTL(G ! call(reach_error())) )\n' > unreach-call.prp
printf 'CHECK( init(main()), LTL(G ! data-race) )\n' > no-data-race.prp

cat > lost.c <<'C'
#include <pthread.h>
extern void reach_error(void);
int x;
void *add(void *arg) {
  int old = x;
  x = old + 1;
  return arg;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, add, 0);
  pthread_create(&two, 0, add, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  if (x != 2)
    reach_error();
  return 0;
}
C
sed -e 's/^int x;/pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint x;/' \
    -e 's/^  int old = x;/  pthread_mutex_lock(\&m);\n  int old = x;/' \
    -e 's/^  x = old + 1;/  x = old + 1;\n  pthread_mutex_unlock(\&m);/' lost.c > locked.c

failed=0
# expect VERDICT COMMAND...: what the command prints must be the verdict.
expect() {
  expected=$1
  shift
  got=$("$@" 2> messages) || true
  if [ "$got" = "$expected" ]; then
    echo "ok: $expected ($*)"
  else
    echo "failed: $* printed '$got' and not '$expected'"
    cat messages
    failed=1
  fi
}

for task in lost:unreach-call lost:no-data-race; do
  file=${task%%:*}.c
  property=${task##*:}
  expect "false($property)" "$heddle" sv-comp --property "$property.prp" --data-model ILP32 --timeout 120 \
    --witness "$property.yml" --graphml "$property.graphml" "$file"
  expect "false($property)" "$heddle" validate --timeout 120 "$property.yml" "$file"
  expect "false($property)" "$heddle" validate --timeout 120 "$property.graphml" "$file"
done
for property in unreach-call no-data-race; do
  expect true "$heddle" sv-comp --property "$property.prp" --data-model LP64 --timeout 120 --witness proof.yml locked.c
  expect true "$heddle" validate --property "$property.prp" --timeout 120 proof.yml locked.c
done
exit "$failed"
