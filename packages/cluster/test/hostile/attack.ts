/** One request that no well-meaning client sends, byte by byte. */
export interface Attack {
  readonly name: string;
  readonly method: string;
  /** As it stands in the request line. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
}

export const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
/** Made by `ground`, and there after every attack. */
export const CANARY = `${CONFIG_MAPS}/canary`;
export const WIDGETS = "/apis/hostile.example.com/v1/namespaces/default/widgets";
export const CANARY_WIDGET = `${WIDGETS}/canary`;
export const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

export const JSON_BODY = "application/json";
export const YAML_BODY = "application/yaml";
export const PROTOBUF_BODY = "application/vnd.kubernetes.protobuf";
export const JSON_PATCH = "application/json-patch+json";
export const MERGE_PATCH = "application/merge-patch+json";
export const STRATEGIC_PATCH = "application/strategic-merge-patch+json";
export const APPLY_PATCH = "application/apply-patch+yaml";

export function get(name: string, path: string, headers: Attack["headers"] = {}): Attack {
  return { name, method: "GET", path, headers };
}

/** A body that is not a text or bytes is written as JSON. */
export function send(name: string, method: string, path: string, type: string, body: unknown, headers: Attack["headers"] = {}): Attack {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return { name, method, path, headers: { "content-type": type, ...headers }, body: bytes };
}

export const post = (name: string, body: unknown, type = JSON_BODY, path = CONFIG_MAPS) => send(name, "POST", path, type, body);
export const patch = (name: string, type: string, body: unknown, path = CANARY) => send(name, "PATCH", path, type, body);

/** `{"a":{"a":...}}`, so deep. */
export function nested(depth: number, open = '{"a":', close = "}"): string {
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}
