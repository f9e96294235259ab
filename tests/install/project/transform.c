#include "impulse.h"

int main(void) {
    puts(swirl_version());
    return spectrum_is_flat() ? 0 : 1;
}
