// Who promised the value does not set it if the argument is negative, and lives on: main waits for ever.
// run: enumerate -- @
// expect: complete=true deadlocked=1
// constraint: atoi(argv[1]) < 0
// exec: 3
// stdout: 3
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

static std::promise<int> promise;

int main(int argc, char **argv)
{
    int n = std::atoi(argv[1]);
    std::future<int> promised = promise.get_future();
    std::thread keeper([n] {
        if (n >= 0)
            promise.set_value(n);
    });
    std::printf("%d\n", promised.get());
    keeper.join();
    return 0;
}
