//! Locale objects, dates from text, file systems; identities and settings of terminals. The columns are explained in
//! the crate's root.

use crate::row::{Row, model};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // --- locale_objects.c
    model("newlocale", "locale_objects", "-r->s"),
    model("duplocale", "locale_objects", "->s"),
    model("freelocale", "locale_objects", "-"),
    model("uselocale", "locale_objects", "->s"),
    model("isalnum_l", "locale_objects", "--"),
    model("isalpha_l", "locale_objects", "--"),
    model("isblank_l", "locale_objects", "--"),
    model("iscntrl_l", "locale_objects", "--"),
    model("isdigit_l", "locale_objects", "--"),
    model("isgraph_l", "locale_objects", "--"),
    model("islower_l", "locale_objects", "--"),
    model("isprint_l", "locale_objects", "--"),
    model("ispunct_l", "locale_objects", "--"),
    model("isspace_l", "locale_objects", "--"),
    model("isupper_l", "locale_objects", "--"),
    model("isxdigit_l", "locale_objects", "--"),
    model("tolower_l", "locale_objects", "--"),
    model("toupper_l", "locale_objects", "--"),
    model("iswalnum_l", "locale_objects", "--"),
    model("iswalpha_l", "locale_objects", "--"),
    model("iswdigit_l", "locale_objects", "--"),
    model("iswlower_l", "locale_objects", "--"),
    model("iswprint_l", "locale_objects", "--"),
    model("iswpunct_l", "locale_objects", "--"),
    model("iswspace_l", "locale_objects", "--"),
    model("iswupper_l", "locale_objects", "--"),
    model("iswxdigit_l", "locale_objects", "--"),
    model("towlower_l", "locale_objects", "--"),
    model("towupper_l", "locale_objects", "--"),
    model("strtod_l", "locale_objects", "rp-"),
    model("strtof_l", "locale_objects", "rp-"),
    model("strtold_l", "locale_objects", "rp-"),
    model("strtol_l", "locale_objects", "rp--"),
    model("strtoll_l", "locale_objects", "rp--"),
    model("strtoul_l", "locale_objects", "rp--"),
    model("strtoull_l", "locale_objects", "rp--"),
    model("strftime_l", "locale_objects", "w-rr-"),
    model("strptime_l", "locale_objects", "rrw->0"),
    model("nl_langinfo_l", "locale_objects", "-->s"),
    // --- strptime.c
    model("strptime", "strptime", "rrw>0"),
    // --- filesystem.c
    model("statfs", "filesystem", "rw"),
    model("fstatfs", "filesystem", "-w"),
    model("statvfs", "filesystem", "rw"),
    model("fstatvfs", "filesystem", "-w"),
    model("statfs64", "filesystem", "rw"),
    model("fstatfs64", "filesystem", "-w"),
    model("statvfs64", "filesystem", "rw"),
    model("fstatvfs64", "filesystem", "-w"),
    // --- time.c
    model("ftime", "time", "w"),
    // --- process.c
    model("setresuid", "process", "---"),
    model("getresuid", "process", "www"),
    model("setresgid", "process", "---"),
    model("getresgid", "process", "www"),
    model("dgettext", "process", "rr>1"),
    model("ngettext", "process", "rr->s"),
    model("bind_textdomain_codeset", "process", "rr>1"),
    // --- sysconf.c
    model("prlimit64", "sysconf", "--rw"),
    // --- terminal.c
    model("cfmakeraw", "terminal", "b"),
    model("cfsetospeed", "terminal", "b-"),
    model("cfsetispeed", "terminal", "b-"),
    model("cfgetospeed", "terminal", "r"),
    model("cfgetispeed", "terminal", "r"),
];
