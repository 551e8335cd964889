/* Static data that comes and goes with a library.  */

unsigned char library_data[3 << 16];
