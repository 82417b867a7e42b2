import { type KeyObject, verify } from "node:crypto";
import { type Descriptor, type ImageStore, parseImageManifest } from "../image/index.ts";
import { attachmentTag, BUNDLE_MEDIA_TYPE, findManifest, findReferrers } from "./attachments.ts";
import { type DsseEnvelope, verifyEnvelope } from "./envelope.ts";
import { ENVELOPE_MEDIA_TYPE, SIGNATURE_ANNOTATION, SIGNATURE_TYPE, SIMPLE_SIGNING_MEDIA_TYPE } from "./sign-image.ts";
import { PREDICATE_TYPES, readStatement, STATEMENT_PAYLOAD_TYPE } from "./statement.ts";

/** What is accepted. */
export interface VerifyImageOptions {
  /** Public keys; a signature by one of them is enough. */
  readonly keys: readonly KeyObject[];
  /** Verifies a bundle that was signed with an identity instead of a key; rejects if it is not valid. Default: such bundles are not accepted. */
  readonly verifyIdentity?: ((bundle: unknown) => Promise<unknown>) | undefined;
}

/** What is known about an image by valid signatures, and what was found and not accepted. */
export interface ImageVerification {
  readonly digest: string;
  /** Valid signatures of the image. */
  readonly signatures: readonly { readonly format: "tag" | "bundle"; readonly artifact: string }[];
  /** Claims with a valid signature. */
  readonly attestations: readonly { readonly predicateType: string; readonly predicate: unknown; readonly format: "tag" | "bundle" }[];
  /** Signatures and claims that are not valid, with the reason. */
  readonly rejected: readonly { readonly artifact: string; readonly reason: string }[];
}

/** Artifacts beyond these are not read: registries let many users attach some. */
const MAX_ARTIFACTS = 200;
const MAX_ARTIFACT_BYTES = 32 << 20;

interface CheckedArtifact {
  readonly artifact: string;
  readonly reason?: string;
  readonly signature?: true;
  readonly attestation?: { readonly predicateType: string; readonly predicate: unknown };
}

/**
 * Verifies all signatures and attestations of an image by digest, in both formats of cosign. Needs no network but for the image. The caller decides
 * what must be there.
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { openImage, readPublicKey, verifyImage } from "@pintle/lifecycle";
 *
 * const keys = [readPublicKey(readFileSync("cosign.pub", "utf8"))];
 * const { images, reference } = await openImage("ghcr.io/me/shop:1.0.0", { cwd: ".", signal: AbortSignal.timeout(60_000) });
 * const { digest } = await images.manifest(reference);
 * const { signatures } = await verifyImage(images, digest, { keys });
 * console.log(signatures.length > 0 ? `${digest} is signed` : "not signed");
 * ```
 */
export async function verifyImage(images: ImageStore, digest: string, options: VerifyImageOptions): Promise<ImageVerification> {
  const { keys } = options;
  const tagged = [
    ...(await verifyTagged(images, attachmentTag(digest, ".sig"), (layer, bytes) => checkSimpleSignature(layer, bytes, digest, keys))),
    ...(await verifyTagged(images, attachmentTag(digest, ".att"), (_, bytes) =>
      checkEnvelope(parseJson(bytes) as DsseEnvelope, digest, keys),
    )),
  ];
  const bundles: CheckedArtifact[] = [];
  for (const referrer of (await findReferrers(images, digest)).slice(0, MAX_ARTIFACTS))
    bundles.push(...(await verifyBundle(images, referrer, digest, options)));
  const all = [
    ...tagged.map((each) => ({ ...each, format: "tag" as const })),
    ...bundles.map((each) => ({ ...each, format: "bundle" as const })),
  ];
  return {
    digest,
    signatures: all.flatMap(({ signature, format, artifact }) => (signature === undefined ? [] : [{ format, artifact }])),
    attestations: all.flatMap(({ attestation, format }) => (attestation === undefined ? [] : [{ ...attestation, format }])),
    rejected: all.flatMap(({ reason, artifact }) => (reason === undefined ? [] : [{ artifact, reason }])),
  };
}

async function verifyTagged(
  images: ImageStore,
  tag: string,
  check: (layer: Descriptor, bytes: Buffer) => Omit<CheckedArtifact, "artifact">,
): Promise<CheckedArtifact[]> {
  const found = await findManifest(images, tag);
  if (found === undefined) return [];
  const { layers } = parseImageManifest(found.text, `${images.name}: ${tag}`);
  const results: CheckedArtifact[] = [];
  for (const layer of layers.slice(0, MAX_ARTIFACTS)) {
    if (layer.mediaType !== SIMPLE_SIGNING_MEDIA_TYPE && layer.mediaType !== ENVELOPE_MEDIA_TYPE) continue;
    const artifact = `${tag} ${layer.digest}`;
    results.push(
      layer.size > MAX_ARTIFACT_BYTES ? { artifact, reason: "too large" } : { artifact, ...check(layer, await readBlob(images, layer)) },
    );
  }
  return results;
}

function checkSimpleSignature(
  { annotations }: Descriptor,
  payload: Buffer,
  digest: string,
  keys: readonly KeyObject[],
): Omit<CheckedArtifact, "artifact"> {
  const signature = annotations?.[SIGNATURE_ANNOTATION] ?? "";
  if (signature === "") return { reason: "has no signature" };
  if (!keys.some((key) => verify("sha256", payload, key, Buffer.from(signature, "base64")))) return { reason: "is not signed by the key" };
  const { critical } = (parseJson(payload) ?? {}) as {
    readonly critical?: { readonly type?: string; readonly image?: Readonly<Record<string, string>> };
  };
  if (critical?.type !== SIGNATURE_TYPE) return { reason: `signs something of type ${JSON.stringify(critical?.type)}` };
  const signed = critical.image?.["docker-manifest-digest"];
  return signed === digest ? { signature: true } : { reason: `signs another image, ${String(signed)}` };
}

function checkEnvelope(envelope: DsseEnvelope | undefined, digest: string, keys: readonly KeyObject[]): Omit<CheckedArtifact, "artifact"> {
  if (typeof envelope !== "object" || envelope === null) return { reason: "is no envelope" };
  const payload = verifyEnvelope(envelope, keys);
  return payload === undefined ? { reason: "is not signed by the key" } : checkStatement(envelope, payload, digest);
}

function checkStatement(envelope: DsseEnvelope | undefined, payload: Buffer, digest: string): Omit<CheckedArtifact, "artifact"> {
  if (envelope?.payloadType !== STATEMENT_PAYLOAD_TYPE) return { reason: `signs something of type ${String(envelope?.payloadType)}` };
  const statement = readStatement(payload, digest);
  if (statement === undefined) return { reason: "is about another image" };
  const { predicateType, predicate } = statement;
  return predicateType === PREDICATE_TYPES.signature ? { signature: true } : { attestation: { predicateType, predicate } };
}

async function verifyBundle(
  images: ImageStore,
  referrer: Descriptor,
  digest: string,
  options: VerifyImageOptions,
): Promise<CheckedArtifact[]> {
  const artifact = referrer.digest;
  const manifest = await images.manifest(artifact);
  const { layers } = parseImageManifest(manifest.text, `${images.name}: ${artifact}`);
  const [layer] = layers.filter(({ mediaType }) => mediaType === BUNDLE_MEDIA_TYPE);
  if (layer === undefined) return [];
  if (layer.size > MAX_ARTIFACT_BYTES) return [{ artifact, reason: "too large" }];
  const bundle = parseJson(await readBlob(images, layer)) as SigstoreBundle | null | undefined;
  const { verifyIdentity } = options;
  if (bundle?.verificationMaterial?.certificate === undefined || verifyIdentity === undefined) {
    return [{ artifact, ...checkEnvelope(bundle?.dsseEnvelope, digest, options.keys) }];
  }
  try {
    await verifyIdentity(bundle);
  } catch (error) {
    return [{ artifact, reason: `is not signed by the identity: ${(error as Error).message}` }];
  }
  return [{ artifact, ...checkStatement(bundle.dsseEnvelope, Buffer.from(String(bundle.dsseEnvelope?.payload), "base64"), digest) }];
}

interface SigstoreBundle {
  readonly dsseEnvelope?: DsseEnvelope;
  readonly verificationMaterial?: { readonly certificate?: unknown };
}

async function readBlob(images: ImageStore, descriptor: Descriptor): Promise<Buffer> {
  return Buffer.from(await images.blob(descriptor).bytes());
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
