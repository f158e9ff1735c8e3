// Vector instructions of every x86-64 processor, lane by lane.
// exec: 3
// exec: 77
// levels: O0 O1 O2 O3
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(const char *what, __m128i x)
{
    uint64_t halves[2];
    memcpy(halves, &x, sizeof halves);
    printf("%s %016lx%016lx\n", what, halves[1], halves[0]);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5;
    unsigned char text[16] = "find the byte X!";
    for (int i = 0; i < 16; i++)
        text[i] = (unsigned char)(text[i] * n);
    __m128i a = _mm_loadu_si128((const __m128i *)text), b = _mm_set1_epi16((short)(n * 1000));
    show("sum of distances", _mm_sad_epu8(a, b));
    show("multiply and add", _mm_madd_epi16(a, b));
    show("high products", _mm_mulhi_epi16(a, b));
    show("signed pack", _mm_packs_epi16(a, b));
    show("unsigned pack", _mm_packus_epi16(a, b));
    show("shift by many", _mm_sra_epi16(a, _mm_cvtsi32_si128(n)));
    show("average", _mm_avg_epu8(a, b));
    printf("%x\n", _mm_movemask_epi8(_mm_cmpeq_epi8(a, _mm_set1_epi8((char)('b' * n)))));
    __m128 x = _mm_set_ps((float)n, -0.0f, 1e10f, (float)n / 3), y = _mm_set_ps(3.5f, 0.0f, 2.0f, 1.0f);
    show("minimum", _mm_castps_si128(_mm_min_ps(x, y)));
    show("maximum", _mm_castps_si128(_mm_max_ps(y, x)));
    show("to integers", _mm_cvttps_epi32(x));
    show("rounded", _mm_cvtps_epi32(_mm_mul_ps(y, _mm_set1_ps((float)n / 2))));
    printf("%x %d\n", _mm_movemask_ps(x), _mm_comilt_ss(x, y));
    return 0;
}
