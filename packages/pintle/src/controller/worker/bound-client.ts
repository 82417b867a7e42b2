import type { Client } from "../../client/index.ts";
import { anySignal } from "../../clock/index.ts";
import { runInBackground } from "../../errors/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import type { RecordedRun } from "../../recorder/index.ts";
import { type CallSite, captureCallSite, describeCall } from "./last-call.ts";
import { formatCall, type PassReads } from "./pass-reads.ts";
import { recordRequest } from "./record-request.ts";

/** What the calls of a bound client have in common. */
export interface ClientBinding {
  /** Aborts every call. */
  readonly signal: AbortSignal;
  /** Default field manager of writes. */
  readonly fieldManager: string;
  /** Throws when this process must not write. */
  readonly writeGate: () => void;
  /** Called at the start of every call; the returned function is called when it has ended. */
  readonly onCall?: ((description: string, site: CallSite) => () => void) | undefined;
  /** The run that makes the calls: its writes carry its id and are recorded. Default: nothing is recorded. */
  readonly run?: RecordedRun | undefined;
  /** Records the responses of calls, for a replay. Default: they are not recorded. */
  readonly reads?: PassReads | undefined;
}

/** The position of the options argument of each verb. */
const READ_OPTION_INDEX = { get: 2, find: 2, list: 1, listPages: 1, watch: 1, waitFor: 3, waitForDeletion: 2, logs: 2, discoverKinds: 0 };
const WRITE_OPTION_INDEX = {
  create: 2,
  replace: 2,
  patch: 3,
  apply: 2,
  delete: 2,
  deleteCollection: 1,
  evict: 2,
  bind: 3,
  createToken: 2,
  exec: 2,
  portForward: 3,
};
const STATUS_OPTION_INDEX = { replace: 2, patch: 3, apply: 2 };
const SCALE_OPTION_INDEX = { replace: 3, patch: 3 };
const SUBRESOURCE_OPTION_INDEX = { create: 3, replace: 3, patch: 3, apply: 3 };

/** Returns a client whose calls are aborted with the signal, and whose writes pass the write gate and have a default field manager. */
export function createBoundClient(client: Client, binding: ClientBinding): Client {
  const { signal, fieldManager, writeGate, onCall, run, reads } = binding;
  const bound = (verbs: object, at: Readonly<Record<string, number>>, writes: boolean, part = "") => {
    const from = verbs as Readonly<Record<string, (...args: unknown[]) => unknown>>;
    const out: Record<string, unknown> = {};
    for (const [verb, place] of Object.entries(at)) {
      const call = (...args: unknown[]) => {
        if (writes) writeGate();
        const callOptions = args[place] as { readonly signal?: AbortSignal | undefined } | undefined;
        args[place] = {
          ...(writes ? { fieldManager, permit: writeGate } : {}),
          ...callOptions,
          signal: callOptions?.signal ? anySignal([signal, callOptions.signal]) : signal,
        };
        const ended = onCall?.(describeCall(verb, args), captureCallSite(call));
        const send = () => from[verb]!(...args);
        const result = writes && run !== undefined ? recordRequest(run, verb, args, place, send) : send();
        if (ended !== undefined && result instanceof Promise) runInBackground(result.then(ended, ended));
        if (reads !== undefined) noteResponse(reads, `${verb}${part}`, args, result);
        return result;
      };
      out[verb] = call;
    }
    return out;
  };
  const bindReadsAndWrites = (verbs: object, writes: Readonly<Record<string, number>>, part: string) => ({
    ...verbs,
    ...bound(verbs, { get: 2 }, false, part),
    ...bound(verbs, writes, true, part),
  });
  const boundClient = {
    ...client,
    ...bound(client, READ_OPTION_INDEX, false),
    ...bound(client, WRITE_OPTION_INDEX, true),
    status: bindReadsAndWrites(client.status, STATUS_OPTION_INDEX, " status"),
    scale: bindReadsAndWrites(client.scale, SCALE_OPTION_INDEX, " scale"),
    subresource: (name: string) => bindReadsAndWrites(client.subresource(name), SUBRESOURCE_OPTION_INDEX, ` ${name}`),
    request(request: Parameters<Client["request"]>[0]) {
      onCall?.(`${request.method} ${request.path}`, captureCallSite(boundClient.request));
      reads?.noteOutside(`${request.method} ${request.path}`);
      if (request.method === "GET" || request.method === "HEAD") return client.request({ signal, ...request });
      writeGate();
      const auditId = run?.nextAuditId();
      const headers = auditId === undefined ? request.headers : { "audit-id": auditId, ...request.headers };
      return client.request({ signal, permit: writeGate, ...request, headers });
    },
  };
  return boundClient as unknown as Client;
}

/** Verbs whose responses are objects; those of all others are outside of what a replay can give. */
const OBJECT_VERBS = /^(get|find|list|create|replace|patch|apply|delete|deleteCollection|createToken)( |$)/;

function noteResponse(reads: PassReads, verb: string, args: readonly unknown[], result: unknown): void {
  const [kind, ...rest] = args as [KindInfo, ...unknown[]];
  if (!OBJECT_VERBS.test(verb) || !(result instanceof Promise)) {
    reads.noteOutside(typeof kind === "object" ? formatCall(verb, kind, rest) : verb);
    return;
  }
  const end = reads.beginCall();
  runInBackground(
    result.then(
      (response) => {
        end();
        reads.noteCall(verb, kind, rest, response);
      },
      (error: unknown) => {
        end();
        reads.noteFailedCall(verb, kind, rest, error);
      },
    ),
  );
}
