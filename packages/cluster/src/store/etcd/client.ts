import { StoreError } from "../store.ts";
import { createGrpcChannel, type GrpcChannel, type GrpcCredentials, GrpcError, type GrpcStream } from "./grpc.ts";
import {
  decodeLeaseGrantResponse,
  decodeRangeResponse,
  decodeResponseHeader,
  decodeStatusResponse,
  decodeTxnResponse,
  decodeWatchResponse,
  type EtcdRangeRequest,
  type EtcdTxnRequest,
  encodeCompactionRequest,
  encodeLeaseGrantRequest,
  encodeRangeRequest,
  encodeTxnRequest,
  encodeWatchCreateRequest,
  type RangeResponse,
  type TxnResponse,
  type WatchResponse,
} from "./messages.ts";
import type { MessageFields } from "./protobuf-wire.ts";

/** Client of etcd's v3 API, as far as the store uses it. Every failure is a `StoreError`. */
export interface EtcdClient {
  range(request: EtcdRangeRequest): Promise<RangeResponse>;
  txn(request: EtcdTxnRequest): Promise<TxnResponse>;
  compact(revision: number): Promise<void>;
  /** Grants a lease; keys put with it are deleted when it expires. */
  grantLease(seconds: number): Promise<bigint>;
  version(): Promise<string>;
  /** Opens a watch and passes on every response of etcd. */
  watch(request: EtcdWatchRequest, received: (response: WatchResponse) => void, ended: (error: StoreError) => void): GrpcStream;
  close(): void;
}

export interface EtcdWatchRequest {
  readonly key: string;
  readonly rangeEnd: string;
  readonly startRevision: number;
}

export interface EtcdClientOptions extends GrpcCredentials {
  /** "http://127.0.0.1:2379" */
  readonly endpoints: readonly string[];
}

const REQUEST_TIMEOUT_MS = 10_000;

export function createEtcdClient({ endpoints, ...credentials }: EtcdClientOptions): EtcdClient {
  const channels = endpoints.map((endpoint) => ({ endpoint, channel: createGrpcChannel(endpoint, credentials) }));
  let preferred = 0;
  const currentEndpoint = () => channels[preferred % channels.length] as { readonly endpoint: string; readonly channel: GrpcChannel };
  let expectedClusterId: bigint | undefined;
  /** Revisions of different etcd clusters are not comparable. */
  const checkClusterId = (response: MessageFields): MessageFields => {
    const { clusterId } = decodeResponseHeader(response);
    expectedClusterId ??= clusterId;
    if (clusterId === expectedClusterId) return response;
    throw new Error("the endpoint belongs to another etcd cluster than before: restart to use its data");
  };
  const toStoreError = (error: unknown, endpoint: string) =>
    new StoreError("PINTLE6520", `etcd at ${endpoint}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });

  /** Calls the last endpoint that responded, and the others if the request cannot have been received or is idempotent. */
  const call = async (method: string, message: Buffer, isIdempotent: boolean): Promise<MessageFields> => {
    for (let attempt = 1; ; attempt++) {
      const { endpoint, channel } = currentEndpoint();
      try {
        return checkClusterId(await channel.call(method, message, AbortSignal.timeout(REQUEST_TIMEOUT_MS)));
      } catch (error) {
        const isUnreachable = error instanceof GrpcError && error.code === undefined;
        if (isUnreachable) {
          channel.close();
          preferred++;
        }
        if (!isUnreachable || attempt >= channels.length || (error.mayHaveBeenSent && !isIdempotent)) throw toStoreError(error, endpoint);
      }
    }
  };

  return {
    range: async (request) => decodeRangeResponse(await call("KV/Range", encodeRangeRequest(request), true)),
    txn: async (request) => decodeTxnResponse(await call("KV/Txn", encodeTxnRequest(request), false)),
    compact: async (revision) => void (await call("KV/Compact", encodeCompactionRequest(revision), true)),
    grantLease: async (seconds) => decodeLeaseGrantResponse(await call("Lease/LeaseGrant", encodeLeaseGrantRequest(seconds), true)),
    version: async () => decodeStatusResponse(await call("Maintenance/Status", Buffer.alloc(0), true)),
    watch({ key, rangeEnd, startRevision }, received, ended) {
      const { endpoint, channel } = currentEndpoint();
      const stream = channel.openStream(
        "Watch/Watch",
        (response) => received(decodeWatchResponse(checkClusterId(response))),
        (error) => ended(toStoreError(error, endpoint)),
      );
      stream.send(encodeWatchCreateRequest(key, rangeEnd, startRevision));
      return stream;
    },
    close() {
      for (const { channel } of channels) channel.close();
    },
  };
}
