import { type Random, seededRandom } from "pintle/internal/clock";
import { getMetadata, type WatchEvent } from "../../api/index.ts";
import { matchesRequest, matchesString, type RequestAttributes } from "../request-match.ts";
import type {
  EventFault,
  EventFaultRule,
  FaultRule,
  Faults,
  InjectedFault,
  RequestFault,
  RequestFaultRule,
  WebhookFault,
  WebhookFaultRule,
} from "./fault-rules.ts";

/** The active fault rules. Every lookup counts as a match. */
export interface FaultInjector extends Faults {
  /** Whether any rule applies to requests. */
  readonly hasRequestRules: boolean;
  getRequestFaults(attributes: RequestAttributes): readonly RequestFault[];
  getEventFault(watch: RequestAttributes, event: WatchEvent): EventFault | undefined;
  getWebhookFaults(name: string): readonly WebhookFault[];
}

interface ActiveRule<R extends FaultRule> {
  readonly rule: R;
  readonly random: Random;
  matches: number;
  hits: number;
}

export function createFaultInjector(random: Random): FaultInjector {
  const requests = new Set<ActiveRule<RequestFaultRule>>();
  const events = new Set<ActiveRule<EventFaultRule>>();
  const webhooks = new Set<ActiveRule<WebhookFaultRule>>();

  const activate = <R extends FaultRule>(all: Set<ActiveRule<R>>, rule: R): InjectedFault => {
    const active: ActiveRule<R> = { rule, random: rule.seed === undefined ? random : seededRandom(rule.seed), matches: 0, hits: 0 };
    all.add(active);
    const remove = () => void all.delete(active);
    return {
      get hits() {
        return active.hits;
      },
      remove,
      [Symbol.dispose]: remove,
    };
  };

  return {
    add(rule) {
      if (isEventRule(rule)) return activate(events, rule);
      return isWebhookRule(rule) ? activate(webhooks, rule) : activate(requests, rule);
    },
    clear() {
      for (const all of [requests, events, webhooks]) all.clear();
    },
    get hasRequestRules() {
      return requests.size > 0;
    },
    getRequestFaults(attributes) {
      if (requests.size === 0) return [];
      return [...requests]
        .filter(({ rule }) => matchesRequest(rule.on ?? {}, attributes))
        .filter(shouldInject)
        .map(({ rule }) => rule.do);
    },
    getEventFault(watch, event) {
      if (events.size === 0) return undefined;
      const { name = "", namespace = "" } = getMetadata(event.object);
      const attributes = { ...watch, name, namespace };
      const matchesRule = ({ rule: { on = {} } }: ActiveRule<EventFaultRule>) =>
        (event.type !== "BOOKMARK" || on.event !== undefined) && matchesString(on.event, event.type) && matchesRequest(on, attributes);
      return [...events].filter(matchesRule).find(shouldInject)?.rule.do;
    },
    getWebhookFaults: (name) =>
      [...webhooks]
        .filter(({ rule }) => matchesString(rule.on.webhook, name))
        .filter(shouldInject)
        .map(({ rule }) => rule.do),
  };
}

/** Whether the rule applies to this match. */
function shouldInject(active: ActiveRule<FaultRule>): boolean {
  const { nth, times = nth === undefined ? Number.POSITIVE_INFINITY : 1, probability = 1 } = active.rule;
  active.matches++;
  if (active.matches < (nth ?? 1) || active.hits >= times || (probability < 1 && active.random() >= probability)) return false;
  active.hits++;
  return true;
}

const EVENT_FAULTS = ["drop", "stall", "delay", "duplicate"];
function isEventRule(rule: FaultRule): rule is EventFaultRule {
  return EVENT_FAULTS.some((name) => name in rule.do);
}
function isWebhookRule(rule: FaultRule): rule is WebhookFaultRule {
  return rule.on !== undefined && "webhook" in rule.on;
}
