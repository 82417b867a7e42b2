/**
 * Certificates: an authority that signs, the few ASN.1 types that takes, and files that are followed while they change.
 * In come names and paths; out come PEM texts. Needs nothing but node:crypto and node:fs.
 */
export { type Authority, authority, type KeyPair, type Subject } from "./authority.ts";
export { type CertificateFiles, certificateFiles, type FilesTools } from "./certificate-files.ts";
