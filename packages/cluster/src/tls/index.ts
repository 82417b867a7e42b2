/**
 * Certificates for a cluster of one's own: an authority made at start, the server's certificate and those of its
 * clients. Comes in: names. Goes out: PEM text. Needs nothing but node:crypto.
 */
export { type Authority, authority, type KeyPair, type Subject } from "./certificate.ts";
