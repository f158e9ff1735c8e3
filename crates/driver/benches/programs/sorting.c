// Insertion sort of six symbolic bytes in an array: 720 orders, and the ties fall where the comparison puts them.
int main(int argc, char **argv) {
    char v[6];
    for (int i = 0; i < 6; i++) v[i] = argv[1][i];
    for (int i = 1; i < 6; i++) {
        char x = v[i];
        int j = i;
        while (j > 0 && v[j - 1] > x) {
            v[j] = v[j - 1];
            j--;
        }
        v[j] = x;
    }
    return v[0] & 1;
}
