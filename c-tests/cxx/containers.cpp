// The containers of the standard library, as far as they have code outside of headers: trees, lists, tables of hashes.
// exec:
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

int main()
{
    std::map<int, int> squares;
    for (int i = 0; i < 200; i++)
        squares[(i * 73) % 199] = i;
    for (int i = 0; i < 199; i += 3)
        squares.erase(i);
    long sum = 0, at = 0;
    for (auto &entry : squares)
        sum += entry.first * ++at;
    for (auto entry = squares.rbegin(); entry != squares.rend(); ++entry)
        sum -= entry->second;
    std::printf("%zu %ld %d\n", squares.size(), sum, squares.lower_bound(10)->first);
    std::multiset<std::string> words = {"b", "a", "c", "a"};
    words.erase(words.find("c"));
    for (const std::string &word : words)
        std::printf("%s ", word.c_str());
    std::list<int> numbers = {5, 3, 9, 1}, others = {2, 8};
    numbers.sort();
    others.splice(others.begin(), numbers);
    others.reverse();
    numbers.push_back(4);
    numbers.swap(others);
    for (int n : numbers)
        std::printf("%d ", n);
    std::unordered_map<std::string, int> counts;
    for (int i = 0; i < 300; i++)
        counts["word " + std::to_string(i % 50)]++;
    std::unordered_set<int> seen;
    for (int i = 0; i < 100; i++)
        seen.insert(i * i % 37);
    std::deque<int> ends = {2};
    ends.push_front(1);
    ends.push_back(3);
    std::printf("\n%zu %d %zu %d\n", counts.size(), counts["word 7"], seen.size(), ends.front() + ends.back());
    return 0;
}
