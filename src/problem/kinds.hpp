#pragma once

#include <swirl/kinds.hpp>
