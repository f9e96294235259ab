/* The snippet of docs/c-api.md is between its name in brackets and "[end]". */
#include <swirl/swirl.h>

#include <stdio.h>

int main(void) {
    // [options]
    swirl_options options = SWIRL_OPTIONS_INIT;
    options.device = SWIRL_GPU;
    options.effort = SWIRL_MEASURE;
    swirl_plan* plan;
    const swirl_status status = swirl_plan_from_text("dft 1024 float32 batch=1000", &options, &plan);
    // [end]
    if (status == SWIRL_OK)
        swirl_plan_destroy(plan);
    else
        printf("%s\n", swirl_last_error());
    return status == SWIRL_OK || status == SWIRL_UNAVAILABLE ? 0 : 1;
}
