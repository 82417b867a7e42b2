import { anySignal, type Client } from "../client/index.ts";

export interface Binding {
  /** Ends every call. */
  readonly signal: AbortSignal;
  /** Who writes, where the call does not say. */
  readonly fieldManager: string;
  /** Throws when nothing may be written any more. */
  readonly gate: () => void;
}

/** Where each verb takes its options. */
const READS = { get: 2, find: 2, list: 1, pages: 1, watch: 1, wait: 3, waitGone: 2, logs: 2, kinds: 0 };
const WRITES = {
  create: 2,
  replace: 2,
  patch: 3,
  apply: 2,
  delete: 2,
  deleteCollection: 1,
  evict: 2,
  bind: 3,
  token: 2,
  exec: 2,
  portForward: 3,
};
const STATUS = { replace: 2, patch: 3, apply: 2 };
const SCALE = { replace: 3, patch: 3 };
const SUBRESOURCE = { create: 3, replace: 3, patch: 3, apply: 3 };

/** The same client, each of whose calls ends with the run it is made in. */
export function runClient(client: Client, binding: Binding): Client {
  const { signal, fieldManager, gate } = binding;
  const bound = (verbs: object, at: Readonly<Record<string, number>>, writes: boolean) => {
    const from = verbs as Readonly<Record<string, (...args: unknown[]) => unknown>>;
    const out: Record<string, unknown> = {};
    for (const [verb, place] of Object.entries(at)) {
      out[verb] = (...args: unknown[]) => {
        if (writes) gate();
        const given = args[place] as { readonly signal?: AbortSignal | undefined } | undefined;
        args[place] = {
          ...(writes ? { fieldManager, permit: gate } : {}),
          ...given,
          signal: given?.signal ? anySignal([signal, given.signal]) : signal,
        };
        return from[verb]!(...args);
      };
    }
    return out;
  };
  const both = (verbs: object, writes: Readonly<Record<string, number>>) => ({
    ...verbs,
    ...bound(verbs, { get: 2 }, false),
    ...bound(verbs, writes, true),
  });
  const made = {
    ...client,
    ...bound(client, READS, false),
    ...bound(client, WRITES, true),
    status: both(client.status, STATUS),
    scale: both(client.scale, SCALE),
    subresource: (name: string) => both(client.subresource(name), SUBRESOURCE),
    request(request: Parameters<Client["request"]>[0]) {
      if (request.method === "GET" || request.method === "HEAD") return client.request({ signal, ...request });
      gate();
      return client.request({ signal, permit: gate, ...request });
    },
  };
  return made as unknown as Client;
}
