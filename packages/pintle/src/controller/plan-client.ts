import type { Landing } from "../cache/index.ts";
import type { Client } from "../client/index.ts";
import type { Tools } from "./carry-out.ts";
import type { Binding } from "./run-client.ts";

/**
 * What carrying out a plan takes of a client. The same as `runClient` over `writesThrough`, for these calls alone: it is made
 * for every look at every object, and the whole client would cost more than the plan.
 */
export function planClient(client: Client, { written, removed }: Landing, { signal, fieldManager, gate }: Binding): Tools["client"] {
  const bound = (options: object | undefined) => {
    gate();
    return { fieldManager, permit: gate, ...options, signal } as never;
  };
  return {
    apply: (kind, object, options) => written(client.apply)(kind, object, bound(options)),
    delete: (kind, ref, options) => removed(client.delete)(kind, ref, bound(options)),
    find: (kind, ref, options) => client.find(kind, ref, { ...options, signal }),
    status: { apply: (kind, object, options) => written(client.status.apply)(kind, object, bound(options)) },
  };
}
