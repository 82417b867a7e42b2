import type { Random } from "pintle/internal/clock";
import { isLinearizable, type Operation, type Outcome, type Request } from "./checker.ts";

/** Sends a request to a server. Rejects if the connection breaks. */
export type Send = (method: string, path: string, body?: unknown) => Promise<{ readonly status: number; readonly body: any }>;

const COLLECTION = "/api/v1/namespaces/default/configmaps";

export interface Workload {
  /** Runs until the signal aborts; rejects only for a response that no server may give. */
  run(send: () => Send, random: Random, signal: AbortSignal): Promise<void>;
  /** Names of the objects whose history is not linearizable. */
  findViolations(): readonly string[];
  /** Number of operations with a known outcome, and without one. */
  count(): { readonly known: number; readonly unknown: number };
}

/** Creates a workload of clients that read, create, update by resourceVersion and delete a few ConfigMaps. */
export function createWorkload(objects: number, now: () => number): Workload {
  const histories = new Map<string, Operation[]>();
  let written = 0;

  const step = async (send: Send, random: Random, name: string, seen: Map<string, { value: string; revision: string }>): Promise<void> => {
    const history = histories.get(name) ?? [];
    histories.set(name, history);
    const known = seen.get(name);
    const value = `v${++written}`;
    const chosen = random();
    const request: Request =
      chosen < 0.4
        ? { type: "read" }
        : chosen < 0.5
          ? { type: "delete" }
          : known === undefined || chosen < 0.6
            ? { type: "create", value }
            : { type: "update", from: known.value, value };
    const sent = now();
    const { outcome, object } = await execute(send, name, request, known?.revision ?? "");
    history.push({ request, outcome, sent, answered: now() });
    if (object !== undefined) seen.set(name, { value: object.data.value, revision: object.metadata.resourceVersion });
    else if (outcome.type === "missing" || (request.type === "delete" && outcome.type === "done")) seen.delete(name);
  };

  return {
    async run(send, random, signal) {
      const seen = new Map<string, { value: string; revision: string }>();
      while (!signal.aborted) await step(send(), random, `object-${Math.floor(random() * objects)}`, seen);
    },
    findViolations: () => [...histories].filter(([, history]) => !isLinearizable(history)).map(([name]) => name),
    count() {
      const all = [...histories.values()].flat();
      const unknown = all.filter(({ outcome }) => outcome.type === "unknown").length;
      return { known: all.length - unknown, unknown };
    },
  };
}

async function execute(
  send: Send,
  name: string,
  request: Request,
  resourceVersion: string,
): Promise<{ readonly outcome: Outcome; readonly object?: any }> {
  const body = (value: string, version?: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, ...(version === undefined ? {} : { resourceVersion: version }) },
    data: { value },
  });
  const path = `${COLLECTION}/${name}`;
  const respond = () => {
    switch (request.type) {
      case "read":
        return send("GET", path);
      case "create":
        return send("POST", COLLECTION, body(request.value));
      case "update":
        return send("PUT", path, body(request.value, resourceVersion));
      case "delete":
        return send("DELETE", path);
    }
  };
  let response: Awaited<ReturnType<Send>>;
  try {
    response = await respond();
  } catch {
    return { outcome: { type: "unknown" } };
  }
  return { outcome: getOutcome(request, response), ...(isObject(request, response) ? { object: response.body } : {}) };
}

const isObject = (request: Request, { status }: { readonly status: number }) => request.type !== "delete" && status < 300;

function getOutcome({ type }: Request, { status, body }: { readonly status: number; readonly body: any }): Outcome {
  if (status === 404) return { type: "missing" };
  if (status === 409) return { type: type === "create" ? "exists" : "conflict" };
  if (status >= 500 || status === 429) return { type: "unknown" };
  if (status >= 300) throw new Error(`unexpected response ${status}: ${JSON.stringify(body)}`);
  return type === "read" ? { type: "value", value: body.data.value } : { type: "done" };
}
