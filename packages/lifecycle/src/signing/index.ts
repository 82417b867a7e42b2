/**
 * Signatures and attestations of images in the formats of cosign: signed with a key, verified without a network but for the registry.
 *
 * In: keys, digests, statements. Out: signed payloads, and artifacts beside the image. `keys`, `envelope` and `statement` are pure.
 */
export { attachArtifact, attachReferrer, findReferrers } from "./attachments.ts";
export { type AttachmentTarget, type CopiedAttachments, copyAttachments } from "./copy-attachments.ts";
export { createEnvelope, type DsseEnvelope, verifyEnvelope } from "./envelope.ts";
export { createKeyPair, type KeyPair, keyHint, readPublicKey, readSigningKey } from "./keys.ts";
export { createProvenance, type ProvenanceInput } from "./provenance.ts";
export { type Attestation, attachBundle, type ImageSubject, type SignImageOptions, signImage } from "./sign-image.ts";
export { createStatement, PREDICATE_TYPES, type Statement } from "./statement.ts";
export { type ImageVerification, type VerifyImageOptions, verifyImage } from "./verify-image.ts";
