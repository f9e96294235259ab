#include <swirl/swirl.h>

#include <math.h>
#include <stdio.h>

int main(void) {
    /* Three periods of a cosine in 16 samples: the spectrum has two lines, 3 and 16 - 3. */
    double signal[16][2], spectrum[16][2];
    for (int i = 0; i < 16; ++i) {
        signal[i][0] = cos(2 * 3.14159265358979323846 * 3 * i / 16);
        signal[i][1] = 0;
    }

    swirl_plan* plan;
    if (swirl_plan_from_text("dft 16", NULL, &plan) != SWIRL_OK ||
        swirl_execute(plan, signal, spectrum) != SWIRL_OK) {
        fprintf(stderr, "%s\n", swirl_last_error());
        return 1;
    }

    printf("%s\n", swirl_plan_schedule(plan));
    for (int k = 0; k < 16; ++k) printf("%2d  %.3f\n", k, hypot(spectrum[k][0], spectrum[k][1]));
    swirl_plan_destroy(plan);
    return 0;
}
