import { StoreError } from "../store.ts";
import { CallError, type Channel, type Credentials, channel, type Exchange } from "./grpc.ts";
import {
  compactionRequest,
  header,
  leaseAnswer,
  leaseRequest,
  type RangeAnswer,
  type RangeRequest,
  rangeAnswer,
  rangeRequest,
  type TxnAnswer,
  type TxnRequest,
  txnAnswer,
  txnRequest,
  versionAnswer,
  type WatchAnswer,
  watchAnswer,
  watchRequest,
} from "./messages.ts";
import type { Fields } from "./wire.ts";

/** etcd's v3 API, as far as a store needs it. Whatever goes wrong is a StoreError. */
export interface EtcdClient {
  range(request: RangeRequest): Promise<RangeAnswer>;
  txn(request: TxnRequest): Promise<TxnAnswer>;
  compact(revision: number): Promise<void>;
  /** A lease for so many seconds: keys that are put with it go when it ends. */
  lease(seconds: number): Promise<bigint>;
  version(): Promise<string>;
  /** Every change from a revision on, and whatever else etcd says about it. */
  watch(request: WatchFrom, received: (answer: WatchAnswer) => void, ended: (error: StoreError) => void): Exchange;
  close(): void;
}

export interface WatchFrom {
  readonly key: string;
  readonly end: string;
  readonly fromRevision: number;
}

export interface EtcdClientOptions extends Credentials {
  /** "http://127.0.0.1:2379" */
  readonly endpoints: readonly string[];
}

const PATIENCE = 10_000;

export function etcdClient({ endpoints, ...credentials }: EtcdClientOptions): EtcdClient {
  const channels = endpoints.map((endpoint) => ({ endpoint, channel: channel(endpoint, credentials) }));
  let preferred = 0;
  const current = () => channels[preferred % channels.length] as { readonly endpoint: string; readonly channel: Channel };
  let cluster: bigint | undefined;
  /** Revisions of one etcd say nothing about another. */
  const checked = (answer: Fields): Fields => {
    const { clusterId } = header(answer);
    cluster ??= clusterId;
    if (clusterId === cluster) return answer;
    throw new Error("it is another one than when this cluster was started: start the cluster again to go on with what is there now");
  };
  const explained = (error: unknown, endpoint: string) =>
    new StoreError(`etcd at ${endpoint}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });

  /** Of the endpoint that answered last; of the others too, when it cannot have heard it or it does no harm twice. */
  const ask = async (method: string, message: Buffer, harmless: boolean): Promise<Fields> => {
    for (let attempt = 1; ; attempt++) {
      const { endpoint, channel } = current();
      try {
        return checked(await channel.ask(method, message, AbortSignal.timeout(PATIENCE)));
      } catch (error) {
        const silent = error instanceof CallError && error.code === undefined;
        if (silent) {
          channel.drop();
          preferred++;
        }
        if (!silent || attempt >= channels.length || (error.sent && !harmless)) throw explained(error, endpoint);
      }
    }
  };

  return {
    range: async (request) => rangeAnswer(await ask("KV/Range", rangeRequest(request), true)),
    txn: async (request) => txnAnswer(await ask("KV/Txn", txnRequest(request), false)),
    compact: async (revision) => void (await ask("KV/Compact", compactionRequest(revision), true)),
    lease: async (seconds) => leaseAnswer(await ask("Lease/LeaseGrant", leaseRequest(seconds), true)),
    version: async () => versionAnswer(await ask("Maintenance/Status", Buffer.alloc(0), true)),
    watch({ key, end, fromRevision }, received, ended) {
      const { endpoint, channel } = current();
      const exchange = channel.open(
        "Watch/Watch",
        (answer) => received(watchAnswer(checked(answer))),
        (error) => ended(explained(error, endpoint)),
      );
      exchange.send(watchRequest(key, end, fromRevision));
      return exchange;
    },
    close() {
      for (const { channel } of channels) channel.drop();
    },
  };
}
