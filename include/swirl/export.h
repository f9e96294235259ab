/* Marks what libswirl exports. Everything without the mark stays inside the shared library. */
#ifndef SWIRL_EXPORT_H
#define SWIRL_EXPORT_H

#if defined(__GNUC__)
#define SWIRL_API __attribute__((visibility("default")))
#else
#define SWIRL_API
#endif

#endif
