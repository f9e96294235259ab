/* The version of the headers, for programs in C and C++: #if SWIRL_VERSION >= SWIRL_VERSION_NUMBER(0, 1, 0). That of the library that
   is loaded: swirl_version() in C, swirl::version() in C++. */
#ifndef SWIRL_VERSION_H
#define SWIRL_VERSION_H

#define SWIRL_VERSION_MAJOR 0
#define SWIRL_VERSION_MINOR 1
#define SWIRL_VERSION_PATCH 0

#define SWIRL_VERSION_NUMBER(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define SWIRL_VERSION SWIRL_VERSION_NUMBER(SWIRL_VERSION_MAJOR, SWIRL_VERSION_MINOR, SWIRL_VERSION_PATCH)

#define SWIRL_VERSION_TEXT_OF(major, minor, patch) #major "." #minor "." #patch
#define SWIRL_VERSION_TEXT(major, minor, patch) SWIRL_VERSION_TEXT_OF(major, minor, patch)
/* "0.1.0" */
#define SWIRL_VERSION_STRING SWIRL_VERSION_TEXT(SWIRL_VERSION_MAJOR, SWIRL_VERSION_MINOR, SWIRL_VERSION_PATCH)

#endif
