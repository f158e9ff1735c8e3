//! Integers of which something is known, as indices of bytes.

use crate::rules::check::returned;

/// Where `@a + %i` points, with `%i` computed so. `%w` is a number of 32 bits of which nothing is known, `%b` is a
/// byte.
fn indexed(lines: &str) -> String {
    returned(&format!(
        "    %w: i32 = load [@number]
    %b: i8 = load [@number]
    {}
    %x = address @a + %i*1
    return %x",
        lines.replace("; ", "\n    ")
    ))
}

#[test]
fn one_of_a_few_constants_is_that_many_offsets() {
    assert_eq!(indexed("%i = select %yes, 32:i64, 36:i64"), "a+32 a+36");
    assert_eq!(indexed("%i = umin 8:i64, 24:i64"), "a+24 a+8", "either operand");
    assert_eq!(indexed("%j = select %yes, 8:i64, 24:i64; %i = smax %j, 40:i64"), "a+24 a+40 a+8");
    let four = "%j = select %yes, 0:i64, 8:i64; %k = select %yes, 16:i64, 24:i64; %l = select %yes, %j, %k; ";
    assert_eq!(indexed(&format!("{four}%i = freeze %l")), "a+0 a+16 a+24 a+8");
    assert_eq!(indexed(&format!("{four}%i = select %yes, %l, 32:i64")), "a+0 a+16 a+24 a+32 a+8");
    let digit = |name: char, value: u32| format!("%{name} = select %yes, 0:i64, {value}:i64; ");
    let sums = "%n1 = add %o, %p; %n2 = add %n1, %q; %n3 = add %n2, %r; ";
    let sixteen = [('o', 8), ('p', 16), ('q', 32), ('r', 64)].map(|(n, v)| digit(n, v)).concat() + sums;
    assert_eq!(indexed(&format!("{sixteen}%i = freeze %n3")).split(' ').count(), 16);
    assert_eq!(indexed(&format!("{sixteen}%i = select %yes, %n3, 128:i64")), "a+0+8k", "more than 16 are a class");
}

#[test]
fn constants_go_through_arithmetic() {
    let each = |rest: &str| indexed(&format!("%j = select %yes, 1:i64, 3:i64; {rest}"));
    assert_eq!(each("%i = add %j, 5"), "a+6 a+8");
    assert_eq!(each("%i = sub 9:i64, %j"), "a+6 a+8");
    assert_eq!(each("%i = mul %j, 7"), "a+21 a+7");
    assert_eq!(each("%i = shl %j, 2"), "a+12 a+4");
    assert_eq!(each("%i = and %j, 2"), "a+0 a+2");
    assert_eq!(each("%i = or %j, 4"), "a+5 a+7");
    assert_eq!(each("%i = xor %j, 1"), "a+0 a+2");
    assert_eq!(each("%k = select %yes, 8:i64, 16:i64; %i = add %j, %k"), "a+11 a+17 a+19 a+9");
}

#[test]
fn constants_are_extended_and_cut_as_they_are() {
    let each = |rest: &str| indexed(&format!("%j = select %yes, 255:i8, 8:i8; {rest}"));
    assert_eq!(each("%i: i64 = zext %j"), "a+255 a+8");
    assert_eq!(each("%i: i64 = sext %j"), "a+8 a-1");
    assert_eq!(indexed("%i: i64 = zext %yes"), "a+0 a+1", "a condition is 0 or 1");
    assert_eq!(indexed("%j = select %yes, 260:i64, 8:i64; %k: i8 = trunc %j; %i: i64 = zext %k"), "a+4 a+8");
    assert_eq!(indexed("%j = select %yes, 254:i8, 8:i8; %k = add %j, 4:i8; %i: i64 = zext %k"), "a+12 a+2", "wraps");
}

#[test]
fn known_low_bits_are_a_class() {
    assert_eq!(indexed("%i = shl %n, 4"), "a+0+16k");
    assert_eq!(indexed("%i = mul %n, 24"), "a+0+8k", "multiples of 24 may wrap");
    assert_eq!(indexed("%i = and %n, -8"), "a+0+8k");
    assert_eq!(indexed("%j = shl %n, 4; %i = add %j, 3"), "a+3+16k");
    assert_eq!(indexed("%j = shl %n, 4; %i = or %j, 3"), "a+3+16k");
    assert_eq!(indexed("%j = shl %n, 4; %k = mul %n, 8; %i = sub %k, %j"), "a+0+8k");
    assert_eq!(indexed("%j = or %n, 7; %i = xor %j, 2"), "a+5+8k");
    assert_eq!(indexed("%j = shl %n, 4; %k = or %j, 4; %i = mul %k, %k"), "a+16+64k", "(16x + 4)(16y + 4)");
    assert_eq!(indexed("%i = and %n, 6"), "a+0+2k", "the lowest bit is 0");
    assert_eq!(indexed("%j = shl %n, 4; %i = select %yes, %j, 8:i64"), "a+0+8k");
    assert_eq!(indexed("%i = lshr %n, 4"), "a+*", "of what is not looked at nothing is known");
}

#[test]
fn narrow_integers_keep_their_low_bits() {
    assert_eq!(indexed("%j = shl %w, 4:i32; %i: i64 = zext %j"), "a+0+16k");
    assert_eq!(indexed("%j = shl %w, 4:i32; %i: i64 = sext %j"), "a+0+16k");
    assert_eq!(indexed("%j = shl %n, 4; %k: i32 = trunc %j; %i: i64 = zext %k"), "a+0+16k");
    assert_eq!(indexed("%j = shl %b, 9:i8; %i: i64 = zext %j"), "a+*", "a shift by too much");
}

#[test]
fn an_index_that_a_loop_moves_keeps_its_step() {
    let body = |step: &str| {
        format!(
            "    jump head(16:i64)
head(%i: i64):
    %x = address @a + %i*1
    %j = add %i, {step}
    branch %yes, head(%j), done
done:
    return %x"
        )
    };
    assert_eq!(returned(&body("32")), "a+16+32k");
    assert_eq!(returned(&body("24")), "a+0+8k");
    assert_eq!(returned(&body("%n")), "a+*");
}

#[test]
fn blocks_may_stand_before_what_they_use() {
    let body = "    jump first
last:
    %i = shl 1:i64, %by
    %x = address @a + %i*1
    return %x
first:
    %by = select %yes, 3:i64, 4:i64
    jump last";
    assert_eq!(returned(body), "a+16 a+8");
}

#[test]
fn scales_and_further_indices_are_counted_in() {
    assert_eq!(
        returned("    %i = select %yes, 1:i64, 3:i64\n    %x = address @a + 4 + %i*8\n    return %x"),
        "a+12 a+28"
    );
    assert_eq!(
        returned("    %i = select %yes, 1:i64, 3:i64\n    %x = address @a + %i*8 + %n*16\n    return %x"),
        "a+8+16k"
    );
    assert_eq!(
        returned(
            "    %i = select %yes, 0:i64, 8:i64\n    %j = select %yes, 16:i64, 32:i64\n    %k = select %yes, 1:i64, 2:i64
    %l = select %yes, 64:i64, 128:i64\n    %m = select %yes, 3:i64, 4:i64
    %x = address @a + %i*1 + %j*1 + %k*1 + %l*1 + %m*1\n    return %x"
        ),
        "a+*",
        "32 sums are too many: %m counts as any"
    );
}

#[test]
fn loops_with_few_rounds_give_few_offsets() {
    let rotated = |first: &str, last: &str| {
        returned(&format!(
            "    jump head({first})
head(%i: i64):
    %x = address @a + 4 + %i*8
    %next = add %i, 1
    %more = icmp.ne %next, {last}
    branch %more, head(%next), done
done:
    return %x"
        ))
    };
    assert_eq!(rotated("0", "3"), "a+12 a+20 a+4");
    assert_eq!(rotated("0", "17"), "a+4+8k", "more than 16");
    assert_eq!(rotated("0", "%n"), "a+4+8k");
    assert_eq!(rotated("%n", "3"), "a+4+8k");
    let tested_first = "    jump head(0)
head(%i: i32):
    %more = icmp.slt %i, 2
    branch %more, body, done
body:
    %wide: i64 = sext %i
    %x = address @a + %wide*8
    store [@p], %x
    %next = add %i, 1
    jump head(%next)
done:
    %y: ptr = load [@p]
    return %y";
    assert_eq!(returned(tested_first), "a+0 a+8", "the round after the last has no body");
    let by_old_number = "    jump head(0)
head(%i: i64):
    %x = address @a + %i*8
    %first = icmp.eq %i, 0
    %next = add %i, 1
    branch %first, head(%next), done
done:
    return %x";
    assert_eq!(returned(by_old_number), "a+0 a+8", "what is compared is what the next one is computed from");
}

#[test]
fn a_branch_to_one_block_says_nothing() {
    let body = "    %i = select %yes, 0:i64, 8:i64
    %low = icmp.ult %i, 8
    branch %low, next, next
next:
    %x = address @a + %i*1
    return %x";
    assert_eq!(returned(body), "a+0 a+8");
    let both = "    %i = select %yes, 0:i64, 8:i64
    %low = icmp.ugt 8:i64, %i
    branch %low, next, other
next:
    %x = address @a + %i*1
    return %x
other:
    return @b";
    assert_eq!(returned(both), "a+0 b+0");
}
