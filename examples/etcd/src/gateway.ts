import type { Credentials, Endpoint, SendEtcdRequest } from "./etcd-request.ts";

/** A member in etcd's member list. */
export interface Member {
  /** A 64-bit number in decimal, which exceeds the range of JavaScript numbers. */
  readonly id: string;
  /** Empty until the member has started. */
  readonly name: string;
  readonly peerURLs: readonly string[];
  readonly learner: boolean;
}

/** Response of the maintenance status request. */
export interface MemberStatus {
  readonly id: string;
  readonly leader: string;
  readonly version: string;
  readonly learner: boolean;
  readonly revision: number;
  /** Size of the database and the part that is in use, in bytes. */
  readonly dbSizeBytes: number;
  readonly dbUsedBytes: number;
  /** Duration of the status request in milliseconds. */
  readonly latencyMs: number;
}

/** The etcd requests of the operator. Changes are sent to one member once; after an error the caller observes the cluster again. */
export interface Gateway {
  /** Returns the linearizable member list, so it rejects without a quorum. All members are queried, and the first response wins. */
  members(): Promise<readonly Member[]>;
  /** Returns the serializable member list of any member, which may be stale. */
  localMembers(): Promise<readonly Member[]>;
  status(member: string): Promise<MemberStatus>;
  /** Returns the IDs of members with a NOSPACE alarm. */
  outOfSpaceIds(): Promise<readonly string[]>;
  addLearner(peerURL: string): Promise<void>;
  promote(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Sent to the leader, because only it can transfer leadership. */
  moveLeader(leader: string, to: string): Promise<void>;
  /** Compacts all older key revisions. */
  compact(revision: number): Promise<void>;
  /** The member does not respond while it is being defragmented. */
  defragment(member: string): Promise<void>;
  disarmAlarm(id: string): Promise<void>;
}

export interface GatewayOptions {
  readonly call: SendEtcdRequest;
  /** Endpoints in order of preference. */
  readonly endpoints: readonly Endpoint[];
  readonly credentials?: Credentials | undefined;
  readonly signal: AbortSignal;
}

const REQUEST_TIMEOUT_MS = 5_000;
/** A follower waits up to 7 seconds for a leader that has just failed. */
const CHANGE_TIMEOUT_MS = 8_000;
/** The member completes the defragmentation even after a timeout; a hung member must not block the others. */
const DEFRAGMENT_TIMEOUT_MS = 20_000;

export function createGateway({ call, endpoints, credentials, signal }: GatewayOptions): Gateway {
  async function request(
    endpoint: Endpoint,
    path: string,
    body: object,
    timeoutMs = REQUEST_TIMEOUT_MS,
  ): Promise<Readonly<Record<string, unknown>>> {
    const response = await call({ endpoint, path, body, credentials, timeoutMs, signal });
    if (!response.ok) throw new GatewayError(`${endpoint.member}: ${String(response.body["message"] ?? response.body["error"])}`);
    return response.body;
  }
  const endpointOf = (member: string): Endpoint => {
    const found = endpoints.find((endpoint) => endpoint.member === member);
    if (found === undefined) throw new GatewayError(`${member} is not available`);
    return found;
  };
  async function requestAny(path: string, body: object) {
    if (endpoints.length === 0) throw new GatewayError("no member is available");
    return Promise.any(endpoints.map((endpoint) => request(endpoint, path, body)));
  }
  async function listMembers(linearizable: boolean): Promise<readonly Member[]> {
    const { members = [] } = await requestAny("cluster/member/list", { linearizable });
    return (members as readonly RawMember[]).map(({ ID, name = "", peerURLs = [], isLearner = false }) => ({
      id: ID,
      name,
      peerURLs,
      learner: isLearner,
    }));
  }
  async function requestChange(path: string, body: object): Promise<void> {
    const [best] = endpoints;
    if (best === undefined) throw new GatewayError("no member is available");
    await request(best, path, body, CHANGE_TIMEOUT_MS);
  }
  return {
    members: () => listMembers(true),
    localMembers: () => listMembers(false),
    async status(member) {
      const startedAt = performance.now();
      const response = await request(endpointOf(member), "maintenance/status", {});
      const { member_id: id, revision } = response["header"] as { readonly member_id: string; readonly revision: string };
      return {
        id,
        leader: String(response["leader"]),
        version: String(response["version"]),
        learner: response["isLearner"] === true,
        revision: Number(revision),
        dbSizeBytes: Number(response["dbSize"] ?? 0),
        dbUsedBytes: Number(response["dbSizeInUse"] ?? 0),
        latencyMs: performance.now() - startedAt,
      };
    },
    async outOfSpaceIds() {
      const { alarms = [] } = await requestAny("maintenance/alarm", { action: "GET" });
      return (alarms as readonly Alarm[]).filter(({ alarm }) => alarm === "NOSPACE").map(({ memberID }) => memberID);
    },
    addLearner: (peerURL) => requestChange("cluster/member/add", { peerURLs: [peerURL], isLearner: true }),
    promote: (id) => requestChange("cluster/member/promote", { ID: id }),
    remove: (id) => requestChange("cluster/member/remove", { ID: id }),
    async moveLeader(leader, to) {
      await request(endpointOf(leader), "maintenance/transfer-leadership", { targetID: to }, CHANGE_TIMEOUT_MS);
    },
    compact: (revision) => requestChange("kv/compaction", { revision: String(revision), physical: true }),
    async defragment(member) {
      await request(endpointOf(member), "maintenance/defragment", {}, DEFRAGMENT_TIMEOUT_MS);
    },
    disarmAlarm: (id) => requestChange("maintenance/alarm", { action: "DEACTIVATE", memberID: id, alarm: "NOSPACE" }),
  };
}

interface RawMember {
  readonly ID: string;
  readonly name?: string;
  readonly peerURLs?: readonly string[];
  readonly isLearner?: boolean;
}
interface Alarm {
  readonly memberID: string;
  readonly alarm: string;
}

/** etcd responded with an error. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
}
