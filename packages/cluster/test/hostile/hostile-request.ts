/** One request that no valid client sends. */
export interface HostileRequest {
  readonly name: string;
  readonly method: string;
  /** As sent in the request line. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
}

export const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
/** Created by `createFixtures`, and unchanged by every request. */
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

export function getRequest(name: string, path: string, headers: HostileRequest["headers"] = {}): HostileRequest {
  return { name, method: "GET", path, headers };
}

/** Builds a request with a body; a value that is not text or bytes is encoded as JSON. */
export function bodyRequest(
  name: string,
  method: string,
  path: string,
  type: string,
  body: unknown,
  headers: HostileRequest["headers"] = {},
): HostileRequest {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return { name, method, path, headers: { "content-type": type, ...headers }, body: bytes };
}

export const postRequest = (name: string, body: unknown, type = JSON_BODY, path = CONFIG_MAPS) =>
  bodyRequest(name, "POST", path, type, body);
export const patchRequest = (name: string, type: string, body: unknown, path = CANARY) => bodyRequest(name, "PATCH", path, type, body);

/** Builds `{"a":{"a":...}}` of this depth. */
export function nested(depth: number, open = '{"a":', close = "}"): string {
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}
