// 14 branches on the bits of a number made of four bytes, with arithmetic on it between them: 2^14 paths.
int main(int argc, char **argv) {
    unsigned x = 0;
    for (int i = 0; i < 4; i++) x = x << 8 | (unsigned char)argv[1][i];
    int n = 0;
    for (int i = 0; i < 14; i++) {
        if (x & (1u << i)) x = x * 3 + 1;
        else x = x + 8 * i, n++;
    }
    return n;
}
