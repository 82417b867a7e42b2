import type { Call, Credentials, Endpoint } from "./call.ts";

/** A member as etcd's own list has it. */
export interface Member {
  /** A 64-bit number, in decimal: more than a JavaScript number can hold. */
  readonly id: string;
  /** Empty until it has started. */
  readonly name: string;
  readonly peerURLs: readonly string[];
  readonly learner: boolean;
}

/** What a member says of itself. */
export interface Report {
  readonly id: string;
  readonly leader: string;
  readonly version: string;
  readonly learner: boolean;
  readonly revision: number;
  /** Bytes of its database, and how many of them hold something. */
  readonly size: number;
  readonly used: number;
  /** Milliseconds it took to say so. */
  readonly took: number;
}

/** What the operator asks of etcd. What changes something is asked of one member, once: whoever is not sure looks again. */
export interface Gateway {
  /** Read through the log, so it rejects when there is no quorum. All are asked at once, and the first answer counts. */
  members(): Promise<readonly Member[]>;
  /** What a member knows by itself, which may be old. */
  remembered(): Promise<readonly Member[]>;
  report(member: string): Promise<Report>;
  /** Members without room for more. */
  full(): Promise<readonly string[]>;
  addLearner(peerURL: string): Promise<void>;
  promote(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Only the leader can hand over, so it is asked itself. */
  moveLeader(leader: string, to: string): Promise<void>;
  /** Forgets all older revisions of keys. */
  compact(revision: number): Promise<void>;
  /** The member answers nobody meanwhile. */
  defragment(member: string): Promise<void>;
  disarm(id: string): Promise<void>;
}

export interface GatewayOptions {
  readonly call: Call;
  /** Those worth asking, the best first. */
  readonly endpoints: readonly Endpoint[];
  readonly credentials?: Credentials | undefined;
  readonly signal: AbortSignal;
}

const PATIENCE = 5_000;
/** A follower waits 7 s for a leader that has just died. */
const CHANGE_PATIENCE = 8_000;
/** The member goes on with it, whether or not somebody waits; one that hangs must not keep the others waiting. */
const DEFRAGMENT_PATIENCE = 20_000;

export function gateway({ call, endpoints, credentials, signal }: GatewayOptions): Gateway {
  async function ask(endpoint: Endpoint, path: string, body: object, patience = PATIENCE): Promise<Readonly<Record<string, unknown>>> {
    const answer = await call({ endpoint, path, body, credentials, patience, signal });
    if (!answer.ok) throw new GatewayError(`${endpoint.member}: ${String(answer.body["message"] ?? answer.body["error"])}`);
    return answer.body;
  }
  const of = (member: string): Endpoint => {
    const found = endpoints.find((endpoint) => endpoint.member === member);
    if (found === undefined) throw new GatewayError(`${member} is not up`);
    return found;
  };
  async function first(path: string, body: object) {
    if (endpoints.length === 0) throw new GatewayError("no member is up");
    return Promise.any(endpoints.map((endpoint) => ask(endpoint, path, body)));
  }
  async function list(linearizable: boolean): Promise<readonly Member[]> {
    const { members = [] } = await first("cluster/member/list", { linearizable });
    return (members as readonly Raw[]).map(({ ID, name = "", peerURLs = [], isLearner = false }) => ({
      id: ID,
      name,
      peerURLs,
      learner: isLearner,
    }));
  }
  async function change(path: string, body: object): Promise<void> {
    const [best] = endpoints;
    if (best === undefined) throw new GatewayError("no member is up");
    await ask(best, path, body, CHANGE_PATIENCE);
  }
  return {
    members: () => list(true),
    remembered: () => list(false),
    async report(member) {
      const asked = performance.now();
      const said = await ask(of(member), "maintenance/status", {});
      const { member_id: id, revision } = said["header"] as { readonly member_id: string; readonly revision: string };
      return {
        id,
        leader: String(said["leader"]),
        version: String(said["version"]),
        learner: said["isLearner"] === true,
        revision: Number(revision),
        size: Number(said["dbSize"] ?? 0),
        used: Number(said["dbSizeInUse"] ?? 0),
        took: performance.now() - asked,
      };
    },
    async full() {
      const { alarms = [] } = await first("maintenance/alarm", { action: "GET" });
      return (alarms as readonly Alarm[]).filter(({ alarm }) => alarm === "NOSPACE").map(({ memberID }) => memberID);
    },
    addLearner: (peerURL) => change("cluster/member/add", { peerURLs: [peerURL], isLearner: true }),
    promote: (id) => change("cluster/member/promote", { ID: id }),
    remove: (id) => change("cluster/member/remove", { ID: id }),
    async moveLeader(leader, to) {
      await ask(of(leader), "maintenance/transfer-leadership", { targetID: to }, CHANGE_PATIENCE);
    },
    compact: (revision) => change("kv/compaction", { revision: String(revision), physical: true }),
    async defragment(member) {
      await ask(of(member), "maintenance/defragment", {}, DEFRAGMENT_PATIENCE);
    },
    disarm: (id) => change("maintenance/alarm", { action: "DEACTIVATE", memberID: id, alarm: "NOSPACE" }),
  };
}

interface Raw {
  readonly ID: string;
  readonly name?: string;
  readonly peerURLs?: readonly string[];
  readonly isLearner?: boolean;
}
interface Alarm {
  readonly memberID: string;
  readonly alarm: string;
}

/** etcd answered, and said no. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
}
