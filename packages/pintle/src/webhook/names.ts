import type { KindFacts } from "../kinds/index.ts";

/** The names of everything that belongs to the webhooks of one operator, from the prefix of its objects. */
export function webhookNames(prefix: string) {
  return {
    service: `${prefix}-webhook-service`,
    secret: `${prefix}-webhook-certificates`,
    mutating: `${prefix}-mutating-webhook-configuration`,
    validating: `${prefix}-validating-webhook-configuration`,
  };
}
export type WebhookNames = ReturnType<typeof webhookNames>;

export type Phase = "mutate" | "validate";

type Called = { readonly kind: Pick<KindFacts, "group" | "version" | "kind">; readonly name: string | undefined };

/** "/validate-cache-example-com-v1-memcached", as controller-runtime has it; a name of one's own comes after it. */
export function pathOf(phase: Phase, { kind, name }: Called): string {
  const group = kind.group.replaceAll(".", "-");
  return `/${phase}-${group}-${kind.version}-${kind.kind.toLowerCase()}${name === undefined ? "" : `/${name}`}`;
}

/** "validate.memcached.v1.cache.example.com": what users read when it says no. Three parts at least, as the server asks. */
export function webhookName(phase: Phase, { kind, name }: Called): string {
  const group = kind.group === "" ? "core" : kind.group;
  return [...(name === undefined ? [] : [name]), phase, kind.kind.toLowerCase(), kind.version, group].join(".");
}

export const CONVERT_PATH = "/convert";
/** Where a Service is reached, and where the operator listens. */
export const SERVICE_PORT = 443;
export const WEBHOOK_PORT = 9443;

/** In a group that comes with the server: what its own parts need to live. */
export function isBuiltIn({ group }: Pick<KindFacts, "group">): boolean {
  return /^[a-z]*$|\.k8s\.io$/.test(group);
}
