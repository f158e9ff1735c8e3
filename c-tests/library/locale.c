// The C locale, which is the only one: numbers, money, names and formats of dates.
// exec:
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>

int main(void)
{
    struct lconv *l = localeconv();
    printf("<%s><%s><%s><%s><%s>\n", l->decimal_point, l->thousands_sep, l->grouping, l->currency_symbol, l->negative_sign);
    printf("%d %d %d\n", l->frac_digits, l->p_cs_precedes, l->int_n_sign_posn);
    const nl_item items[] = {CODESET, RADIXCHAR, THOUSEP, D_T_FMT, D_FMT, T_FMT, T_FMT_AMPM, AM_STR, PM_STR, ABDAY_1,
                             ABDAY_7, DAY_1, DAY_7, ABMON_1, ABMON_12, MON_1, MON_12, YESEXPR, NOEXPR, CRNCYSTR, ERA, -1};
    for (unsigned i = 0; i < sizeof(items) / sizeof(items[0]); i++)
        printf("%s\n", nl_langinfo(items[i]));
    printf("%s %d\n", setlocale(LC_ALL, "C"), setlocale(LC_ALL, "xx_YY") == NULL);
    return 0;
}
