import { systemClock, type WallClock } from "../clock/index.ts";
import type { KindInfo } from "../kinds/index.ts";
import type { Client } from "./client.ts";
import { createExecVerb } from "./streams/exec.ts";
import { createPortForwardVerb } from "./streams/port-forward.ts";
import type { Transport } from "./transport.ts";
import { decodeObject } from "./verbs/decode-object.ts";
import { createDiscovery } from "./verbs/discovery.ts";
import { createReadVerbs } from "./verbs/read.ts";
import type { NamespacedName, VerbContext } from "./verbs/request.ts";
import { createRequestSender } from "./verbs/request-sender.ts";
import { createActionVerbs, createSubresourceVerbs } from "./verbs/subresources.ts";
import { logWarningsOnce, type WarningHandler } from "./verbs/warnings.ts";
import { createWriteVerbs } from "./verbs/write.ts";
import { createWaitVerbs } from "./watch/wait.ts";
import { createWatchVerb } from "./watch/watch.ts";

/** Options of a client. */
export interface ClientOptions {
  /** The field manager of writes. Default: "pintle". */
  readonly fieldManager?: string | undefined;
  /** See `Client.namespace`. Default: "default". */
  readonly namespace?: string | undefined;
  /** Called for every warning of the API server. Default: each text is logged once with `console.warn`. */
  readonly onWarning?: WarningHandler | undefined;
  /** Default: the system clock. */
  readonly clock?: WallClock | undefined;
  /** Returns numbers in [0, 1). Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

const transports = new WeakMap<object, Transport>();

/**
 * Tells an embedded cluster of work in this process that `settled()` must wait for although it sends no request: a call of an external system.
 * Controllers do so for each reconciliation. Returns the function that ends it. Without effect on a client of another server.
 *
 * @example
 * ```ts
 * import { type Client, trackWork } from "pintle/client";
 *
 * export async function importUsers(client: Client, load: () => Promise<void>): Promise<void> {
 *   const end = trackWork(client, "import of users");
 *   await load().finally(end);
 * }
 * ```
 */
export function trackWork(client: Client, description: string): () => void {
  return transports.get(client)?.trackWork?.(description) ?? (() => {});
}

/**
 * Returns a client over a transport. `connect()` does the same over HTTP; an embedded cluster has a transport of its own.
 *
 * @example
 * ```ts
 * import { createClient, createTransport, loadClusterAccess } from "pintle/client";
 *
 * const transport = await createTransport(await loadClusterAccess());
 * const client = createClient(transport, { fieldManager: "my-tool" });
 * console.log(client.namespace);
 * await client.close();
 * ```
 */
export function createClient(transport: Transport, options: ClientOptions = {}): Client {
  const sendRequest = createRequestSender(transport, options.onWarning ?? logWarningsOnce(console.warn));
  const context: VerbContext = {
    send: sendRequest,
    fieldManager: options.fieldManager ?? "pintle",
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
  const reader = createReadVerbs(context);
  const writer = createWriteVerbs(context);
  const watch = createWatchVerb(context);
  const statusSubresource = createSubresourceVerbs(context, "status");
  const scaleSubresource = createSubresourceVerbs(context, "scale");

  const untyped = {
    namespace: options.namespace ?? "default",
    ...reader,
    ...writer,
    watch,
    ...createWaitVerbs(context, { list: reader.list, watch }),
    status: {
      get: async (kind: KindInfo, ref: NamespacedName, o?: object) => decodeObject(kind, await statusSubresource.get(kind, ref, o)),
      replace: (kind: KindInfo, object: any, o?: object) => writer.replace(kind, object, o, "status"),
      patch: (kind: KindInfo, ref: NamespacedName, change: any, o?: object) => writer.patch(kind, ref, change, o, "status"),
      apply: (kind: KindInfo, object: any, o?: object) => writer.apply(kind, object, o, "status"),
    },
    scale: { get: scaleSubresource.get, replace: scaleSubresource.replace, patch: scaleSubresource.patch },
    subresource: (name: string) => createSubresourceVerbs(context, name),
    ...createActionVerbs(context),
    exec: createExecVerb(transport),
    portForward: createPortForwardVerb(transport),
    ...createDiscovery(sendRequest),
    request: (request: Parameters<typeof sendRequest>[0]) => sendRequest(request),
    close: () => transport.close(),
  };
  // The verbs are implemented for untyped kinds and objects; the interface adds the types of each kind.
  const client = untyped as unknown as Client;
  transports.set(client, transport);
  return client;
}
