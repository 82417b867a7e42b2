import type { CommitFact, Fact } from "pintle";
import type { JsonObject } from "pintle/kinds";
import type { ClusterState, StoredCommit, StoredObject } from "./console-source.ts";

/**
 * The objects that a recording knows where no API server is recorded: versions that watches saw, with the values that passes read. A version
 * whose value was not read is shown as identity only.
 */
export function createStateFromFacts(facts: readonly Fact[], at = Number.POSITIVE_INFINITY): ClusterState {
  const values = new Map<string, JsonObject>();
  const commits = new Map<number, CommitFact>();
  for (const fact of facts) {
    if (fact.type === "object") {
      const { uid, resourceVersion } = fact.object["metadata"] as JsonObject;
      values.set(`${uid} ${resourceVersion}`, withType(fact.object, fact.kind));
    } else if (fact.type === "commit" && !commits.has(fact.revision)) commits.set(fact.revision, fact);
  }
  const entries = new Map<string, StoredObject>();
  const history: StoredCommit[] = [];
  const sorted = [...commits.values()].filter(({ revision }) => revision <= at).sort((a, b) => a.revision - b.revision);
  for (const { operation, key, revision, uid, kind } of sorted) {
    const previous = entries.get(key);
    const known = operation === "put" ? values.get(`${uid} ${revision}`) : undefined;
    const value = known ?? describeIdentity(key, revision, uid, kind, previous?.value);
    history.push({ type: operation, key, revision, value, previous });
    if (operation === "delete") entries.delete(key);
    else entries.set(key, { revision, value });
  }
  return { revision: sorted.at(-1)?.revision ?? 0, oldestRevision: sorted[0]?.revision ?? 0, entries, history };
}

/** "apps/v1/Deployment" */
function withType(object: JsonObject, id: string): JsonObject {
  if (object["apiVersion"] !== undefined && object["kind"] !== undefined) return object;
  const parts = id.split("/");
  return { apiVersion: parts.slice(0, -1).join("/").replace(/^\//, ""), kind: parts.at(-1)!, ...object };
}

function describeIdentity(
  key: string,
  revision: number,
  uid: string,
  kind: string | undefined,
  before: JsonObject | undefined,
): JsonObject {
  const parts = key.replace(/^\/registry\//, "").split("/");
  const rest = parts[0]!.includes(".") ? parts.slice(2) : parts.slice(1);
  const [namespace, name] = rest.length > 1 ? [rest[0]!, rest[1]!] : [undefined, rest[0] ?? ""];
  const group = parts[0]!.includes(".") ? `${parts[0]}/` : "";
  const version = group === "" ? "v1" : `${group}v1`;
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion: String(revision) };
  return {
    ...(before ?? { apiVersion: version, kind: kind ?? "" }),
    metadata: { ...(before?.["metadata"] as JsonObject | undefined), ...metadata },
  };
}
