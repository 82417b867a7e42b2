import type { ServedFacts } from "./facts.ts";
import type { WebhookNames } from "./names.ts";

/** A rule as a Role holds it. */
export interface CertificateRule {
  readonly apiGroups: readonly [string];
  readonly resources: readonly [string];
  readonly resourceNames: readonly string[];
  readonly verbs: readonly string[];
}

/** What it takes to issue certificates and to tell others about them: objects by name, nothing else of their kinds. */
export function certificatePermissions(
  { webhooks, conversions }: ServedFacts,
  { secret, mutating, validating }: WebhookNames,
): { readonly home: readonly CertificateRule[]; readonly cluster: readonly CertificateRule[] } {
  const rule = (group: string, resource: string, names: readonly string[], ...verbs: readonly string[]): readonly CertificateRule[] =>
    names.length === 0 ? [] : [{ apiGroups: [group], resources: [resource], resourceNames: names, verbs: [...verbs].sort() }];
  const has = (phase: "mutate" | "validate") => webhooks.some(({ phases }) => phases.includes(phase));
  const told = ["list", "patch", "watch"];
  const admission = "admissionregistration.k8s.io";
  return {
    home: rule("", "secrets", [secret], "get", "list", "update", "watch"),
    cluster: [
      ...rule(admission, "mutatingwebhookconfigurations", has("mutate") ? [mutating] : [], ...told),
      ...rule(admission, "validatingwebhookconfigurations", has("validate") ? [validating] : [], ...told),
      ...rule("apiextensions.k8s.io", "customresourcedefinitions", conversions, "get", ...told),
    ],
  };
}
