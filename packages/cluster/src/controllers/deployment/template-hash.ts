import { createHash } from "node:crypto";
import type { PodTemplateSpec } from "pintle/kinds/core/v1";
import { canonical } from "pintle/merge";

export const TEMPLATE_HASH = "pod-template-hash";

/** Kubernetes' alphabet for generated names: no vowels, so no words. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/** Names the ReplicaSet of a template. Only stability matters to anyone: the value is opaque. */
export function templateHash(template: PodTemplateSpec, collisions: number): string {
  const digest = createHash("sha256").update(canonical(template)).update(String(collisions)).digest();
  return Array.from(digest.subarray(0, 10), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** Whether a ReplicaSet's template is the Deployment's: equal but for the hash label the controller added. */
export function sameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec): boolean {
  return a !== undefined && canonical(withoutHash(a)) === canonical(withoutHash(b));
}

function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { [TEMPLATE_HASH]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}
