// 14 branches on 14 bytes that have nothing to do with each other: 2^14 paths.
static int f(const char *s) {
    int n = 0;
    if (s[0] == 'a') n += 1;
    if (s[1] > 'b') n ^= 2;
    if (s[2] < 'c') n += 3;
    if (s[3] & 1) n ^= 4;
    if (s[4] != 'e') n += 5;
    if ((s[5] ^ 0x55) > 20) n ^= 6;
    if (s[6] == s[6] / 2 * 2) n += 7;
    if (s[7] > '0' && n >= 0) n ^= 8;
    if (s[8] * 3 > 100) n += 9;
    if (s[9] == 'j') n ^= 10;
    if (s[10] <= 'k') n += 11;
    if (s[11] + 1 > 'l') n ^= 12;
    if (s[12] == 'm') n += 13;
    if (s[13] >= 'n') n ^= 14;
    return n;
}

int main(int argc, char **argv) {
    char s[14];
    for (int i = 0; i < 14; i++) s[i] = argv[1][i];
    return f(s) & 1;
}
