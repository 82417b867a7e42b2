import { canonicalJson } from "pintle/internal/merge";
import type { PodTemplateSpec } from "pintle/kinds/core/v1";

export const TEMPLATE_HASH_LABEL = "pod-template-hash";

/** Returns whether two templates are equal apart from the pod-template-hash label. */
export function isSameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec): boolean {
  return a !== undefined && canonicalJson(removeHashLabel(a)) === canonicalJson(removeHashLabel(b));
}

function removeHashLabel(template: PodTemplateSpec): PodTemplateSpec {
  const { [TEMPLATE_HASH_LABEL]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}
