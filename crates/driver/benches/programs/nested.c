// A binary search and a comparison of neighbours: nested and dependent conditions.
static int search(int x) {
    int lo = 0, hi = 1024;
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (x < mid) hi = mid;
        else lo = mid;
    }
    return lo;
}

int main(int argc, char **argv) {
    int n = search((argv[1][0] & 31) * 32 + (argv[1][1] & 31));
    for (int i = 2; i < 6; i++)
        if (argv[1][i] < argv[1][i + 1]) n++;
    return n & 1;
}
