; property: unreach   truth: safe
; explore: safe   impact: safe   priori: safe
; Two numbers are ordered, whichever is larger, and a not-a-number is ordered with none.
declare void @__assert_fail(ptr, ptr, i32, ptr) noreturn

define void @expect(i1 %holds) {
  br i1 %holds, label %good, label %bad
bad:
  call void @__assert_fail(ptr null, ptr null, i32 0, ptr null)
  unreachable
good:
  ret void
}

define i1 @ordered(double %a, double %b) {
  %is = fcmp ord double %a, %b
  ret i1 %is
}

define i1 @unordered(double %a, double %b) {
  %is = fcmp uno double %a, %b
  ret i1 %is
}

define i32 @main() {
  %less = call i1 @ordered(double -1.0, double 2.0)
  call void @expect(i1 %less)
  %more = call i1 @ordered(double 2.0, double -1.0)
  call void @expect(i1 %more)
  %same = call i1 @unordered(double 0x7FF8000000000000, double 0x7FF8000000000000)
  call void @expect(i1 %same)
  %other = call i1 @ordered(double 0x7FF8000000000000, double 1.0)
  %none = xor i1 %other, true
  call void @expect(i1 %none)
  ret i32 0
}
