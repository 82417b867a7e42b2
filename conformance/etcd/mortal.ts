import { type Client, clientOver, type Transport, type TransportRequest } from "pintle/client";
import { type Call, call } from "../../examples/etcd/src/call.ts";

/** What an operator has that dies: from then on it neither says anything to anybody nor hears what came of its last word. */
export interface Life {
  readonly client: Client;
  readonly call: Call;
  /** Resolves with what it did last. */
  readonly over: Promise<string>;
}

const CHANGES = /^(cluster\/member\/(add|remove|promote)|maintenance\/(transfer-leadership|defragment)|kv\/compaction)$/;
/** Written in the background, about what has been done already. */
const EVENTS = /\/events(\/|$)/;

/** A life that ends with its first write, to the API server or to etcd. */
export function mortal(transport: Transport): Life {
  let isDead = false;
  let isLast = false;
  let end = (_: string) => {};
  const over = new Promise<string>((resolve) => {
    end = resolve;
  });
  async function last<T>(what: string, doing: () => Promise<T>): Promise<T> {
    if (isLast) throw new Dead();
    isLast = true;
    await doing().catch(() => {});
    isDead = true;
    end(what);
    throw new Dead();
  }
  const through = async <T>(what: string, changes: boolean, doing: () => Promise<T>): Promise<T> => {
    if (isDead) throw new Dead();
    if (changes) return last(what, doing);
    const answer = await doing();
    if (isDead) throw new Dead();
    return answer;
  };
  const request = (asked: TransportRequest) =>
    through(`${asked.method} ${asked.path}`, asked.method !== "GET" && !EVENTS.test(asked.path), () => transport.request(asked));
  return {
    client: clientOver({ request, close: async () => {} }),
    call: (question) => through(`${question.endpoint.member} ${question.path}`, CHANGES.test(question.path), () => call(question)),
    over,
  };
}

class Dead extends Error {
  constructor() {
    super("the operator is dead");
  }
}
