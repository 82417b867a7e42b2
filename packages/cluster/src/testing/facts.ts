import { type ApiRequest, header, param, type RequestBody, requestInfo } from "../api/index.ts";
import type { RequestFacts } from "./match.ts";

const NONE = { group: "", version: "", resource: "", subresource: "", namespace: "", name: "" };

/** What a request says about itself. What it creates is named only inside its body, which is parsed where `bodies` matter. */
export function factsOf({ method, path, query, headers, user, body }: ApiRequest, bodies: boolean): RequestFacts {
  const info = requestInfo({ method, path, query });
  const { verb } = info;
  const { group, version, resource, subresource, namespace, name } = info.type === "resource" ? info : NONE;
  const as = header(headers, "impersonate-user");
  const writes = resource !== "" && (verb === "create" || verb === "update" || verb === "patch");
  return {
    user: as ?? user.name,
    by: as === undefined ? undefined : user.name,
    verb,
    group,
    version,
    resource,
    subresource,
    // To authorisation a namespace is in itself; to people it is not.
    namespace: resource === "namespaces" ? "" : namespace,
    name: name === "" && verb === "create" && body !== undefined ? nameIn(body, bodies) : name,
    path,
    fieldManager: writes ? param(query, "fieldManager") || agentOf(header(headers, "user-agent") ?? "") : "",
    dryRun: query.has("dryRun"),
  };
}

function agentOf(agent: string): string {
  const end = agent.indexOf("/");
  return end === -1 ? agent : agent.slice(0, end);
}

function nameIn(body: RequestBody, parse: boolean): string {
  if (!("json" in body) && !parse) return "";
  try {
    const object = ("json" in body ? body.json : JSON.parse(Buffer.from(body.bytes).toString())) as {
      metadata?: { name?: unknown };
    } | null;
    return typeof object?.metadata?.name === "string" ? object.metadata.name : "";
  } catch {
    // Other encodings keep their names to themselves.
    return "";
  }
}
