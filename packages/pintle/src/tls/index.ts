/**
 * Certificates: an authority that issues them, signing requests, and files that are watched for replacements.
 *
 * In: names, keys and paths. Out: PEM text. `der.ts` encodes the ASN.1 types of X.509, `der-reader.ts` reads them. Needs only node:crypto and node:fs.
 */
export {
  type CertificateAuthority,
  type CertificateKeyPair,
  type CertificateSubject,
  createCertificateAuthority,
} from "./certificate-authority.ts";
export { type CertificateFiles, type CertificateFilesOptions, watchCertificateFiles } from "./certificate-files.ts";
export { type CertificateRequest, type IssueOptions, issueCertificate, parseCertificateRequest } from "./certificate-request.ts";
