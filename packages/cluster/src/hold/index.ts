/**
 * What the drop-in etcd and a store that it holds agree on. A connection begins as a GET of /version that asks for an
 * upgrade to PROTOCOL; a real etcd answers it as any other. Then lines go over it, each a JSON array: from the holder
 * `["put", revision, key, value]` for all it has, and `["revision", n]`; from the store, for ever after, its commits,
 * `["put", ...]` and `["delete", revision, key]`. No code: both sides load it, and one of them loads little else.
 */

/** The number changes with the lines. */
export const PROTOCOL = "pintle-store.1";
/** The header that says whose objects are meant: those of several prefixes are kept apart. */
export const PREFIX = "pintle-prefix";
export const DEFAULT_PREFIX = "/registry";
