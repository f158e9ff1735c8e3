// Recursive, timed and shared mutexes, std::call_once, clocks, and the ways to wait for a time.
// exec:
// stdout: 3 1 1 2 1
// run: enumerate
// expect: deadlocked=0
// status: 0 3
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::recursive_mutex again;
static std::timed_mutex timed;
static std::shared_mutex shared;
static std::once_flag once;
static int locked, started;

static void start()
{
    std::call_once(once, [] { started++; });
}

static void reader(int *seen)
{
    std::shared_lock<std::shared_mutex> held(shared);
    start();
    *seen = 1;
}

int main()
{
    int seen[2] = {0, 0};
    std::thread one(reader, &seen[0]), other(reader, &seen[1]);
    {
        std::lock_guard<std::recursive_mutex> outer(again);
        std::lock_guard<std::recursive_mutex> inner(again);
        locked = 2;
    }
    if (timed.try_lock()) {
        locked++;
        timed.unlock();
    }
    std::this_thread::yield();
    one.join();
    other.join();
    bool some = std::thread::hardware_concurrency() > 0;
    std::printf("%d %d %d %d %d\n", locked, started, seen[0] & seen[1], seen[0] + seen[1], some);
    return 0;
}
