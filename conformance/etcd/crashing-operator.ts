import { type Client, createClient, type Transport, type TransportRequest } from "pintle/client";
import { type SendEtcdRequest, sendEtcdRequest } from "../../examples/etcd/src/etcd-request.ts";

/** The clients of an operator that crashes: afterwards it neither sends requests nor receives the response of its last write. */
export interface CrashingOperator {
  readonly client: Client;
  readonly call: SendEtcdRequest;
  /** Resolves with the last write. */
  readonly crashed: Promise<string>;
}

const CHANGES = /^(cluster\/member\/(add|remove|promote)|maintenance\/(transfer-leadership|defragment)|kv\/compaction)$/;
/** Events are written in the background, about completed operations. */
const EVENTS = /\/events(\/|$)/;

/** Creates clients that fail after their first write to the API server or to etcd. */
export function crashAfterFirstWrite(transport: Transport): CrashingOperator {
  let hasCrashed = false;
  let isLast = false;
  let end = (_: string) => {};
  const crashed = new Promise<string>((resolve) => {
    end = resolve;
  });
  async function last<T>(what: string, doing: () => Promise<T>): Promise<T> {
    if (isLast) throw new OperatorCrashed();
    isLast = true;
    await doing().catch(() => {});
    hasCrashed = true;
    end(what);
    throw new OperatorCrashed();
  }
  const guard = async <T>(what: string, changes: boolean, doing: () => Promise<T>): Promise<T> => {
    if (hasCrashed) throw new OperatorCrashed();
    if (changes) return last(what, doing);
    const answer = await doing();
    if (hasCrashed) throw new OperatorCrashed();
    return answer;
  };
  const request = (outgoing: TransportRequest) =>
    guard(`${outgoing.method} ${outgoing.path}`, outgoing.method !== "GET" && !EVENTS.test(outgoing.path), () =>
      transport.request(outgoing),
    );
  return {
    client: createClient({ request, close: async () => {} }),
    call: (question) => guard(`${question.endpoint.member} ${question.path}`, CHANGES.test(question.path), () => sendEtcdRequest(question)),
    crashed,
  };
}

class OperatorCrashed extends Error {
  constructor() {
    super("the operator has crashed");
  }
}
