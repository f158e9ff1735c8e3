//! The host's mathematical functions, so that concrete results are the native ones to the last bit.

#![expect(unsafe_code, reason = "functions of the C library, which take and return numbers")]

/// A function of one number, for both precisions.
type Unary = (extern "C" fn(f64) -> f64, extern "C" fn(f32) -> f32);

/// A function of two numbers, for both precisions.
type Binary = (extern "C" fn(f64, f64) -> f64, extern "C" fn(f32, f32) -> f32);

/// Declares functions of one or two numbers, and lists them in the order of `enum ics_math_function`.
macro_rules! declare {
    ($(unary $double:ident $single:ident)* $(binary $double2:ident $single2:ident)*) => {
        unsafe extern "C" {
            $(
                safe fn $double(x: f64) -> f64;
                safe fn $single(x: f32) -> f32;
            )*
            $(
                safe fn $double2(x: f64, y: f64) -> f64;
                safe fn $single2(x: f32, y: f32) -> f32;
            )*
            safe fn lgamma_r(x: f64, sign: &mut i32) -> f64;
            safe fn lgammaf_r(x: f32, sign: &mut i32) -> f32;
            safe fn jn(n: i32, x: f64) -> f64;
            safe fn yn(n: i32, x: f64) -> f64;
        }

        const UNARY: &[Unary] = &[$(($double, $single),)*];
        const BINARY: &[Binary] = &[$(($double2, $single2),)*];
    };
}

// `cbrt` goes by its other names: the compiler's support library has a `cbrt` too, with other last bits.
declare! {
    unary sin sinf
    unary cos cosf
    unary tan tanf
    unary asin asinf
    unary acos acosf
    unary atan atanf
    unary sinh sinhf
    unary cosh coshf
    unary tanh tanhf
    unary asinh asinhf
    unary acosh acoshf
    unary atanh atanhf
    unary exp expf
    unary exp2 exp2f
    unary exp10 exp10f
    unary expm1 expm1f
    unary log logf
    unary log2 log2f
    unary log10 log10f
    unary log1p log1pf
    unary cbrtf64 cbrtf32
    unary erf erff
    unary erfc erfcf
    unary tgamma tgammaf
    unary j0 j0f
    unary j1 j1f
    unary y0 y0f
    unary y1 y1f
    binary pow powf
    binary atan2 atan2f
    binary hypot hypotf
}

/// `ICS_SINGLE`: added for the function on `float`.
const SINGLE: u64 = 256;

/// Where a number of `enum ics_math_function` leads.
enum Function {
    Unary(Unary),
    Binary(Binary),
    LogGamma,
    BesselJ,
    BesselY,
}

fn function(number: u64) -> Option<Function> {
    let index = usize::try_from(number).ok()?;
    if let Some(&unary) = UNARY.get(index) {
        return Some(Function::Unary(unary));
    }
    let index = index - UNARY.len();
    if let Some(&binary) = BINARY.get(index) {
        return Some(Function::Binary(binary));
    }
    match index - BINARY.len() {
        0 => Some(Function::LogGamma),
        1 => Some(Function::BesselJ),
        2 => Some(Function::BesselY),
        _ => None,
    }
}

/// [`icsched_ir::Intrinsic::Math`], on bits; `None` for a number that is no function's.
pub(crate) fn call(number: u64, a: u64, b: u64) -> Option<u64> {
    let function = function(number % SINGLE)?;
    if number >= SINGLE {
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let result = match function {
            Function::Unary((_, single)) => single(x),
            Function::Binary((_, single)) => single(x, y),
            Function::LogGamma => lgammaf_r(x, &mut 0),
            Function::BesselJ | Function::BesselY => return None,
        };
        return Some(u64::from(result.to_bits()));
    }
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let result = match function {
        Function::Unary((double, _)) => double(x),
        Function::Binary((double, _)) => double(x, y),
        Function::LogGamma => lgamma_r(x, &mut 0),
        Function::BesselJ => jn(x as i32, y),
        Function::BesselY => yn(x as i32, y),
    };
    Some(result.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_models() {
        let value = |number, x: f64, y: f64| call(number, x.to_bits(), y.to_bits()).map(f64::from_bits);
        let power = UNARY.len() as u64;
        assert_eq!(value(0, 0.5, 0.0), Some(0.5_f64.sin()));
        assert_eq!(value(power, 2.0, 10.0), Some(1024.0));
        assert_eq!(value(power + 3, 5.0, 0.0), Some(24_f64.ln()));
        assert_eq!(value(power + 4, 0.0, 0.0), Some(1.0));
        assert_eq!(value(power + 6, 0.0, 0.0), None);
        assert_eq!(call(SINGLE + power, u64::from(2_f32.to_bits()), u64::from(3_f32.to_bits())), Some(0x4100_0000));
    }
}
