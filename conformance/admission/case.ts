import type { Answer } from "../api/target.ts";
import type { Program } from "./hook-server.ts";

/** One row of the table: what is configured, what is done, in a namespace of its own. */
export interface Case {
  readonly title: string;
  readonly hooks?: readonly HookOf[];
  /** Policies with their bindings, and other objects that must be there first; `NS` stands for the namespace. */
  readonly objects?: readonly Placed[];
  /** Done once everything is configured; their answers are compared. */
  readonly steps: readonly Step[];
  /** Labels of the namespace. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The same, of annotations. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** A webhook that converts, and the CRD that names it: it gets the `conversion` of its spec. */
  readonly converts?: {
    readonly crd: { readonly spec: object; readonly [field: string]: unknown };
    readonly does: Program;
    readonly at?: string;
  };
  /** What the webhooks were sent is compared too. */
  readonly reviews?: boolean;
}

export interface HookOf {
  readonly type: "mutating" | "validating";
  /** Fields of the webhook beyond the usual: rules, selectors, policies. Its name is `<name>.example.com`. */
  readonly name?: string;
  readonly with?: object;
  readonly does: Program;
  /** The configuration it is in; hooks of one configuration are in order. Default: "a". */
  readonly in?: string;
  /** "service", "nowhere", "stranger" (whose authority is another) or a path. */
  readonly at?: string;
}

export type Placed = readonly [path: string, object: object];

/** A request; of a function, what it makes of the answers so far. */
export type Step =
  | readonly [method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>]
  | ((answers: readonly Answer[]) => readonly [method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>]);

/** Where webhooks and policies are configured. */
export const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
/** An object of that group. */
export const configuring = (kind: string, name: string, rest: object) => ({
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
export const create = (name = "a", more: Parameters<typeof configMap>[1] = {}): Step => ["POST", CM, configMap(name, more)];

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

const answer =
  (response: object): Program =>
  (review) => ({
    json: { apiVersion: review.apiVersion, kind: review.kind, response: { uid: review.request.uid, ...response } },
  });
export const allow = (more: object = {}): Program => answer({ allowed: true, ...more });
export const deny = (status?: object, more: object = {}): Program =>
  answer({ allowed: false, ...(status === undefined ? {} : { status }), ...more });
export const patch = (operations: unknown, more: object = {}): Program =>
  allow({ patchType: "JSONPatch", patch: base64(typeof operations === "string" ? operations : JSON.stringify(operations)), ...more });
export const base64 = (text: string) => Buffer.from(text).toString("base64");
/** The whole answer, made from the review. */
export const says =
  (make: (review: any) => unknown): Program =>
  (review) => ({ json: make(review) });
export const http =
  (status: number, text: string, type = "text/plain"): Program =>
  () => ({ status, text, type });

export const mutating = (does: Program, more: object = onConfigMaps(), name = "m", rest: Partial<HookOf> = {}): HookOf => ({
  type: "mutating",
  does,
  with: more,
  name,
  ...rest,
});
export const validating = (does: Program, more: object = onConfigMaps(), name = "v", rest: Partial<HookOf> = {}): HookOf => ({
  type: "validating",
  does,
  with: more,
  name,
  ...rest,
});
