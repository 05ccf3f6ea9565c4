#include <iostream>

#include "driver/driver.h"

int main(int argc, char** argv) {
    return strc::driver::run(argc, argv, std::cout, std::cerr);
}
