import type { WebhookServerDescription } from "./describe-webhooks.ts";
import type { WebhookNames } from "./webhook-names.ts";

/** An RBAC policy rule for single objects. */
export interface CertificatePolicyRule {
  readonly apiGroups: readonly [string];
  readonly resources: readonly [string];
  readonly resourceNames: readonly string[];
  readonly verbs: readonly string[];
}

/** Returns the RBAC rule that the operator needs to keep certificates in a Secret. */
export function secretPolicyRule(secret: string): CertificatePolicyRule {
  return { apiGroups: [""], resources: ["secrets"], resourceNames: [secret], verbs: ["get", "list", "update", "watch"] };
}

/** Returns the RBAC rules that the operator needs to issue certificates and inject its CA bundle, restricted to single objects. */
export function certificatePolicyRules(
  { webhooks, conversions }: WebhookServerDescription,
  { secret, mutating, validating }: WebhookNames,
): { readonly role: readonly CertificatePolicyRule[]; readonly clusterRole: readonly CertificatePolicyRule[] } {
  const rule = (
    group: string,
    resource: string,
    names: readonly string[],
    ...verbs: readonly string[]
  ): readonly CertificatePolicyRule[] =>
    names.length === 0 ? [] : [{ apiGroups: [group], resources: [resource], resourceNames: names, verbs: [...verbs].sort() }];
  const hasPhase = (phase: "mutate" | "validate") => webhooks.some(({ phases }) => phases.includes(phase));
  const injectionVerbs = ["list", "patch", "watch"];
  const admission = "admissionregistration.k8s.io";
  return {
    role: [secretPolicyRule(secret)],
    clusterRole: [
      ...rule(admission, "mutatingwebhookconfigurations", hasPhase("mutate") ? [mutating] : [], ...injectionVerbs),
      ...rule(admission, "validatingwebhookconfigurations", hasPhase("validate") ? [validating] : [], ...injectionVerbs),
      ...rule("apiextensions.k8s.io", "customresourcedefinitions", conversions, "get", ...injectionVerbs),
    ],
  };
}
