/* What jemalloc is told before anything of it runs; in C, since Rust would
   export the symbol from the shared library.

   narenas:1              its own arena serves nobody: threads are bound to ours
   retain:false           what it does not need goes back to the slab layer, where every arena
                          can have it, and none of its locks is held while a slab is obtained
   dirty_decay_ms:1000    for the same reason not its ten seconds
   muzzy_decay_ms:0       no page is ever purged, so this is a second list of the same
   oversize_threshold     a freed block of 4 MiB or more is at once anybody's
   cache_oblivious:false  large blocks begin at a page, so that no page is in use by host and
                          device for different blocks, and 2 MiB are not 2 MiB and a page
   dss:disabled           the program break is the program's  */

const char *_rjem_malloc_conf
  = "narenas:1,retain:false,dirty_decay_ms:1000,muzzy_decay_ms:0,oversize_threshold:4194304,"
    "cache_oblivious:false,dss:disabled";
