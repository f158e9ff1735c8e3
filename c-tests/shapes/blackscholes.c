// The parallel structure of PARSEC's blackscholes: fork and join, and nothing else. Threads are started in a loop and get
// their number through a pointer; each prices its own slice of the options, again and again.
//
// Usage: blackscholes THREADS [FILE]. The input (or standard input) is the number of options, then one option per line:
// spot price, strike price, rate, volatility, years, and P or C. Unlike the original, which starts fewer threads then, it wants as many options
// as threads: so that the number of threads is given, and one schedule is enough.
// run: enumerate -- 2 @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// run: enumerate -- 8 @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec: 3
// stdin: 7
// stdin: 42.00 40.00 0.1000 0.20 0.50 C
// stdin: 42.00 40.00 0.1000 0.20 0.50 P
// stdin: 100.00 100.00 0.0500 0.20 1.00 C
// stdin: 100.00 120.00 0.0500 0.30 1.00 P
// stdin: 60.00 65.00 0.0800 0.30 0.25 C
// stdin: 90.00 100.00 0.0275 0.10 0.75 P
// stdin: 15.00 12.00 0.0500 0.15 2.00 C
// stdout: 7 options, 3 threads
// stdout: 4.759418
// stdout: 0.808599
// stdout: 10.450577
// stdout: 21.051544
// stdout: 2.133371
// stdout: 8.663971
// stdout: 4.216863
// exec: 4
// stdin: 3
// exit: 1
// exec: 2 nosuchfile
// exit: 1
// exec: 1
// stdin: 2
// stdin: 42.00 40.00 0.1000 0.20
// exit: 1
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_THREADS 16
#define RUNS 20

struct option {
    float spot, strike, rate, volatility, years;
    char kind;
};

static struct option *data;
static float *prices;
static int option_count, thread_count;

// One array for each parameter, as vector units like it.
static float *spot, *strike, *rate, *volatility, *years;
static int *is_put;

static pthread_t threads[MAX_THREADS];
static char in_use[MAX_THREADS];

// The cumulative normal distribution, by a polynomial in 1 / (1 + 0.2316419 x).
static float cumulative_normal(float x)
{
    int negative = 0;
    if (x < 0.0f) {
        x = -x;
        negative = 1;
    }
    float density = expf(-0.5f * x * x) * 0.39894228040143270286f;
    float k = 1.0f / (1.0f + 0.2316419f * x);
    float sum = 1.330274429f;
    sum = sum * k - 1.821255978f;
    sum = sum * k + 1.781477937f;
    sum = sum * k - 0.356563782f;
    sum = sum * k + 0.319381530f;
    float value = 1.0f - density * sum * k;
    return negative ? 1.0f - value : value;
}

static float price_of(float s, float k, float r, float v, float t, int put)
{
    float deviation = v * sqrtf(t);
    float d1 = (logf(s / k) + (r + 0.5f * v * v) * t) / deviation;
    float n1 = cumulative_normal(d1);
    float n2 = cumulative_normal(d1 - deviation);
    float discounted = k * expf(-r * t);
    if (!put)
        return s * n1 - discounted * n2;
    return discounted * (1.0f - n2) - s * (1.0f - n1);
}

static void *price_slice(void *arg)
{
    int id = *(int *)arg;
    int share = option_count / thread_count;
    int first = id * share;
    int end = id == thread_count - 1 ? option_count : first + share;
    for (int run = 0; run < RUNS; run++) {
        for (int i = first; i < end; i++) { //~ slice
            float price = price_of(spot[i], strike[i], rate[i], volatility[i], years[i], is_put[i]);
            prices[i] = price;
        }
    }
    return NULL;
}

static void fail(const char *what)
{
    fprintf(stderr, "blackscholes: %s\n", what);
    exit(1);
}

static void read_options(const char *name)
{
    FILE *file = name ? fopen(name, "r") : stdin;
    if (!file)
        fail("cannot open the input");
    if (fscanf(file, "%d", &option_count) != 1 || option_count < 1)
        fail("cannot read the number of options");
    if (thread_count > option_count)
        fail("more threads than options");
    data = malloc(option_count * sizeof *data);
    prices = malloc(option_count * sizeof *prices);
    if (!data || !prices)
        fail("out of memory");
    for (int i = 0; i < option_count; i++) {
        struct option *o = &data[i];
        int n = fscanf(file, "%f %f %f %f %f %c", &o->spot, &o->strike, &o->rate, &o->volatility, &o->years, &o->kind);
        if (n != 6)
            fail("cannot read an option");
    }
    if (file != stdin && fclose(file) != 0)
        fail("cannot close the input");
}

static void split_parameters(void)
{
    float *all = malloc(5 * option_count * sizeof *all);
    is_put = malloc(option_count * sizeof *is_put);
    if (!all || !is_put)
        fail("out of memory");
    spot = all;
    strike = spot + option_count;
    rate = strike + option_count;
    volatility = rate + option_count;
    years = volatility + option_count;
    for (int i = 0; i < option_count; i++) {
        is_put[i] = data[i].kind == 'P' ? 1 : 0;
        spot[i] = data[i].spot;
        strike[i] = data[i].strike;
        rate[i] = data[i].rate;
        volatility[i] = data[i].volatility;
        years[i] = data[i].years;
    }
}

static void start(void *(*run)(void *), void *arg)
{
    int slot = 0;
    while (slot < MAX_THREADS && in_use[slot])
        slot++;
    if (slot == MAX_THREADS || pthread_create(&threads[slot], NULL, run, arg) != 0)
        fail("cannot start a thread");
    in_use[slot] = 1;
}

static void wait_for_all(void)
{
    for (int slot = 0; slot < MAX_THREADS && in_use[slot]; slot++) {
        pthread_join(threads[slot], NULL); //~ join
        in_use[slot] = 0;
    }
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: blackscholes THREADS [FILE]\n");
        return 2;
    }
    thread_count = atoi(argv[1]);
    if (thread_count < 1 || thread_count > MAX_THREADS)
        fail("the number of threads is between 1 and 16");
    read_options(argv[2]);
    split_parameters();
    printf("%d options, %d threads\n", option_count, thread_count);
    int *ids = malloc(thread_count * sizeof *ids);
    for (int i = 0; i < thread_count; i++) {
        ids[i] = i;
        start(price_slice, &ids[i]);
    }
    wait_for_all();
    free(ids);
    for (int i = 0; i < option_count; i++)
        printf("%.6f\n", prices[i]);
    free(data);
    free(prices);
    free(spot);
    free(is_put);
    return 0;
}
