/** Certificates for a cluster of one's own are pintle's: an authority made at start, the server's certificate and those of its clients. */
export { type Authority, authority, type KeyPair, type Subject } from "pintle/tls";
