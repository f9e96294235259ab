#pragma once

#include "cufft/plan.hpp"

#include <memory>

/// Memory that cuFFT's multi-GPU functions pass: here of the plan's one GPU.
namespace swirl::cufft {

Descriptor* make_descriptor(const Plan& plan, SubFormat format);
void free_descriptor(Descriptor* descriptor);

/// Copies all of the descriptor's memory, after all work on the GPU, and waits.
void copy_to_descriptor(const Plan& plan, Descriptor* to, const void* from);
void copy_from_descriptor(const Plan& plan, void* to, const Descriptor* from);
void copy_between_descriptors(const Plan& plan, Descriptor* to, const Descriptor* from);

void* data_of(const Descriptor* descriptor);

} // namespace swirl::cufft
