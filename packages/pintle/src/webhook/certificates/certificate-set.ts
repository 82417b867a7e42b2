import { createPrivateKey, X509Certificate } from "node:crypto";
import { splitPemBlocks } from "../../text/index.ts";
import { type CertificateKeyPair, createCertificateAuthority } from "../../tls/index.ts";

/** The certificates that all replicas of an operator share. */
export interface CertificateSet {
  /** PEM certificates of every trusted certificate authority, the signing one first. */
  readonly caBundle: string;
  /** The private key of the signing certificate authority. */
  readonly caKey: string;
  /** The serving certificate. */
  readonly leaf: CertificateKeyPair;
  /** When the signing certificate authority was first added to `caBundle`; milliseconds since 1970. */
  readonly trustedSince: number;
}

/** Lifetimes in milliseconds. */
export interface CertificateLifetimes {
  /** The lifetime of a certificate authority. Default: 365 days. */
  readonly authority: number;
  /** The lifetime of a serving certificate. Default: 90 days. */
  readonly leaf: number;
  /** How long a new authority is trusted before it signs, and an old one after that. Default: one hour. */
  readonly overlap: number;
}
const HOUR = 3_600_000;
export const DEFAULT_LIFETIMES: CertificateLifetimes = { authority: 365 * 24 * HOUR, leaf: 90 * 24 * HOUR, overlap: HOUR };

/** The input of `renewCertificates` besides the current certificates. */
export interface RenewalContext {
  readonly now: number;
  /** The DNS names and IP addresses of the webhook server. */
  readonly names: readonly string[];
  readonly lifetimes: CertificateLifetimes;
  /** Whether `caBundle` has been in all webhook configurations for long enough that every API server has read it. */
  readonly published: boolean;
}

/** Returns the certificates to use from now on, the same object when nothing is due. A certificate is renewed at two thirds of its lifetime. */
export function renewCertificates(current: CertificateSet | undefined, renewal: RenewalContext): CertificateSet {
  const { now, names, lifetimes, published } = renewal;
  const parsed = current === undefined ? undefined : parseCertificates(current);
  if (current === undefined || parsed === undefined || getExpiry(parsed.signer) <= now) return issueInitialSet(renewal);
  if (now >= renewAt(parsed.signer, lifetimes.authority)) {
    const next = createCertificateAuthority(CA_COMMON_NAME, now, undefined, lifetimes.authority);
    const old = parsed.trusted.filter((each) => getExpiry(each) > now).map(pemOf);
    return { ...current, caBundle: [next.certificate, ...old].join(""), caKey: next.key, trustedSince: now };
  }
  const isSignedByCurrentCa = parsed.leaf.checkIssued(parsed.signer) && parsed.leaf.verify(parsed.signer.publicKey);
  const isDue = now >= renewAt(parsed.leaf, lifetimes.leaf) || !hasSameNames(parsed.leaf, names);
  const canUseNewCa = published && now >= current.trustedSince + lifetimes.overlap;
  const leaf = () => {
    const signer = createCertificateAuthority(CA_COMMON_NAME, now, { certificate: pemOf(parsed.signer), key: current.caKey });
    return signer.issueServerCertificate({ commonName: names[0]! }, names, Math.min(lifetimes.leaf, getExpiry(parsed.signer) - now));
  };
  if (isSignedByCurrentCa ? isDue : canUseNewCa || getExpiry(parsed.leaf) <= now) return { ...current, leaf: leaf() };
  if (isSignedByCurrentCa && parsed.trusted.length > 1 && published && now >= current.trustedSince + 2 * lifetimes.overlap)
    return { ...current, caBundle: pemOf(parsed.signer) };
  return current;
}

/** Returns when `renewCertificates` is next due; milliseconds since 1970. */
export function nextRenewalTime(current: CertificateSet, lifetimes: CertificateLifetimes): number {
  const parsed = parseCertificates(current);
  if (parsed === undefined) return 0;
  const rotationSteps =
    parsed.trusted.length > 1 ? [current.trustedSince + lifetimes.overlap * (parsed.leaf.checkIssued(parsed.signer) ? 2 : 1)] : [];
  return Math.min(renewAt(parsed.signer, lifetimes.authority), renewAt(parsed.leaf, lifetimes.leaf), ...rotationSteps);
}

/** Returns when the serving certificate expires; milliseconds since 1970. */
export function getLeafExpiry({ leaf }: CertificateSet): number {
  return getExpiry(new X509Certificate(leaf.certificate));
}

const CA_COMMON_NAME = "pintle-webhooks";

function issueInitialSet({ now, names, lifetimes }: RenewalContext): CertificateSet {
  const signer = createCertificateAuthority(CA_COMMON_NAME, now, undefined, lifetimes.authority);
  const leaf = signer.issueServerCertificate({ commonName: names[0]! }, names, Math.min(lifetimes.leaf, lifetimes.authority));
  // No API server trusts another authority yet, so there is no overlap to wait for.
  return { caBundle: signer.certificate, caKey: signer.key, leaf, trustedSince: now - 2 * lifetimes.overlap };
}

interface ParsedCertificates {
  readonly signer: X509Certificate;
  readonly trusted: readonly X509Certificate[];
  readonly leaf: X509Certificate;
}

/** Parses the certificates. Returns undefined if keys and certificates do not match. */
function parseCertificates({ caBundle, caKey, leaf }: CertificateSet): ParsedCertificates | undefined {
  try {
    const trusted = splitPemBlocks(caBundle)
      .filter(({ type }) => type === "CERTIFICATE")
      .map(({ text }) => new X509Certificate(text));
    const [signer] = trusted;
    const servingCertificate = new X509Certificate(leaf.certificate);
    if (signer === undefined || !signer.checkPrivateKey(createPrivateKey(caKey))) return undefined;
    if (!servingCertificate.checkPrivateKey(createPrivateKey(leaf.key))) return undefined;
    if (!trusted.some((each) => servingCertificate.checkIssued(each) && servingCertificate.verify(each.publicKey))) return undefined;
    return { signer, trusted, leaf: servingCertificate };
  } catch {
    return undefined;
  }
}

const getExpiry = ({ validTo }: X509Certificate) => Date.parse(validTo);
const renewAt = (certificate: X509Certificate, lifetime: number) => getExpiry(certificate) - lifetime / 3;
const pemOf = (certificate: X509Certificate) => certificate.toString();

function hasSameNames({ subjectAltName = "" }: X509Certificate, names: readonly string[]): boolean {
  const certificateNames = subjectAltName.split(", ").map((each) => each.replace(/^(DNS|IP Address):/, ""));
  const expectedNames = names.map((name) => name.toLowerCase());
  return certificateNames.length === expectedNames.length && expectedNames.every((name) => certificateNames.includes(name));
}
