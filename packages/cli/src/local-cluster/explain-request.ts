import type { Cluster } from "@pintle/cluster";
import { PintleError } from "pintle/internal/errors";
import { stringifyJson } from "pintle/internal/json";
import type { ControlRequest } from "./control-server.ts";

/** The question of `pintle why`, as the query of a control request. */
export interface WhyQuestion {
  /** Plural or kind, with or without group: "deployments", "deployment.apps". */
  readonly resource: string;
  readonly name: string;
  /** Default: "default" for namespaced kinds. */
  readonly namespace?: string | undefined;
  readonly field?: string | undefined;
  readonly revision?: number | undefined;
}

/** Returns the verb of the control request for a question. */
export function formatWhyVerb({ resource, name, namespace, field, revision }: WhyQuestion): `why?${string}` {
  const query = new URLSearchParams({ resource, name });
  if (namespace !== undefined) query.set("namespace", namespace);
  if (field !== undefined) query.set("field", field);
  if (revision !== undefined) query.set("revision", String(revision));
  return `why?${query}`;
}

/** Responds to a control request "why?..." with a `CommitExplanation` as JSON. */
export async function respondWithExplanation(cluster: Cluster, request: ControlRequest): Promise<void> {
  const query = new URLSearchParams(request.verb.slice(request.verb.indexOf("?")));
  try {
    const kind = await findKind(cluster, query.get("resource") ?? "");
    const namespace = kind.scope === "Cluster" ? undefined : (query.get("namespace") ?? "default");
    const revision = query.get("revision");
    const explanation = await cluster.why(
      kind,
      { namespace, name: query.get("name") ?? "" },
      { field: query.get("field") ?? undefined, revision: revision === null ? undefined : Number(revision) },
    );
    request.succeed(stringifyJson(explanation));
  } catch (error) {
    request.fail((error as Error).message.replace(/^cluster\.why: /, ""));
  }
}

async function findKind(cluster: Cluster, resource: string) {
  const [name = "", ...group] = resource.toLowerCase().split(".");
  const kinds = await cluster.client().discoverKinds();
  const found = kinds.find(
    (kind) => (kind.plural === name || kind.kind.toLowerCase() === name) && (group.length === 0 || kind.group === group.join(".")),
  );
  if (found !== undefined) return found;
  throw new PintleError(
    "PINTLE6507",
    `the cluster serves no resource ${resource}: use the plural or the kind, such as deployments or deployment.apps`,
  );
}
