/**
 * Certificates: an authority that issues them, and files that are watched for replacements.
 *
 * In: names, keys and paths. Out: PEM text. `der.ts` encodes the ASN.1 types of X.509. Needs only node:crypto and node:fs.
 */
export {
  type CertificateAuthority,
  type CertificateKeyPair,
  type CertificateSubject,
  createCertificateAuthority,
} from "./certificate-authority.ts";
export { type CertificateFiles, type CertificateFilesOptions, watchCertificateFiles } from "./certificate-files.ts";
