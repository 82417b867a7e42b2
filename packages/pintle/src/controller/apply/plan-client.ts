import type { WriteThroughVerbs } from "../../cache/index.ts";
import type { Client } from "../../client/index.ts";
import type { ClientBinding } from "../worker/bound-client.ts";
import type { ExecutePlanDeps } from "./execute-plan.ts";

/**
 * Creates the client that executes a plan: the same as `createBoundClient` over `createWriteThroughClient`, for the needed verbs alone. It is created
 * for every reconcile pass, where a whole client would cost more than the plan.
 */
export function createPlanClient(
  client: Client,
  { wrapWrite, wrapDelete }: WriteThroughVerbs,
  { signal, fieldManager, writeGate }: ClientBinding,
): ExecutePlanDeps["client"] {
  const bound = (options: object | undefined) => {
    writeGate();
    return { fieldManager, permit: writeGate, ...options, signal } as never;
  };
  return {
    apply: (kind, object, options) => wrapWrite(client.apply)(kind, object, bound(options)),
    delete: (kind, ref, options) => wrapDelete(client.delete)(kind, ref, bound(options)),
    find: (kind, ref, options) => client.find(kind, ref, { ...options, signal }),
    status: { apply: (kind, object, options) => wrapWrite(client.status.apply)(kind, object, bound(options)) },
  };
}
