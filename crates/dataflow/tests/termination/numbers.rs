//! Numbers that get smaller in other ways than by steps.

use super::{body, ends, is_unknown};

/// `while (%v2 PREDICATE bound) %v2 = STEP`
fn while_not(predicate: &str, bound: &str, step: &str) -> String {
    format!(
        "at0:
            jump at1(%v0)
        at1(%v2: i32):
            %v3: i1 = icmp.{predicate} %v2, {bound}
            branch %v3, at2, at3
        at2:
            {step}
            jump at1(%v4)
        at3:
            return 0"
    )
}

#[test]
fn halved_until_nothing_is_left() {
    ends(&while_not("ne", "0:i32", "%v4: i32 = lshr %v2, 1"));
    ends(&while_not("sgt", "0:i32", "%v4: i32 = ashr %v2, 1"));
    ends(&while_not("ne", "0:i32", "%v4: i32 = sdiv %v2, 2"));
    // -1 stays -1.
    is_unknown(&while_not("ne", "0:i32", "%v4: i32 = ashr %v2, 1"));
    is_unknown(&while_not("ne", "0:i32", "%v4: i32 = lshr %v2, 0"));
}

#[test]
fn divided_until_nothing_is_left() {
    ends(&while_not("ne", "0:i32", "%v4: i32 = udiv %v2, 10"));
    ends(&while_not("ne", "0:i32", "%v4: i32 = sdiv %v2, 10"));
    ends(&while_not("sgt", "9:i32", "%v4: i32 = sdiv %v2, 10"));
    is_unknown(&while_not("ne", "0:i32", "%v4: i32 = sdiv %v2, 1"));
    is_unknown(&while_not("ne", "0:i32", "%v4: i32 = sdiv %v2, -1"));
}

#[test]
fn bits_are_cleared_one_by_one() {
    ends(&while_not("ne", "0:i32", "%v5: i32 = sub %v2, 1\n %v4: i32 = and %v2, %v5"));
    is_unknown(&while_not("ne", "0:i32", "%v5: i32 = sub %v2, 1\n %v4: i32 = or %v2, %v5"));
}

#[test]
fn shifted_out() {
    ends(&while_not("ne", "0:i32", "%v4: i32 = shl %v2, 1").replace("jump at1(%v0)", "jump at1(1)"));
}

#[test]
fn remainders() {
    // `while (b) { t = a % b; a = b; b = t; }`
    let gcd = |divide: &str| {
        format!(
            "at0:
                %v9: i32 = load [%v1]
                jump at1(%v0, %v9)
            at1(%v2: i32, %v3: i32):
                %v4: i1 = icmp.ne %v3, 0
                branch %v4, at2, at3
            at2:
                %v5: i32 = {divide} %v2, %v3
                jump at1(%v3, %v5)
            at3:
                return %v2"
        )
    };
    ends(&gcd("urem"));
    ends(&gcd("srem"));
    is_unknown(&gcd("xor"));
}

#[test]
fn the_middle_of_an_interval() {
    let search = |low: &str, high: &str| {
        format!(
            "at0:
                jump at1(0, %v0)
            at1(%v2: i32, %v3: i32):
                %v4: i1 = icmp.slt %v2, %v3
                branch %v4, at2, at5
            at2:
                %v5: i32 = sub nsw %v3, %v2
                %v6: i32 = lshr %v5, 1
                %v7: i32 = add nsw %v2, %v6
                %v8: i8 = load [%v1]
                %v9: i1 = icmp.eq %v8, 0
                branch %v9, at3, at4
            at3:
                %v10: i32 = add nsw %v7, {low}
                jump at1(%v10, %v3)
            at4:
                %v11: i32 = add nsw %v7, {high}
                jump at1(%v2, %v11)
            at5:
                return 0"
        )
    };
    // It ends, but the solver takes longer than it may to see that.
    is_unknown(&search("1", "0"));
    // `low = middle` stays where it is if they are neighbours.
    is_unknown(&search("0", "0"));
}

#[test]
fn nobody_knows() {
    // Collatz.
    is_unknown(
        "at0:
            jump at1(%v0)
        at1(%v2: i32):
            %v3: i1 = icmp.ne %v2, 1
            branch %v3, at2, at5
        at2:
            %v4: i32 = and %v2, 1
            %v5: i1 = icmp.eq %v4, 0
            branch %v5, at3, at4
        at3:
            %v6: i32 = lshr %v2, 1
            jump at1(%v6)
        at4:
            %v7: i32 = mul %v2, 3
            %v8: i32 = add %v7, 1
            jump at1(%v8)
        at5:
            return 0",
    );
}

#[test]
fn sums_that_overflow_are_what_some_ends_rest_on() {
    let found = |predicate, bound, step| body(&while_not(predicate, bound, step));
    let is_needed = |found: String| found.ends_with(", if no sum overflows");
    assert!(!is_needed(found("slt", "%v0", "%v4: i32 = add nsw %v2, 1")));
    assert!(is_needed(found("slt", "%v0", "%v4: i32 = add nsw %v2, 2")));
    // Behind the least number comes the greatest one.
    assert!(!is_needed(found("slt", "%v0", "%v4: i32 = add nsw %v2, -1")));
    // A shift by the width: a processor may give anything, this one zero.
    let shifted = found("sge", "0:i32", "%v4: i32 = shl %v2, 32");
    assert_eq!(shifted, "ends: it never goes round twice, if no sum overflows");
}
