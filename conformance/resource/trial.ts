import { setTimeout as delay } from "node:timers/promises";
import type { Transport } from "pintle/client";
import { isObject, type JsonObject } from "pintle/kinds";
import type { AnyResource } from "pintle/resource";

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

/** A server under trial: real or embedded, over HTTP or in this process. */
export interface Trial {
  send(method: "GET" | "POST" | "PUT" | "PATCH", path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Resolves when the server offers the resource; rejects with its words when it refuses the definition. */
  install(resource: AnyResource): Promise<void>;
  create(resource: AnyResource, name: string, spec: JsonObject | undefined): Promise<Answer>;
  update(resource: AnyResource, object: JsonObject, spec: JsonObject): Promise<Answer>;
}

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const POLL_MS = 50;

export function trial(server: Transport): Trial {
  const send: Trial["send"] = async (method, path, body, headers = {}) => {
    const [bare, query] = path.split("?") as [string, string?];
    const answer = await server.request({
      method,
      path: bare,
      query: Object.fromEntries(new URLSearchParams(query)),
      headers: { accept: "application/json", "content-type": "application/json", ...headers },
      body,
    });
    // A path that is not served yet is answered in plain text.
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
      send("POST", collection(resource), {
        apiVersion: resource.apiVersion,
        kind: resource.kind,
        metadata: { name },
        ...(spec === undefined ? {} : { spec }),
      }),
    update: (resource, object, spec) => send("PUT", `${collection(resource)}/${nameOf(object)}`, { ...object, spec }),
  };
}

export function collection({ apiVersion, plural, scope }: Pick<AnyResource, "apiVersion" | "plural" | "scope">): string {
  return `/apis/${apiVersion}/${scope === "Namespaced" ? "namespaces/default/" : ""}${plural}`;
}

export function nameOf({ metadata }: JsonObject): string {
  return String(isObject(metadata) ? metadata["name"] : "");
}

/** The fields a refusal names. */
export function fieldsOf({ body }: Answer): readonly string[] {
  const details = body["details"];
  const causes = isObject(details) && Array.isArray(details["causes"]) ? (details["causes"] as JsonObject[]) : [];
  return causes.map((cause) => String(cause["field"]));
}
