//! Calls of libgomp become calls of the runtime beside it.

use offmem_abi::PREFIX;

use crate::bridge;
use crate::site::Site;

/// Redirects every call of the current function that the table names.
pub(crate) fn current_function() {
    bridge::each_call(|call| {
        let Some(entry) = offmem_abi::entry(call.callee()) else {
            return;
        };
        let name = format!("{PREFIX}{}", entry.name);
        let site = Site::of(call, entry.hostaddrs);
        bridge::dump(&site.describe(entry.name, &name));
        call.redirect(&bridge::c_string(&name), site.emit());
    });
}
