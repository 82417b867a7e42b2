import type { TargetResponse } from "../api/target.ts";
import type { WebhookHandler } from "./hook-server.ts";

/** A test case: configured webhooks and policies, and the requests to send, in a namespace of its own. */
export interface Case {
  readonly title: string;
  readonly hooks?: readonly WebhookSpec[];
  /** Policies, bindings and other objects to create first; `NS` is replaced by the namespace. */
  readonly objects?: readonly ObjectAt[];
  /** Requests to send once the configuration is active; their responses are compared. */
  readonly steps: readonly CaseStep[];
  /** Labels of the namespace. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the namespace. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** A conversion webhook and its CRD, whose `spec.conversion` is filled in. */
  readonly conversion?: {
    readonly crd: { readonly spec: object; readonly [field: string]: unknown };
    readonly does: WebhookHandler;
    readonly at?: string;
  };
  /** Compares the admission reviews, too. */
  readonly reviews?: boolean;
}

export interface WebhookSpec {
  readonly type: "mutating" | "validating";
  /** Additional fields of the webhook: rules, selectors, policies. Its name is `<name>.example.com`. */
  readonly name?: string;
  readonly fields?: object;
  readonly handler: WebhookHandler;
  /** The webhook configuration that contains it; default: "a". */
  readonly in?: string;
  /** "service" (a missing Service), "closed-port" (a closed port), "untrusted" (an untrusted authority) or a path. */
  readonly at?: string;
}

export type ObjectAt = readonly [path: string, object: object];

/** A request, or a function that builds it from the responses so far. */
export type CaseStep =
  | readonly [method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>]
  | ((
      answers: readonly TargetResponse[],
    ) => readonly [method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>]);

/** The API path of webhooks and policies. */
export const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
/** Builds an object of the group admissionregistration.k8s.io. */
export const buildAdmissionObject = (kind: string, name: string, rest: object) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind,
  metadata: { name },
  ...rest,
});
export const CM = "/api/v1/namespaces/NS/configmaps";
export const PODS = "/api/v1/namespaces/NS/pods";
export const DEPLOYMENTS = "/apis/apps/v1/namespaces/NS/deployments";
export const MERGE = { "content-type": "application/merge-patch+json" };
export const APPLY = { "content-type": "application/apply-patch+yaml" };

export const configMap = (name: string, more: { readonly metadata?: object; readonly [field: string]: unknown } = {}) => {
  const { metadata, ...rest } = more;
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, ...rest };
};
export const create = (name = "a", more: Parameters<typeof configMap>[1] = {}): CaseStep => ["POST", CM, configMap(name, more)];

export const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...metadata },
  spec: { containers: [{ name: "main", image: "app" }], ...spec },
});

export const deployment = (name: string, replicas = 1) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image: "app" }] } },
  },
});

export const rule = (operations: readonly string[], resources: readonly string[], groups = [""], versions = ["v1"], scope?: string) => ({
  operations,
  apiGroups: groups,
  apiVersions: versions,
  resources,
  ...(scope === undefined ? {} : { scope }),
});
export const onConfigMaps = (...operations: string[]) => ({
  rules: [rule(operations.length === 0 ? ["CREATE"] : operations, ["configmaps"])],
});

const respond =
  (response: object): WebhookHandler =>
  (review) => ({
    json: { apiVersion: review.apiVersion, kind: review.kind, response: { uid: review.request.uid, ...response } },
  });
export const allow = (more: object = {}): WebhookHandler => respond({ allowed: true, ...more });
export const deny = (status?: object, more: object = {}): WebhookHandler =>
  respond({ allowed: false, ...(status === undefined ? {} : { status }), ...more });
export const patch = (operations: unknown, more: object = {}): WebhookHandler =>
  allow({ patchType: "JSONPatch", patch: base64(typeof operations === "string" ? operations : JSON.stringify(operations)), ...more });
export const base64 = (text: string) => Buffer.from(text).toString("base64");
/** Returns the whole response body, built from the review. */
export const respondWith =
  (make: (review: any) => unknown): WebhookHandler =>
  (review) => ({ json: make(review) });
export const http =
  (status: number, text: string, type = "text/plain"): WebhookHandler =>
  () => ({ status, text, type });

export const mutating = (
  handler: WebhookHandler,
  fields: object = onConfigMaps(),
  name = "m",
  rest: Partial<WebhookSpec> = {},
): WebhookSpec => ({
  type: "mutating",
  handler,
  fields,
  name,
  ...rest,
});
export const validating = (
  handler: WebhookHandler,
  fields: object = onConfigMaps(),
  name = "v",
  rest: Partial<WebhookSpec> = {},
): WebhookSpec => ({
  type: "validating",
  handler,
  fields,
  name,
  ...rest,
});
