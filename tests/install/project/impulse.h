/* The spectrum of an impulse is flat. */
#include <swirl/swirl.h>

#include <stdio.h>

static int spectrum_is_flat(void) {
    double x[32] = {1}, y[32];
    swirl_plan* plan = NULL;
    int k = 0;
    if (swirl_plan_from_text("dft 16", NULL, &plan) != SWIRL_OK || swirl_execute(plan, x, y) != SWIRL_OK) {
        puts(swirl_last_error());
        return 0;
    }
    swirl_plan_destroy(plan);
    for (k = 0; k < 16; ++k)
        if (y[2 * k] != 1 || y[2 * k + 1] != 0) return 0;
    return 1;
}
