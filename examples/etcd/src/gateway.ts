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
}

/** What the operator asks of etcd: over the JSON gateway of any member that is up. */
export interface Gateway {
  /** Throws when there is no quorum: the list is read through the log. */
  members(): Promise<readonly Member[]>;
  report(endpoint: string): Promise<Report>;
  /** False: etcd thinks that this is not the time, for example because members have only just come. */
  addLearner(peerURL: string): Promise<boolean>;
  /** False: it has not caught up yet. */
  promote(id: string): Promise<boolean>;
  remove(id: string): Promise<void>;
  /** Only the leader can hand over, so it is asked itself. */
  moveLeader(leaderEndpoint: string, to: string): Promise<void>;
}

const PATIENCE = 5_000;

/** `endpoints`: those worth asking, the best first. */
export function gateway(endpoints: readonly string[], signal: AbortSignal): Gateway {
  async function ask(endpoint: string, path: string, body: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${endpoint}/v3/${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new GatewayError(`${endpoint} ${path}: ${String(answer["message"] ?? answer["error"])}`);
    return answer;
  }
  /** The first that answers; what etcd itself refuses is not asked of another. */
  async function any(path: string, body: object): Promise<Record<string, unknown>> {
    let last: unknown = new Error("no member is up");
    for (const endpoint of endpoints) {
      try {
        return await ask(endpoint, path, body);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof GatewayError) throw error;
        last = error;
      }
    }
    throw last;
  }
  return {
    async members() {
      const { members = [] } = await any("cluster/member/list", { linearizable: true });
      return (members as readonly Raw[]).map(({ ID, name = "", peerURLs = [], isLearner = false }) => ({
        id: ID,
        name,
        peerURLs,
        learner: isLearner,
      }));
    },
    async report(endpoint) {
      const { header, leader, version, isLearner = false } = await ask(endpoint, "maintenance/status", {});
      return {
        id: (header as { readonly member_id: string }).member_id,
        leader: String(leader),
        version: String(version),
        learner: isLearner === true,
      };
    },
    addLearner: (peerURL) => unless(/unhealthy cluster/, any("cluster/member/add", { peerURLs: [peerURL], isLearner: true })),
    promote: (id) => unless(/in sync with leader/, any("cluster/member/promote", { ID: id })),
    async remove(id) {
      await any("cluster/member/remove", { ID: id });
    },
    async moveLeader(leaderEndpoint, to) {
      await ask(leaderEndpoint, "maintenance/transfer-leadership", { targetID: to });
    },
  };
}

/** Whether it was done; an answer that says no in these words is one. */
async function unless(no: RegExp, answer: Promise<unknown>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    if (error instanceof GatewayError && no.test(error.message)) return false;
    throw error;
  }
}

interface Raw {
  readonly ID: string;
  readonly name?: string;
  readonly peerURLs?: readonly string[];
  readonly isLearner?: boolean;
}

/** etcd answered, and said no. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
}
