import type { KindFacts } from "../kinds/index.ts";
import type { Client } from "./client.ts";
import type { Core, PlainRef } from "./core.ts";
import { discovery } from "./discovery.ts";
import { exchange } from "./exchange.ts";
import { exec } from "./exec.ts";
import { portForward } from "./port-forward.ts";
import { presented } from "./presented.ts";
import { reading } from "./reading.ts";
import { deeds, subresource } from "./subresources.ts";
import { systemTiming, type Timing } from "./timing.ts";
import type { Transport } from "./transport.ts";
import { waiting } from "./waiting.ts";
import { logOnce, type WarningSink } from "./warning.ts";
import { watching } from "./watching.ts";
import { writing } from "./writing.ts";

export interface ClientOptions {
  /** Who writes, in managedFields. Default: "pintle". */
  readonly fieldManager?: string | undefined;
  /** See `Client.namespace`. Default: "default". */
  readonly namespace?: string | undefined;
  /** Called for every warning of the API server. Default: every text is logged once. */
  readonly onWarning?: WarningSink | undefined;
  readonly timing?: Timing | undefined;
  /** In [0, 1), as Math.random. */
  readonly random?: (() => number) | undefined;
}

/** The client over any transport; `connect()` is this over HTTP. */
export function clientOver(transport: Transport, options: ClientOptions = {}): Client {
  const send = exchange(transport, options.onWarning ?? logOnce(console.warn));
  const core: Core = {
    exchange: send,
    fieldManager: options.fieldManager ?? "pintle",
    timing: options.timing ?? systemTiming,
    random: options.random ?? Math.random,
  };
  const reader = reading(core);
  const writer = writing(core);
  const watch = watching(core);
  const statusOf = subresource(core, "status");
  const scaleOf = subresource(core, "scale");

  const untyped = {
    namespace: options.namespace ?? "default",
    ...reader,
    ...writer,
    watch,
    ...waiting(core, { list: reader.list, watch }),
    status: {
      get: async (kind: KindFacts, ref: PlainRef, o?: object) => presented(kind, await statusOf.get(kind, ref, o)),
      replace: (kind: KindFacts, object: any, o?: object) => writer.replace(kind, object, o, "status"),
      patch: (kind: KindFacts, ref: PlainRef, change: any, o?: object) => writer.patch(kind, ref, change, o, "status"),
      apply: (kind: KindFacts, object: any, o?: object) => writer.apply(kind, object, o, "status"),
    },
    scale: { get: scaleOf.get, replace: scaleOf.replace, patch: scaleOf.patch },
    subresource: (name: string) => subresource(core, name),
    ...deeds(core),
    exec: exec(transport),
    portForward: portForward(transport),
    ...discovery(send),
    request: (request: Parameters<typeof send>[0]) => send(request),
    close: () => transport.close(),
  };
  // The verbs are written over plain kinds and objects; the interface says what each kind makes of them.
  return untyped as unknown as Client;
}
