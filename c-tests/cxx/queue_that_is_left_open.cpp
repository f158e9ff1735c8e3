// The same queue, but nobody closes it when the argument is 0: the consumer waits at the condition variable for ever.
// run: enumerate -- @
// expect: complete=true deadlocked=1
// constraint: atoi(argv[1]) == 0
// holds: 0 -> deadlock
// exec: 1
// stdout: closed
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool closed;

int main(int argc, char **argv)
{
    bool closes = std::atoi(argv[1]) != 0;
    std::thread consumer([] {
        std::unique_lock<std::mutex> held(lock);
        while (!closed)
            changed.wait(held);
        std::cout << "closed\n";
    });
    if (closes) {
        std::lock_guard<std::mutex> held(lock);
        closed = true;
        changed.notify_one();
    }
    consumer.join();
    return 0;
}
