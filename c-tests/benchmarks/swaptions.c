// The parallel structure of PARSEC's swaptions: fork and join, and nothing else. Each thread prices its own slice of the
// swaptions by simulation: paths of forward rates after Heath, Jarrow and Morton, with random numbers of a generator that
// belongs to the swaption, so that prices do not depend on the number of threads.
//
// Usage: swaptions [-ns SWAPTIONS] [-sm SIMULATIONS] [-nt THREADS] [-sd SEED]
// exec: -ns 5 -sm 12 -nt 2
// stdout: 5 swaptions, 12 simulations, 2 threads, seed 1979
// stdout: swaption 0: 0.00000000 +- 0.00000000
// stdout: swaption 1: 0.00549531 +- 0.00301317
// stdout: swaption 2: 0.01912182 +- 0.00534918
// stdout: swaption 3: 0.04064214 +- 0.00619064
// stdout: swaption 4: 0.06758437 +- 0.00522355
// exec: -ns 5 -sm 12 -nt 4
// exec: -nt 4 -sm 3 -ns 4 -sd 7
// exec: -ns 2 -nt 4
// stderr: more threads than swaptions
// exit: 1
// exec: -nt 0
// exit: 2
// exec: -nt
// exit: 2
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 64
#define FACTORS 3
#define STEPS 11

struct swaption {
    int id, steps, payments;
    double price, error; // what is computed: mean of the simulations, and its standard error
    double strike, years, maturity, tenor, interval;
    double yields[STEPS];
    double factors[FACTORS][STEPS - 1];
};

static struct swaption *swaptions;
static int swaption_count = 4, simulations = 20, thread_count = 1;
static long seed = 1979;

static void *memory(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) {
        fprintf(stderr, "swaptions: out of memory\n");
        exit(1);
    }
    return p;
}

// Park and Miller's generator, by Schrage's division.
static double uniform(long *state)
{
    long high = *state / 127773;
    long next = 16807 * (*state - high * 127773) - high * 2836;
    *state = next < 0 ? next + 2147483647 : next;
    return *state / 2147483648.0;
}

// The inverse of the normal distribution: a quotient of polynomials in the middle, a power series of a logarithm outside.
static double normal_of(double u)
{
    static const double a[] = { 2.50662823884, -18.61500062529, 41.39119773534, -25.44106049637 };
    static const double b[] = { -8.4735109309, 23.08336743743, -21.06224101826, 3.13082909833 };
    static const double c[] = { 0.3374754822726147, 0.9761690190917186, 0.1607979714918209,
                                0.0276438810333863, 0.0038405729373609, 0.0003951896511919,
                                0.0000321767881768, 0.0000002888167364, 0.0000003960315187 };
    double x = u - 0.5;
    if (fabs(x) < 0.42) {
        double r = x * x;
        return x * (((a[3] * r + a[2]) * r + a[1]) * r + a[0]) / ((((b[3] * r + b[2]) * r + b[1]) * r + b[0]) * r + 1.0);
    }
    double r = log(-log(x > 0.0 ? 1.0 - u : u)), sum = c[8];
    for (int i = 7; i >= 0; i--)
        sum = sum * r + c[i];
    return x > 0.0 ? sum : -sum;
}

// Forward rates of the intervals from the yields at their ends.
static void forward_rates(double *forward, int count, const double *yields)
{
    forward[0] = yields[0];
    for (int i = 1; i < count; i++)
        forward[i] = (i + 1) * yields[i] - i * yields[i - 1];
}

// Drifts that leave no arbitrage: sums of the factors' volatilities.
static void drifts(double *total, const struct swaption *s, double step)
{
    for (int i = 0; i < s->steps - 1; i++) {
        total[i] = 0.0;
        for (int f = 0; f < FACTORS; f++) {
            double upto = 0.0;
            for (int j = 0; j <= i; j++)
                upto += s->factors[f][j];
            double before = upto - s->factors[f][i];
            total[i] += 0.5 * step * (upto * upto - before * before);
        }
    }
}

// One path: row i has the forward rates at time i.
static void simulate_path(double *path, const struct swaption *s, const double *forward, const double *drift, long *state)
{
    int n = s->steps;
    double step = s->years / n, root = sqrt(step);
    for (int j = 0; j < n; j++)
        path[j] = forward[j];
    for (int i = 1; i < n; i++) {
        double shock[FACTORS];
        for (int f = 0; f < FACTORS; f++)
            shock[f] = normal_of(uniform(state));
        for (int j = 0; j + i < n; j++) {
            double change = 0.0;
            for (int f = 0; f < FACTORS; f++)
                change += s->factors[f][j] * shock[f];
            path[i * n + j] = path[(i - 1) * n + j + 1] + drift[j] * step + root * change;
        }
    }
}

// What the path pays: the swap's value at maturity if it is positive, discounted along the short rates.
static double payoff(const double *path, const struct swaption *s)
{
    int n = s->steps;
    double step = s->years / n, discount = 0.0, value = -1.0, annuity = 0.0;
    int start = (int)(s->maturity / step + 0.5);
    if (start >= n)
        start = n - 1;
    for (int i = 0; i < start; i++)
        discount += path[i * n] * step;
    double rates = 0.0, last = 1.0;
    for (int j = 0; j + start < n && j < s->payments; j++) {
        rates += path[start * n + j] * step;
        last = exp(-rates);
        annuity += s->strike * s->interval * last;
    }
    value += annuity + last;
    return value > 0.0 ? value * exp(-discount) : 0.0;
}

static void price_swaption(struct swaption *s, long state)
{
    double *forward = memory(s->steps, sizeof *forward), *drift = memory(s->steps, sizeof *drift);
    double *path = memory((size_t)s->steps * s->steps, sizeof *path);
    double sum = 0.0, squares = 0.0;
    forward_rates(forward, s->steps, s->yields);
    drifts(drift, s, s->years / s->steps);
    for (int i = 0; i < simulations; i++) {
        simulate_path(path, s, forward, drift, &state);
        double paid = payoff(path, s);
        sum += paid;
        squares += paid * paid;
    }
    s->price = sum / simulations;
    double variance = simulations > 1 ? (squares - sum * sum / simulations) / (simulations - 1.0) : 0.0;
    s->error = variance > 0.0 ? sqrt(variance / simulations) : 0.0;
    free(forward);
    free(drift);
    free(path);
}

static void *worker(void *arg)
{
    int id = *(int *)arg;
    int share = swaption_count / thread_count;
    int first = id * share;
    int end = id == thread_count - 1 ? swaption_count : first + share;
    for (int i = first; i < end; i++)
        price_swaption(&swaptions[i], seed + 100 * i);
    return NULL;
}

static void fill_in(struct swaption *s, int id)
{
    s->id = id;
    s->steps = STEPS;
    s->years = 5.5;
    s->maturity = 1.0;
    s->tenor = 2.0;
    s->interval = 0.5;
    s->payments = (int)(s->tenor / s->interval + 0.5);
    s->strike = 0.12 + 0.11 * (id % 8) / 8.0;
    for (int i = 0; i < STEPS; i++)
        s->yields[i] = 0.1 + 0.005 * i;
    for (int i = 0; i < STEPS - 1; i++) {
        s->factors[0][i] = 0.01;
        s->factors[1][i] = 0.0095 - 0.00045 * i;
        s->factors[2][i] = 0.001 - 0.00025 * i;
    }
}

static int usage(void)
{
    fprintf(stderr, "usage: swaptions [-ns SWAPTIONS] [-sm SIMULATIONS] [-nt THREADS] [-sd SEED]\n");
    return 2;
}

int main(int argc, char **argv)
{
    pthread_t *threads;
    int *ids;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            return usage();
        if (strcmp(argv[i], "-ns") == 0)
            swaption_count = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "-sm") == 0)
            simulations = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "-nt") == 0)
            thread_count = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "-sd") == 0)
            seed = atol(argv[i + 1]);
        else
            return usage();
    }
    if (thread_count < 1 || thread_count > MAX_THREADS || simulations < 1 || seed < 1)
        return usage();
    if (swaption_count < thread_count) {
        fprintf(stderr, "swaptions: more threads than swaptions\n");
        return 1;
    }
    printf("%d swaptions, %d simulations, %d threads, seed %ld\n", swaption_count, simulations, thread_count, seed);
    swaptions = memory(swaption_count, sizeof *swaptions);
    for (int i = 0; i < swaption_count; i++)
        fill_in(&swaptions[i], i);
    threads = memory(thread_count, sizeof *threads);
    ids = memory(thread_count, sizeof *ids);
    for (int i = 0; i < thread_count; i++) {
        ids[i] = i;
        if (pthread_create(&threads[i], NULL, worker, &ids[i]) != 0) {
            fprintf(stderr, "swaptions: cannot start a thread\n");
            return 1;
        }
    }
    for (int i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < swaption_count; i++)
        printf("swaption %d: %.8f +- %.8f\n", swaptions[i].id, swaptions[i].price, swaptions[i].error);
    free(threads);
    free(ids);
    free(swaptions);
    return 0;
}
