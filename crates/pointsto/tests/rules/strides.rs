//! Pointers that are moved by multiples of something.

use crate::rules::check::{returned, returned_with};

fn address(sum: &str) -> String {
    returned(&format!("    %m: i64 = load [@number]\n    %x = address {sum}\n    return %x"))
}

#[test]
fn an_index_makes_a_class_of_its_scale() {
    assert_eq!(address("@a + %n*24"), "a+0+24k");
    assert_eq!(address("@a + 8 + %n*24"), "a+8+24k");
    assert_eq!(address("@a + 32 + %n*24"), "a+8+24k");
    assert_eq!(address("@a - 8 + %n*24"), "a+16+24k");
    assert_eq!(address("@a + %n*-24"), "a+0+24k");
    assert_eq!(address("@a + %n*1"), "a+*");
    assert_eq!(address("@a + %n*0"), "a+0");
}

#[test]
fn an_index_that_is_not_negative_stays_in_front_of_the_end() {
    assert_eq!(address("@a + 16 + %n*16 of any"), "a+16 a+32 a+48 a+64", "the end may be pointed to");
    assert_eq!(address("@a + 40 + %n*8 + %m*16 of any"), "a+0+8k", "another index may be");
    assert_eq!(address("@a + %n*2 of any"), "a+0+2k", "too many places");
    assert_eq!(address("@a + 60 + %n*8 of 2"), "a+60");
    let stepped = "    %x = address @a + 32 + %n*16 of any\n    %y = address %x - 16\n    return %y";
    assert_eq!(returned(stepped), "a+16 a+32 a+48");
}

#[test]
fn several_indices_make_a_class_of_their_common_divisor() {
    assert_eq!(address("@a + %n*24 + %m*16"), "a+0+8k");
    assert_eq!(address("@a + 4 + %n*24 + %m*48"), "a+4+24k");
}

#[test]
fn classes_are_moved_and_refined_by_further_steps() {
    let body = |second: &str| format!("    %x = address @a + 8 + %n*24\n    %y = address %x + {second}\n    return %y");
    assert_eq!(returned(&body("20")), "a+4+24k");
    assert_eq!(returned(&body("%n*16")), "a+0+8k");
    assert_eq!(returned(&body("%n*48")), "a+8+24k");
    assert_eq!(returned(&body("%n*36")), "a+8+12k");
}

#[test]
fn a_step_in_a_loop_is_a_stride() {
    let body = |step: &str| {
        format!(
            "    jump head(@a)
head(%x: ptr):
    %y = address %x + {step}
    branch %yes, head(%y), done
done:
    return %y"
        )
    };
    assert_eq!(returned(&body("12")), "a+0+12k");
    assert_eq!(returned(&body("-8")), "a+0+8k");
    assert_eq!(returned(&body("12 + %n*8")), "a+0+4k");
    assert_eq!(returned(&body("4096")), "a+0+4096k", "however long the step");
}

#[test]
fn two_steps_in_a_loop_are_strides_each() {
    let body = "    jump head(@a)
head(%x: ptr):
    %y = address %x + 24
    branch %yes, head(%y), more
more:
    %z = address %y + 16
    branch %yes, head(%z), done
done:
    return %x";
    assert_eq!(returned(body), "a+0+8k");
}

#[test]
fn a_step_before_a_loop_is_none() {
    let body = "    %first = address @a + 8
    jump head(%first)
head(%x: ptr):
    %y = address %x + 16
    branch %yes, head(%y), done
done:
    %z = address %x + 4
    return %z";
    assert_eq!(returned(body), "a+12+16k");
}

#[test]
fn a_step_through_memory_is_a_stride_too() {
    let body = "    store [@p], @a
    jump head
head:
    %x: ptr = load [@p]
    %y = address %x + 16
    store [@p], %y
    branch %yes, head, done
done:
    return %x";
    assert_eq!(returned(body), "a+0+16k");
}

#[test]
fn a_step_through_recursion_is_a_stride_too() {
    let f = "function @f(%x: ptr) -> ptr {
entry:
    %more: i1 = icmp.eq %x, null
    branch %more, again, done
again:
    %y = address %x + 40
    %z: ptr = call @f(%y)
    return %z
done:
    return %x
}";
    assert_eq!(returned_with("    %x: ptr = call @f(@a)\n    return %x", f), "a+0+40k");
}

#[test]
fn the_whole_of_an_object_stands_for_its_parts() {
    let body =
        "    %any = address @a + %n*1\n    %part = address @a + 8\n    %x = select %yes, %any, %part\n    return %x";
    assert_eq!(returned(body), "a+*");
    let body =
        "    %any = address @a + %n*1\n    %part = address @b + 8\n    %x = select %yes, %any, %part\n    return %x";
    assert_eq!(returned(body), "a+* b+8", "its own only");
    let body = "    %any = address @a + %n*1
    %part = address @a + 8
    %x = select %yes, %any, %part
    store [@p], %x
    %other = address @b + %n*1
    %y = select %yes, %other, %part
    return %y";
    assert_eq!(returned(body), "a+8 b+*", "in the same set only");
}

#[test]
fn a_step_that_turns_out_to_be_another_one_is_a_stride_too() {
    // `%y` is stored by the time it is found to be `%z`.
    let body = "    jump head(@a)
head(%x: ptr):
    jump step
used:
    store [@p], %y
    store [@q], %y
    branch %yes, head(%y), done
step:
    %z = address %x + 12
    %y = address %x + 12
    jump used
done:
    return %z";
    assert_eq!(returned(body), "a+0+12k");
}

#[test]
fn a_step_that_becomes_a_stride_like_another_goes_on_being_one() {
    // `@b` gets into the loop when its step is a stride already.
    let body = "    store [@c], @p
    %place: ptr = load [@q]
    %late: ptr = load [%place]
    store [@q], @p
    store [@p], @b
    branch %yes, head(@a), head(%late)
head(%x: ptr):
    %any = address %x + %n*12
    store [@number], %any
    %y = address %x + 12
    branch %yes, head(%y), done
done:
    return %y";
    assert_eq!(returned(body), "a+0+12k b+0+12k");
}
