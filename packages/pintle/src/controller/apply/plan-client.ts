import type { WriteThroughVerbs } from "../../cache/index.ts";
import type { Client } from "../../client/index.ts";
import type { ClientBinding } from "../worker/bound-client.ts";
import { recordRequest } from "../worker/record-request.ts";
import type { ExecutePlanDeps } from "./execute-plan.ts";

/** What the calls of a plan have in common. */
export interface PlanClientBinding extends Omit<ClientBinding, "signal"> {
  /** Called with each request: most plans send none. */
  readonly getSignal: () => AbortSignal;
}

/**
 * Creates the client that executes a plan: the same as `createBoundClient` over `createWriteThroughClient`, for the needed verbs alone. It is created
 * for every reconcile pass, where a whole client would cost more than the plan.
 */
export function createPlanClient(
  client: Client,
  { wrapWrite, wrapDelete }: WriteThroughVerbs,
  { getSignal, fieldManager, writeGate, run }: PlanClientBinding,
): ExecutePlanDeps["client"] {
  const bound = (options: object | undefined) => {
    writeGate();
    return { fieldManager, permit: writeGate, ...options, signal: getSignal() } as never;
  };
  /** The step whose request has an audit id passes it in its options. */
  const write = (verb: string, call: (...args: any[]) => Promise<any>, kind: unknown, object: unknown, options: object | undefined) => {
    const args = [kind, object, bound(options)];
    return run === undefined ? call(...args) : recordRequest(run, verb, args, 2, () => call(...args));
  };
  return {
    apply: (kind, object, options) => write("apply", wrapWrite(client.apply, "apply"), kind, object, options),
    delete: (kind, ref, options) => write("delete", wrapDelete(client.delete), kind, ref, options),
    find: (kind, ref, options) => client.find(kind, ref, { ...options, signal: getSignal() }),
    status: {
      apply: (kind, object, options) => write("apply status", wrapWrite(client.status.apply, "apply status of"), kind, object, options),
    },
  };
}
