// A queue with a std::condition_variable: the consumer waits until there is something or the queue is closed.
//
// By hand: the number of jobs is known, so there is one schedule, and nobody waits for ever.
// run: enumerate
// expect: complete=true deadlocked=0 schedules>=1
// exec:
// stdout: 6
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <queue>
#include <thread>

class Queue {
    std::mutex lock;
    std::condition_variable filled;
    std::queue<int> items;
    bool closed = false;

public:
    void put(int item)
    {
        std::lock_guard<std::mutex> held(lock);
        items.push(item);
        filled.notify_one();
    }

    void close()
    {
        std::lock_guard<std::mutex> held(lock);
        closed = true;
        filled.notify_all();
    }

    bool take(int &item)
    {
        std::unique_lock<std::mutex> held(lock);
        filled.wait(held, [this] { return !items.empty() || closed; });
        if (items.empty())
            return false;
        item = items.front();
        items.pop();
        return true;
    }
};

int main()
{
    Queue queue;
    int sum = 0;
    std::thread consumer([&queue, &sum] {
        for (int item; queue.take(item);)
            sum += item;
    });
    for (int i = 1; i <= 3; i++)
        queue.put(i);
    queue.close();
    consumer.join();
    std::printf("%d\n", sum);
    return 0;
}
