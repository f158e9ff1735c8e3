// Streams: numbers in all their forms, widths and fillings, streams of strings, files, and input.
// exec:
// stdin: 41 hello 2.5
// stdin: a whole line
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

struct Point {
    float x, y;
};

static std::ostream &operator<<(std::ostream &out, const Point &p)
{
    return out << '(' << p.x << ", " << p.y << ')';
}

int main()
{
    std::cout << "numbers " << 42 << ' ' << -7L << ' ' << 5ul << ' ' << 1.5 << ' ' << 0.1f << ' ' << 1e10 << std::endl;
    std::cout << std::setw(6) << 7 << std::setfill('*') << std::setw(8) << -1.25 << std::left << std::setw(5) << "ab";
    std::cout << std::hex << std::showbase << 255 << std::internal << std::setw(8) << 16 << std::dec << std::noshowbase;
    std::cout << std::boolalpha << true << std::noboolalpha << false << std::showpos << 3 << std::noshowpos << '\n';
    std::cout << std::fixed << std::setprecision(2) << 3.14159 << ' ' << std::scientific << 12345.678 << '\n';
    std::cout.unsetf(std::ios_base::floatfield);
    std::cout << std::setprecision(6) << Point{1.5f, -2} << ' ' << (const void *)nullptr << ' ' << (short)-3 << '\n';

    std::ostringstream made;
    made << "x=" << 1 << std::setw(4) << std::right << std::setfill(' ') << 2;
    std::stringstream both;
    both << 7 << ' ' << 8.5 << " word";
    int seven;
    double eight;
    std::string word;
    both >> seven >> eight >> word;
    std::cout << made.str() << ' ' << seven * eight << ' ' << word << ' ' << both.eof() << '\n';

    int number;
    double real;
    std::string line;
    std::cin >> number >> word >> real;
    std::getline(std::cin, line);
    std::getline(std::cin, line);
    std::cout << number + 1 << word << real << line << !std::getline(std::cin, line) << '\n';

    {
        std::ofstream file("written.tmp", std::ios::binary);
        Point p = {0.5f, 8};
        file.write(reinterpret_cast<char *>(&p), sizeof p);
        file << "word " << 12 << "\nnext line\n";
    }
    std::ifstream file("written.tmp", std::ios::binary);
    Point p;
    file.read(reinterpret_cast<char *>(&p), sizeof p);
    file >> word >> number;
    std::getline(file, line);
    std::getline(file, line);
    std::cout << p << word << number << line << file.good() << file.is_open() << '\n';
    file.seekg(0);
    file.read(reinterpret_cast<char *>(&p), sizeof p);
    std::cout << p.y << ' ' << file.tellg() << '\n';
    file.close();
    file.open("not.there");
    std::cout << !file << std::endl;
    std::remove("written.tmp");
    std::cerr << "error " << 5 << '\n';
    std::clog << "log" << std::flush;
    return 0;
}
