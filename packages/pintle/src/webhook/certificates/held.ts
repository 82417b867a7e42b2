import { createPrivateKey, X509Certificate } from "node:crypto";
import { authority, type KeyPair } from "../../tls/index.ts";

/** What all replicas of an operator share. */
export interface Held {
  /** PEM certificates of every authority that is to be trusted, the one that signs first. */
  readonly bundle: string;
  /** Of the one that signs. */
  readonly authorityKey: string;
  /** What is served with. */
  readonly leaf: KeyPair;
  /** When the one that signs was first told to those who trust; milliseconds. */
  readonly since: number;
}

export interface Lifetimes {
  readonly authority: number;
  readonly leaf: number;
  /** How long a new authority is trusted before it signs what is served, and an old one after that. */
  readonly overlap: number;
}
const HOUR = 3_600_000;
export const LIFETIMES: Lifetimes = { authority: 365 * 24 * HOUR, leaf: 90 * 24 * HOUR, overlap: HOUR };

export interface Renewal {
  readonly now: number;
  /** The names that the server is reached by. */
  readonly names: readonly string[];
  readonly lifetimes: Lifetimes;
  /** Everybody who asks has been told to trust `bundle`, long enough to have heard it. */
  readonly published: boolean;
}

/** What should be held now: the same value when nothing is due. Each is replaced when a third of its life is left. */
export function renewed(held: Held | undefined, renewal: Renewal): Held {
  const { now, names, lifetimes, published } = renewal;
  const known = held === undefined ? undefined : read(held);
  if (held === undefined || known === undefined || expiry(known.signer) <= now) return fresh(renewal);
  if (now >= renewAt(known.signer, lifetimes.authority)) {
    const next = authority(NAME, now, undefined, lifetimes.authority);
    const old = known.trusted.filter((each) => expiry(each) > now).map(pemOf);
    return { ...held, bundle: [next.certificate, ...old].join(""), authorityKey: next.key, since: now };
  }
  const bySigner = known.leaf.checkIssued(known.signer) && known.leaf.verify(known.signer.publicKey);
  const isDue = now >= renewAt(known.leaf, lifetimes.leaf) || !sameNames(known.leaf, names);
  const mayMove = published && now >= held.since + lifetimes.overlap;
  const leaf = () => {
    const signer = authority(NAME, now, { certificate: pemOf(known.signer), key: held.authorityKey });
    return signer.server({ commonName: names[0]! }, names, Math.min(lifetimes.leaf, expiry(known.signer) - now));
  };
  if (bySigner ? isDue : mayMove || expiry(known.leaf) <= now) return { ...held, leaf: leaf() };
  if (bySigner && known.trusted.length > 1 && published && now >= held.since + 2 * lifetimes.overlap)
    return { ...held, bundle: pemOf(known.signer) };
  return held;
}

/** When `renewed` will next have something to do; milliseconds since 1970. */
export function due(held: Held, lifetimes: Lifetimes): number {
  const known = read(held);
  if (known === undefined) return 0;
  const moving = known.trusted.length > 1 ? [held.since + lifetimes.overlap * (known.leaf.checkIssued(known.signer) ? 2 : 1)] : [];
  return Math.min(renewAt(known.signer, lifetimes.authority), renewAt(known.leaf, lifetimes.leaf), ...moving);
}

/** When what is served with stops being good. */
export function leafExpiry({ leaf }: Held): number {
  return expiry(new X509Certificate(leaf.certificate));
}

const NAME = "pintle-webhooks";

function fresh({ now, names, lifetimes }: Renewal): Held {
  const signer = authority(NAME, now, undefined, lifetimes.authority);
  const leaf = signer.server({ commonName: names[0]! }, names, Math.min(lifetimes.leaf, lifetimes.authority));
  // Nobody trusts anything yet, so there is nothing to wait for.
  return { bundle: signer.certificate, authorityKey: signer.key, leaf, since: now - 2 * lifetimes.overlap };
}

interface Known {
  readonly signer: X509Certificate;
  readonly trusted: readonly X509Certificate[];
  readonly leaf: X509Certificate;
}

/** Undefined for what does not fit together: somebody has edited it. */
function read({ bundle, authorityKey, leaf }: Held): Known | undefined {
  try {
    const trusted = (bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
      (pem) => new X509Certificate(pem),
    );
    const [signer] = trusted;
    const served = new X509Certificate(leaf.certificate);
    if (signer === undefined || !signer.checkPrivateKey(createPrivateKey(authorityKey))) return undefined;
    if (!served.checkPrivateKey(createPrivateKey(leaf.key))) return undefined;
    if (!trusted.some((each) => served.checkIssued(each) && served.verify(each.publicKey))) return undefined;
    return { signer, trusted, leaf: served };
  } catch {
    return undefined;
  }
}

const expiry = ({ validTo }: X509Certificate) => Date.parse(validTo);
const renewAt = (certificate: X509Certificate, lifetime: number) => expiry(certificate) - lifetime / 3;
const pemOf = (certificate: X509Certificate) => certificate.toString();

function sameNames({ subjectAltName = "" }: X509Certificate, names: readonly string[]): boolean {
  const has = subjectAltName.split(", ").map((each) => each.replace(/^(DNS|IP Address):/, ""));
  const wants = names.map((name) => name.toLowerCase());
  return has.length === wants.length && wants.every((name) => has.includes(name));
}
