// std::async, std::promise, std::packaged_task: a value is waited for, and is there.
// run: enumerate
// expect: complete=true deadlocked=0
// exec:
// stdout: 7 5 36
#include <cstdio>
#include <future>
#include <thread>

int main()
{
    std::future<int> started = std::async(std::launch::async, [] { return 7; });
    std::promise<int> promise;
    std::future<int> promised = promise.get_future();
    std::thread keeper([&promise] { promise.set_value(5); });
    std::packaged_task<int(int)> square([](int n) { return n * n; });
    std::future<int> squared = square.get_future();
    std::thread worker(std::move(square), 6);
    std::printf("%d %d %d\n", started.get(), promised.get(), squared.get());
    keeper.join();
    worker.join();
    return 0;
}
