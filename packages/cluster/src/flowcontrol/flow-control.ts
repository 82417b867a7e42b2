import type { Clock } from "pintle/internal/clock";
import type { FlowSchema, PriorityLevelConfiguration } from "pintle/kinds/flowcontrol/v1";
import {
  type FlowAttributes,
  type FlowClassification,
  type FlowControl,
  type FlowTicket,
  type RequestInfo,
  TooManyRequestsError,
  type UserInfo,
} from "../api/index.ts";
import type { ObjectStore } from "../store/index.ts";
import { compareFlowMatchers, createFlowMatcher, type FlowMatcher, matchesFlowRule } from "./flow-schema.ts";
import { LongRequests } from "./long-requests.ts";
import { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from "./mandatory-objects.ts";
import { PriorityLevel, type RejectionReason } from "./priority-level.ts";
import { RetryAfter } from "./retry-after.ts";

export interface FlowControlOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  /** Seats of all limited priority levels together. */
  readonly maxSeats: number;
  /** Milliseconds that a request may wait for a seat. */
  readonly maxWait: number;
}

/** Flow control of a running server. */
export interface RunningFlowControl extends FlowControl {
  readonly levels: ReadonlyMap<string, PriorityLevel>;
  /** Counters of each flow schema, for metrics. */
  readonly flows: Iterable<Flow>;
  stop(): void;
}

/** A flow schema whose priority level exists. */
export class Flow implements FlowClassification {
  matcher: FlowMatcher;
  readonly level: PriorityLevel;
  readonly rejected: Partial<Record<RejectionReason, number>> = {};
  dispatched = 0;
  executing = 0;
  inQueue = 0;

  constructor(matcher: FlowMatcher, level: PriorityLevel) {
    this.matcher = matcher;
    this.level = level;
  }

  get flowSchemaUid(): string {
    return this.matcher.uid;
  }

  get priorityLevelUid(): string {
    return this.level.uid;
  }
}

/** The rules of a flow whose subjects include a user. */
interface UserFlow {
  readonly flow: Flow;
  readonly rules: ReturnType<FlowMatcher["selectRules"]>;
}

const FLOW_SCHEMAS = "/registry/flowschemas/";
const PRIORITY_LEVELS = "/registry/prioritylevelconfigurations/";

/** Starts flow control by the FlowSchemas and PriorityLevelConfigurations of the store; a change applies to the next request. */
export async function startFlowControl({ store, clock, maxSeats, maxWait }: FlowControlOptions): Promise<RunningFlowControl> {
  const schemas = new Map<string, FlowSchema>();
  const configurations = new Map<string, PriorityLevelConfiguration>();
  const levels = new Map<string, PriorityLevel>();
  const retryAfter = new RetryAfter(clock);
  const longRequests = new LongRequests(maxSeats);
  let flows: readonly Flow[] = [];
  let flowsByUser = new WeakMap<UserInfo, readonly UserFlow[]>();

  const reconfigure = () => {
    const current = new Map([...MANDATORY_PRIORITY_LEVELS, ...configurations.values()].map((each) => [each.metadata.name, each]));
    // A deleted level is used until its last request has ended.
    for (const name of levels.keys()) if (!current.has(name)) levels.delete(name);
    for (const [name, { metadata, spec }] of current) {
      let level = levels.get(name);
      if (level === undefined) {
        level = new PriorityLevel(name, clock);
        levels.set(name, level);
      }
      level.configure(metadata.uid ?? "", spec);
    }
    setLimits([...levels.values()], maxSeats);
    const matchers = new Map([...MANDATORY_FLOW_SCHEMAS, ...schemas.values()].map((each) => [each.metadata.name, createFlowMatcher(each)]));
    const known = new Map(flows.map((flow) => [flow.matcher.name, flow]));
    flows = [...matchers.values()].sort(compareFlowMatchers).flatMap((matcher) => {
      const level = levels.get(matcher.priorityLevel);
      if (level === undefined) return [];
      const before = known.get(matcher.name);
      if (before?.level !== level) return [new Flow(matcher, level)];
      before.matcher = matcher;
      return [before];
    });
    flowsByUser = new WeakMap();
  };

  const classify = (user: UserInfo, info: RequestInfo): Flow => {
    let userFlows = flowsByUser.get(user);
    if (userFlows === undefined) {
      userFlows = flows.map((flow) => ({ flow, rules: flow.matcher.selectRules(user) })).filter(({ rules }) => rules.length > 0);
      flowsByUser.set(user, userFlows);
    }
    for (const { flow, rules } of userFlows) {
      for (const rule of rules) if (matchesFlowRule(rule, info)) return flow;
    }
    // The mandatory schema catch-all matches every user with a group.
    return flows.at(-1) as Flow;
  };

  const wait = async (flow: Flow, { user, requestInfo, request }: FlowAttributes): Promise<FlowTicket> => {
    flow.inQueue++;
    const reason = await flow.level.acquire(getFlowKey(flow, user, requestInfo), 1, maxWait, request.signal());
    flow.inQueue--;
    if (reason === undefined) return new SeatTicket(flow, user, longRequests, reject);
    throw reject(flow, reason);
  };
  const reject = (flow: Flow, reason: RejectionReason) => {
    flow.rejected[reason] = (flow.rejected[reason] ?? 0) + 1;
    return new TooManyRequestsError(flow, retryAfter.recordRejection(flow.level.name));
  };

  const stops = await Promise.all([
    watchObjects(store, FLOW_SCHEMAS, schemas, reconfigure),
    watchObjects(store, PRIORITY_LEVELS, configurations, reconfigure),
  ]);
  reconfigure();
  return {
    levels,
    get flows() {
      return flows;
    },
    admit(attributes) {
      const flow = classify(attributes.user, attributes.requestInfo);
      return flow.level.tryAcquire(1) ? new SeatTicket(flow, attributes.user, longRequests, reject) : wait(flow, attributes);
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** One seat. A class, so that all requests share one hidden class. */
class SeatTicket implements FlowTicket {
  readonly classification: Flow;
  readonly #user: string;
  readonly #longRequests: LongRequests;
  readonly #reject: (flow: Flow, reason: RejectionReason) => Error;
  #released = false;
  #isLong = false;

  constructor(flow: Flow, { name }: UserInfo, longRequests: LongRequests, reject: (flow: Flow, reason: RejectionReason) => Error) {
    this.classification = flow;
    this.#user = name;
    this.#longRequests = longRequests;
    this.#reject = reject;
    flow.dispatched++;
    flow.executing++;
  }

  becomeLong(): void {
    const { level } = this.classification;
    if (this.#released || this.#isLong || level.isExempt) return;
    if (!this.#longRequests.add(this.#user)) throw this.#reject(this.classification, "concurrency-limit");
    this.#isLong = true;
    level.release(1);
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.classification.executing--;
    if (this.#isLong) this.#longRequests.delete(this.#user);
    else this.classification.level.release(1);
  }
}

/** Divides the seats by shares, as kube-apiserver does: every limited level gets its part, rounded up. */
function setLimits(levels: readonly PriorityLevel[], maxSeats: number): void {
  const total = levels.reduce((sum, { shares }) => sum + shares, 0);
  for (const level of levels) level.setLimit(total === 0 ? 0 : Math.ceil((maxSeats * level.shares) / total));
}

/** Requests with the same key take turns with those of other keys. */
function getFlowKey({ matcher }: Flow, user: UserInfo, info: RequestInfo): string {
  switch (matcher.distinguisher) {
    case "ByUser":
      return `${matcher.name} ${user.name}`;
    case "ByNamespace":
      return `${matcher.name} ${info.type === "resource" ? info.namespace : ""}`;
    case "None":
      return matcher.name;
  }
}

async function watchObjects<T>(store: ObjectStore, prefix: string, objects: Map<string, T>, onChange: () => void): Promise<() => void> {
  const { entries, revision } = await store.range(prefix);
  for (const { key, value } of entries) objects.set(key, value as T);
  return store.watch(prefix, revision, ({ type, key, value }) => {
    if (type === "put") objects.set(key, value as T);
    else objects.delete(key);
    onChange();
  });
}
