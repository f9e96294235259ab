/* A library that has a name alone. ISO C wants a declaration. */
typedef int swirl_empty;
