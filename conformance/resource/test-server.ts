import { setTimeout as delay } from "node:timers/promises";
import type { Transport } from "pintle/client";
import { isJsonObject } from "pintle/internal/json";
import type { AnyResource } from "pintle/internal/resource";
import type { JsonObject } from "pintle/kinds";

export interface ServerResponse {
  readonly status: number;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

/** A server under test: real or embedded, over HTTP or in this process. */
export interface TestServer {
  send(method: "GET" | "POST" | "PUT" | "PATCH", path: string, body?: unknown, headers?: Record<string, string>): Promise<ServerResponse>;
  /** Resolves when the server serves the resource; rejects with its message when it rejects the CRD. */
  install(resource: AnyResource): Promise<void>;
  create(resource: AnyResource, name: string, spec: JsonObject | undefined): Promise<ServerResponse>;
  update(resource: AnyResource, object: JsonObject, spec: JsonObject): Promise<ServerResponse>;
}

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const POLL_MS = 50;

export function createTestServer(server: Transport): TestServer {
  const send: TestServer["send"] = async (method, path, body, headers = {}) => {
    const [bare, query] = path.split("?") as [string, string?];
    const answer = await server.request({
      method,
      path: bare,
      query: Object.fromEntries(new URLSearchParams(query)),
      headers: { accept: "application/json", "content-type": "application/json", ...headers },
      body,
    });
    // A path that is not served yet returns plain text.
    const isJson = String(answer.headers["content-type"]).startsWith("application/json");
    if (!isJson) for await (const _ of answer.bytes());
    return {
      status: answer.status,
      body: isJson ? ((await answer.json()) as JsonObject) : {},
      warnings: [answer.headers["warning"] ?? []].flat(),
    };
  };
  return {
    send,
    install: async (resource) => {
      const crd = resource.crd();
      const { status, body } = await send("POST", DEFINITIONS, crd);
      if (status !== 201) throw new Error(String(body["message"]));
      const served = crd.spec.versions.filter((version) => version.served);
      for (const { name } of served) {
        while ((await send("GET", `/apis/${resource.group}/${name}/${resource.plural}`)).status !== 200) await delay(POLL_MS);
      }
    },
    create: (resource, name, spec) =>
      send("POST", collectionPath(resource), {
        apiVersion: resource.apiVersion,
        kind: resource.kind,
        metadata: { name },
        ...(spec === undefined ? {} : { spec }),
      }),
    update: (resource, object, spec) => send("PUT", `${collectionPath(resource)}/${nameOf(object)}`, { ...object, spec }),
  };
}

export function collectionPath({ apiVersion, plural, scope }: Pick<AnyResource, "apiVersion" | "plural" | "scope">): string {
  return `/apis/${apiVersion}/${scope === "Namespaced" ? "namespaces/default/" : ""}${plural}`;
}

export function nameOf({ metadata }: JsonObject): string {
  return String(isJsonObject(metadata) ? metadata["name"] : "");
}

/** Returns the fields that a rejection names. */
export function fieldsOf({ body }: ServerResponse): readonly string[] {
  const details = body["details"];
  const causes = isJsonObject(details) && Array.isArray(details["causes"]) ? (details["causes"] as JsonObject[]) : [];
  return causes.map((cause) => String(cause["field"]));
}
