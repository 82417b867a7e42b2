import { type KeyObject, sign } from "node:crypto";
import { createBlob, type Descriptor, type Repository } from "../image/index.ts";
import { attachArtifact, attachmentTag, attachReferrer, BUNDLE_MEDIA_TYPE } from "./attachments.ts";
import { createEnvelope } from "./envelope.ts";
import { keyHint } from "./keys.ts";
import { createStatement, PREDICATE_TYPES, STATEMENT_PAYLOAD_TYPE } from "./statement.ts";

export const SIMPLE_SIGNING_MEDIA_TYPE = "application/vnd.dev.cosign.simplesigning.v1+json";
export const ENVELOPE_MEDIA_TYPE = "application/vnd.dsse.envelope.v1+json";
export const SIGNATURE_ANNOTATION = "dev.cosignproject.cosign/signature";
export const SIGNATURE_TYPE = "cosign container image signature";

/** The image that is signed. */
export interface ImageSubject extends Descriptor {
  /** "ghcr.io/me/shop", which becomes part of what is signed. */
  readonly name: string;
}

/** A claim about the image, such as its SBOM. */
export interface Attestation {
  readonly predicateType: string;
  readonly predicate: unknown;
}

/** Options of `signImage`. */
export interface SignImageOptions {
  /** The private key. */
  readonly key: KeyObject;
  /** Claims that are signed too. Default: none. */
  readonly attestations?: readonly Attestation[] | undefined;
  /** Whether the image itself is signed. Default: true. */
  readonly signature?: boolean | undefined;
  /** The time that artifacts are annotated with. */
  readonly now: Date;
}

/**
 * Signs an image in a registry as cosign does, in both of its formats: under tags, which every version of cosign and the policies of container
 * engines read, and as bundles that refer to the image, the default of cosign 3.
 *
 * @example
 * ```ts
 * import type { KeyObject } from "node:crypto";
 * import { type ImageSubject, signImage } from "@pintle/lifecycle";
 *
 * async function sign(repository: Parameters<typeof signImage>[0], subject: ImageSubject, key: KeyObject) {
 *   await signImage(repository, subject, { key, now: new Date() });
 * }
 * ```
 */
export async function signImage(repository: Repository, subject: ImageSubject, options: SignImageOptions): Promise<void> {
  const { key, attestations = [], signature = true, now } = options;
  if (signature) {
    await attachSignature(repository, subject, key);
    await attachSignedBundle(repository, subject, { key, now, predicateType: PREDICATE_TYPES.signature, predicate: undefined });
  }
  for (const attestation of attestations) {
    const envelope = signStatement(subject, attestation, key);
    const layer = createBlob(ENVELOPE_MEDIA_TYPE, Buffer.from(JSON.stringify(envelope)));
    const annotations = { [SIGNATURE_ANNOTATION]: "", predicateType: attestation.predicateType };
    await attachArtifact(repository, attachmentTag(subject.digest, ".att"), layer, annotations);
    await attachSignedBundle(repository, subject, { key, now, ...attestation });
  }
}

async function attachSignature(repository: Repository, { name, digest }: ImageSubject, key: KeyObject): Promise<void> {
  const payload = Buffer.from(
    JSON.stringify({
      critical: { identity: { "docker-reference": name }, image: { "docker-manifest-digest": digest }, type: SIGNATURE_TYPE },
      optional: null,
    }),
  );
  const signature = sign("sha256", payload, key).toString("base64");
  const layer = createBlob(SIMPLE_SIGNING_MEDIA_TYPE, payload);
  await attachArtifact(repository, attachmentTag(digest, ".sig"), layer, { [SIGNATURE_ANNOTATION]: signature });
}

function signStatement(subject: ImageSubject, { predicateType, predicate }: Attestation, key: KeyObject) {
  const statement = createStatement(subject, predicateType, predicate);
  return createEnvelope(STATEMENT_PAYLOAD_TYPE, Buffer.from(JSON.stringify(statement)), key);
}

async function attachSignedBundle(
  repository: Repository,
  subject: ImageSubject,
  { key, now, ...attestation }: Attestation & { readonly key: KeyObject; readonly now: Date },
): Promise<void> {
  const bundle = {
    mediaType: BUNDLE_MEDIA_TYPE,
    verificationMaterial: { publicKey: { hint: keyHint(key) } },
    dsseEnvelope: signStatement(subject, attestation, key),
  };
  await attachBundle(repository, subject, { bundle, predicateType: attestation.predicateType, now });
}

/** Publishes a bundle of Sigstore beside an image. */
export async function attachBundle(
  repository: Repository,
  subject: ImageSubject,
  { bundle, predicateType, now }: { readonly bundle: unknown; readonly predicateType: string; readonly now: Date },
): Promise<void> {
  await attachReferrer(repository, subject, {
    artifactType: BUNDLE_MEDIA_TYPE,
    content: Buffer.from(JSON.stringify(bundle)),
    annotations: {
      "dev.sigstore.bundle.content": "dsse-envelope",
      "dev.sigstore.bundle.predicateType": predicateType,
      "org.opencontainers.image.created": now.toISOString().replace(/\.\d+Z$/, "Z"),
    },
  });
}
