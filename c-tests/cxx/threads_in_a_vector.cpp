// A vector of std::threads with lambdas and arguments; std::atomic counters, std::lock_guard, std::scoped_lock of two
// mutexes. Nothing can go wrong, whatever the argument.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: 4
// stdout: 3 threads, 6 times, 12 in all, 4
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

static std::atomic<int> times{0};
static std::mutex left, right;
static int in_all;

static void add(int n, int *total)
{
    std::scoped_lock both(left, right);
    *total += n;
}

int main(int argc, char **argv)
{
    int most = 0, given = std::atoi(argv[1]);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++) {
        threads.emplace_back([i, given, &most] {
            times.fetch_add(1);
            times++;
            add(4, &in_all);
            std::lock_guard<std::mutex> held(left);
            if (given > most && i >= 0)
                most = given;
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    std::printf("%zu threads, %d times, %d in all, %d\n", threads.size(), times.load(), in_all, most);
    return 0;
}
