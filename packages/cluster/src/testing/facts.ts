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

/** Of few programs, which come again and again: journals are full of them. */
const agents = new Map<string, string>();
const MAX_AGENTS = 100;

function agentOf(agent: string): string {
  const known = agents.get(agent);
  if (known !== undefined) return known;
  const end = agent.indexOf("/");
  const name = end === -1 ? agent : agent.slice(0, end);
  if (agents.size >= MAX_AGENTS) agents.clear();
  agents.set(agent, name);
  return name;
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
