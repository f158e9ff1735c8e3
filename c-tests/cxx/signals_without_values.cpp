// Promises, tasks and futures that only say that something is done.
// exec:
// run: enumerate
// run: check
// expect: complete=true deadlocked=0
#include <cstdio>
#include <future>
#include <thread>

int main() {
    std::promise<void> done;
    std::thread t([&] { done.set_value(); });
    done.get_future().wait();
    t.join();
    std::packaged_task<void()> task([] { std::puts("task"); });
    std::future<void> end = task.get_future();
    task();
    end.get();
    std::async(std::launch::async, [] {}).get();
    return 0;
}
