#pragma once

#include <swirl/version.hpp>
