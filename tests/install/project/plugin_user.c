int plugin_works(void);

int main(void) { return plugin_works() ? 0 : 1; }
