//! Counters in memory, and addresses that move on in one object.

use super::{ends, is_unknown, loops};

/// `while (count < n) { count++; OTHER }` for a counter behind `%v1`.
fn counter_behind_pointer(other: &str) -> String {
    format!(
        "at0:
            jump at1
        at1:
            %v2: i32 = load [%v1]
            %v3: i1 = icmp.slt %v2, %v0
            branch %v3, at2, at3
        at2:
            %v4: i32 = load [%v1]
            %v5: i32 = add nsw %v4, 1
            store [%v1], %v5
            {other}
            jump at1
        at3:
            return 0"
    )
}

#[test]
fn a_counter_in_memory() {
    // Of `argv` it is known where it is, and that nobody else writes there.
    ends(&counter_behind_pointer(""));
    is_unknown(&counter_behind_pointer("store [%v1], 0:i32"));
}

/// A counter in `@count`, in a loop that also does something else.
fn counter_in_variable(other: &str) -> String {
    format!(
        "global @count size 4 align 4
        global @others size 16 align 8
        function @main(%v0: i32, %v1: ptr) -> i32 {{
        at0:
            jump at1
        at1:
            %v2: i32 = load [@count]
            %v3: i1 = icmp.slt %v2, %v0
            branch %v3, at2, at3
        at2:
            %v4: i32 = load [@count]
            %v5: i32 = add nsw %v4, 1
            store [@count], %v5
            {other}
            jump at1
        at3:
            return 0
        }}
        function @reset() {{
        at0:
            store [@count], 0:i32
            return
        }}
        function @nothing() {{
        at0:
            store [@others], 0:i32
            return
        }}"
    )
}

#[test]
fn a_counter_in_a_variable() {
    assert!(loops(&counter_in_variable("")).starts_with("ends"));
    assert!(loops(&counter_in_variable("call @nothing()")).starts_with("ends"));
    assert_eq!(loops(&counter_in_variable("call @reset()")), "unknown");
}

#[test]
fn a_store_that_may_be_to_the_counter() {
    let chosen = |other: &str| {
        counter_in_variable(&format!(
            "%v6: i1 = icmp.eq %v5, 3
            %v7: ptr = select %v6, @count, @others{other}
            store [%v7], 0:i32"
        ))
    };
    assert_eq!(loops(&chosen("")), "unknown");
    let elsewhere = chosen(" + 8").replace("select %v6, @count,", "select %v6, @others,");
    assert!(loops(&elsewhere).starts_with("ends"));
}

#[test]
fn a_bound_that_the_loop_writes() {
    let with = |other: &str| {
        format!(
            "global @bound size 4 align 4
            global @others size 16 align 8
            function @main(%v0: i32, %v1: ptr) -> i32 {{
            at0:
                jump at1(0)
            at1(%v2: i32):
                %v3: i32 = load [@bound]
                %v4: i1 = icmp.ne %v2, %v3
                branch %v4, at2, at3
            at2:
                %v5: i32 = add %v2, 1
                %v6: i32 = add %v3, 1
                store [{other}], %v6
                jump at1(%v5)
            at3:
                return 0
            }}"
        )
    };
    assert!(loops(&with("@others")).starts_with("ends"));
    assert_eq!(loops(&with("@bound")), "unknown");
}

/// `for (p = a; *p != 0; p += STEP) BODY`
fn scan(step: &str, last: &str) -> String {
    format!(
        "at0:
            jump at1(%v1)
        at1(%v2: ptr \"p\"):
            %v3: i8 = load [%v2]
            %v4: i1 = icmp.ne %v3, 0
            branch %v4, at2, at3
        at2:
            {step}
            {last}
            jump at1(%v5)
        at3:
            return 0"
    )
}

#[test]
fn a_pointer_that_moves_on() {
    ends(&scan("%v5: ptr = address %v2 + 1", ""));
    ends(&scan("%v5: ptr = address %v2 - 4", ""));
    is_unknown(&scan("%v5: ptr = address %v2 + 0", ""));
    // By as much as is read, and one more.
    ends(&scan("%v6: i64 = zext %v3\n %v5: ptr = address %v2 + %v6*1 + 1", ""));
    is_unknown(&scan("%v6: i64 = sext %v3\n %v5: ptr = address %v2 + %v6*1 + 1", ""));
}

#[test]
fn a_pointer_that_is_another_one_in_some_rounds() {
    let other = "%v6: i1 = icmp.eq %v3, 7\n %v7: ptr = address %v2 + 1\n %v5: ptr = select %v6, %v1, %v7";
    is_unknown(&scan(other, ""));
}

#[test]
fn an_index_that_moves_on() {
    let with = |access: &str| {
        format!(
            "at0:
                jump at1(0)
            at1(%v2: i64):
                {access}
                %v4: i1 = icmp.ne %v3, 7
                branch %v4, at2, at3
            at2:
                %v5: i64 = add %v2, 3
                jump at1(%v5)
            at3:
                return 0"
        )
    };
    ends(&with("%v6: ptr = address %v1 + %v2*8\n %v3: i8 = load [%v6]"));
    is_unknown(&with("%v6: ptr = address %v1 + %v2*0\n %v3: i8 = load [%v6]"));
    // Each element of which is read through is another object.
    is_unknown(&with(
        "%v6: ptr = load [%v1]\n %v7: ptr = address %v6 + %v2*8\n %v3: i8 = load [%v7]\n store [%v1], %v7",
    ));
}

#[test]
fn an_access_that_some_rounds_do_not_make() {
    is_unknown(
        "at0:
            jump at1(%v1)
        at1(%v2: ptr):
            %v3: i1 = icmp.eq %v0, 7
            branch %v3, at2, at3
        at2:
            %v4: i8 = load [%v2]
            %v5: i1 = icmp.ne %v4, 0
            branch %v5, at3, at4
        at3:
            %v6: ptr = address %v2 + 1
            jump at1(%v6)
        at4:
            return 0",
    );
}
