import { createHash } from "node:crypto";
import { canonicalJson } from "pintle/internal/merge";
import type { PodTemplateSpec } from "pintle/kinds/core/v1";

/** The alphabet of generated names in Kubernetes: without vowels, so that no words appear. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/** Computes the hash that names the ReplicaSet or revision of a template. The value is opaque; it only has to be stable. */
export function computeTemplateHash(template: PodTemplateSpec, collisionCount: number): string {
  const digest = createHash("sha256").update(canonicalJson(template)).update(String(collisionCount)).digest();
  return Array.from(digest.subarray(0, 10), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}
