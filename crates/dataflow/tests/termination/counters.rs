//! Counters in registers, and words that wrap around.

use super::{body, ends, is_endless, is_unknown};

/// `for (%v2 = 0; %v2 PREDICATE bound; %v2 = STEP)`, for a step that is an instruction.
fn counted(predicate: &str, bound: &str, step: &str) -> String {
    format!(
        "at0:
            jump at1(0)
        at1(%v2: i32 \"i\"):
            %v3: i1 = icmp.{predicate} %v2, {bound}
            branch %v3, at2, at3
        at2:
            %v4: i32 = {step}
            jump at1(%v4)
        at3:
            return 0"
    )
}

/// The same, starting anywhere.
fn from_anywhere(predicate: &str, bound: &str, step: &str) -> String {
    counted(predicate, bound, step).replace("jump at1(0)", "%v9: i32 = load [%v1]\n jump at1(%v9)")
}

#[test]
fn up_to_a_bound() {
    assert_eq!(body(&counted("slt", "%v0", "add %v2, 1")), "ends: i counts up to n");
    ends(&from_anywhere("ult", "%v0", "add %v2, 1"));
    ends(&from_anywhere("ne", "%v0", "add %v2, 1"));
    ends(&from_anywhere("slt", "%v0", "add nsw %v2, 2"));
}

#[test]
fn down_to_a_bound() {
    assert_eq!(body(&from_anywhere("sgt", "%v0", "add %v2, -1")), "ends: i counts down to n");
    ends(&from_anywhere("ugt", "0:i32", "sub %v2, 1"));
    ends(&from_anywhere("ne", "0:i32", "add %v2, -1"));
    ends(&from_anywhere("sge", "0:i32", "add nsw %v2, -1"));
}

#[test]
fn up_to_a_bound_that_may_be_the_greatest_number() {
    // `i <= n` with `n == UINT_MAX` goes round for ever.
    is_unknown(&from_anywhere("ule", "%v0", "add %v2, 1"));
    is_unknown(&from_anywhere("sle", "%v0", "add %v2, 1"));
    // Signed sums do not overflow.
    ends(&from_anywhere("sle", "%v0", "add nsw %v2, 1"));
    ends(&from_anywhere("ule", "1000:i32", "add %v2, 1"));
}

#[test]
fn steps_of_two_may_miss_the_bound() {
    is_unknown(&from_anywhere("ne", "%v0", "add %v2, 2"));
    // `i < UINT_MAX` in steps of two goes from `UINT_MAX - 1` to 0.
    is_unknown(&from_anywhere("ult", "%v0", "add %v2, 2"));
    ends(&from_anywhere("ult", "1000:i32", "add %v2, 2"));
    ends(&counted("ne", "1000:i32", "add %v2, 2"));
    is_endless(&counted("ne", "1001:i32", "add %v2, 2"));
}

#[test]
fn a_step_that_may_be_zero() {
    is_unknown(&from_anywhere("slt", "%v0", "add nsw %v2, %v0"));
    is_unknown(&counted("slt", "100:i32", "add nsw %v2, %v0"));
}

#[test]
fn a_step_away_from_the_bound() {
    is_unknown(&from_anywhere("slt", "%v0", "add %v2, 0"));
    // Down to the least number, and from there to the greatest one.
    ends(&from_anywhere("slt", "%v0", "add nsw %v2, -1"));
    is_unknown(&from_anywhere("uge", "%v0", "add %v2, -1"));
}

#[test]
fn unsigned_numbers_are_never_negative() {
    is_endless(&from_anywhere("uge", "0:i32", "add %v2, -1"));
}

#[test]
fn a_narrow_counter_and_a_wide_bound() {
    let narrow = |bound: &str| {
        format!(
            "at0:
                jump at1(0)
            at1(%v2: i8):
                %v5: i32 = zext %v2
                %v3: i1 = icmp.ult %v5, {bound}
                branch %v3, at2, at3
            at2:
                %v4: i8 = add %v2, 1
                jump at1(%v4)
            at3:
                return 0"
        )
    };
    ends(&narrow("255:i32"));
    is_endless(&narrow("256:i32"));
    is_unknown(&narrow("%v0"));
}

#[test]
fn a_bound_that_changes() {
    let both = |step: &str| {
        format!(
            "at0:
                jump at1(0, %v0)
            at1(%v2: i32, %v5: i32):
                %v3: i1 = icmp.slt %v2, %v5
                branch %v3, at2, at3
            at2:
                %v4: i32 = add nsw %v2, 1
                %v6: i32 = add nsw %v5, {step}
                jump at1(%v4, %v6)
            at3:
                return 0"
        )
    };
    ends(&both("0"));
    ends(&both("-1"));
    // Both go up, but the first one is smaller than some number, and so cannot do so for ever.
    ends(&both("1"));
    ends(&both("1").replace("nsw ", ""));
    is_unknown(&both("1").replace("nsw ", "").replace("slt", "ne"));
}

#[test]
fn a_counter_that_stays_on_one_path() {
    let with = |other: &str| {
        format!(
            "at0:
                jump at1(0)
            at1(%v2: i32):
                %v3: i1 = icmp.slt %v2, %v0
                branch %v3, at2, at5
            at2:
                %v4: i8 = load [%v1]
                %v6: i1 = icmp.eq %v4, 0
                branch %v6, at3, at4(%v2)
            at3:
                %v7: i32 = add nsw %v2, 1
                jump at4(%v7)
            at4(%v8: i32):
                {other}
            at5:
                return 0"
        )
    };
    is_unknown(&with("jump at1(%v8)"));
    ends(&with("%v9: i32 = add nsw %v8, 1\n jump at1(%v9)"));
}

#[test]
fn two_counters_one_of_which_moves() {
    // A merge: `while (i < n && j < n) if (a[i]) i++; else j++;`
    ends(
        "at0:
            jump at1(0, 0)
        at1(%v2: i32, %v3: i32):
            %v4: i1 = icmp.slt %v2, %v0
            branch %v4, at2, at6
        at2:
            %v5: i1 = icmp.slt %v3, %v0
            branch %v5, at3, at6
        at3:
            %v6: i8 = load [%v1]
            %v7: i1 = icmp.eq %v6, 0
            branch %v7, at4, at5
        at4:
            %v8: i32 = add nsw %v2, 1
            jump at1(%v8, %v3)
        at5:
            %v9: i32 = add nsw %v3, 1
            jump at1(%v2, %v9)
        at6:
            return 0",
    );
}

#[test]
fn the_inner_counter_begins_anew() {
    // One loop with two counters: `if (++j == 10) { j = 0; i++; }`.
    ends(
        "at0:
            jump at1(0, 0)
        at1(%v2: i32, %v3: i32):
            %v4: i1 = icmp.slt %v2, %v0
            branch %v4, at2, at4
        at2:
            %v5: i32 = add nsw %v3, 1
            %v6: i1 = icmp.slt %v5, 10
            branch %v6, at3, at5
        at3:
            jump at1(%v2, %v5)
        at5:
            %v7: i32 = add nsw %v2, 1
            jump at1(%v7, 0)
        at4:
            return 0",
    );
}

#[test]
fn an_outer_loop_does_not_depend_on_what_an_inner_one_leaves() {
    let found = body(
        "at0:
            jump at1(0)
        at1(%v2: i32 \"i\"):
            %v3: i1 = icmp.slt %v2, %v0
            branch %v3, at2(0), at5
        at2(%v4: i32 \"j\"):
            %v5: i1 = icmp.slt %v4, %v2
            branch %v5, at3, at4
        at3:
            %v6: i32 = add nsw %v4, 1
            jump at2(%v6)
        at4:
            %v7: i32 = add nsw %v2, 1
            jump at1(%v7)
        at5:
            return 0",
    );
    assert_eq!(found, "ends: i counts up to n\nends: j counts up to i");
}

#[test]
fn a_way_out_that_other_rounds_do_not_pass() {
    // The test is made in some rounds only.
    is_unknown(
        "at0:
            jump at1(0)
        at1(%v2: i32):
            %v3: i8 = load [%v1]
            %v4: i1 = icmp.eq %v3, 0
            branch %v4, at2, at3(%v2)
        at2:
            %v5: i32 = add nsw %v2, 1
            %v6: i1 = icmp.slt %v5, %v0
            branch %v6, at3(%v5), at4
        at3(%v7: i32):
            jump at1(%v7)
        at4:
            return 0",
    );
}

#[test]
fn no_way_out() {
    is_endless("at0:\n jump at1\nat1:\n jump at1");
    is_endless("at0:\n jump at1(0)\nat1(%v2: i32):\n %v3: i32 = add %v2, 1\n jump at1(%v3)");
}

#[test]
fn a_way_out_that_is_never_taken() {
    // `while (x < n || n <= x)`
    is_endless(
        "at0:
            jump at1(0)
        at1(%v2: i32):
            %v3: i1 = icmp.slt %v2, %v0
            branch %v3, at2, at3
        at3:
            %v4: i1 = icmp.sle %v0, %v2
            branch %v4, at2, at4
        at2:
            %v5: i32 = add %v2, 1
            jump at1(%v5)
        at4:
            return 0",
    );
}

#[test]
fn an_endless_loop_may_end_the_process() {
    let found = super::loops(
        "function @main(%v0: i32) -> i32 {
        at0:
            jump at1
        at1:
            %v1: i1 = icmp.eq %v0, 0
            branch %v1, at2, at1
        at2:
            call __ics_exit(0:i32)
            jump at1
        }",
    );
    assert_eq!(found, "unknown");
}

#[test]
fn a_bound_that_is_a_quotient() {
    // `for (i = 0; i < m / (1 << n); i++) for (j = 0; j < w * i; j++)`: nobody has to divide or to multiply.
    let text = "at0:
            %v2: i32 = load [%v1]
            %v3: i32 = shl 1, %v0
            %v4: i32 = sdiv %v2, %v3
            %v5: i32 = sdiv %v3, 2
            jump at1(0)
        at1(%v6: i32 \"i\"):
            %v7: i1 = icmp.slt %v6, %v4
            branch %v7, at2, at6
        at2:
            %v8: i32 = mul nsw %v5, %v6
            jump at3(0)
        at3(%v9: i32 \"j\"):
            %v10: i1 = icmp.slt %v9, %v8
            branch %v10, at4, at5
        at4:
            %v11: i32 = add nsw %v9, 1
            jump at3(%v11)
        at5:
            %v12: i32 = add nsw %v6, 1
            jump at1(%v12)
        at6:
            return 0";
    let found = body(text);
    assert!(found.lines().all(|line| line.starts_with("ends: ")), "{found}");
}
