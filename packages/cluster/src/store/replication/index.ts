/**
 * Protocol between the drop-in kube-apiserver's store and the drop-in etcd. A connection starts as a GET of /version that requests an upgrade
 * to REPLICATION_PROTOCOL; a real etcd responds to it as to any other request. After the upgrade both sides send JSON arrays, one per line:
 * the drop-in etcd sends `["put", revision, key, value]` for every object and then `["revision", n]`; the store sends its commits from then on,
 * `["put", ...]` and `["delete", revision, key]`. Constants only: the drop-in etcd loads this file and little else.
 */

/** Name of the upgrade protocol; the number changes with the record format. */
export const REPLICATION_PROTOCOL = "pintle-store.1";
/** Request header with the key prefix: objects of different prefixes are independent. */
export const PREFIX_HEADER = "pintle-prefix";
export const DEFAULT_PREFIX = "/registry";
