import { type Random, seeded } from "pintle/queue";
import { metadataOf, type WatchEvent } from "../api/index.ts";
import type { EventFault, EventRule, FaultRule, Faults, Injected, RequestFault, RequestRule, WebhookFault, WebhookRule } from "./fault.ts";
import { fits, matchesRequest, type RequestFacts } from "./match.ts";

/** The rules in force, and what they do to whom. Asking counts. */
export interface FaultBook extends Faults {
  /** Whether there is a rule about requests. */
  readonly active: boolean;
  ofRequest(facts: RequestFacts): readonly RequestFault[];
  ofEvent(watch: RequestFacts, event: WatchEvent): EventFault | undefined;
  ofWebhook(name: string): readonly WebhookFault[];
}

interface Kept<R extends FaultRule> {
  readonly rule: R;
  readonly random: Random;
  seen: number;
  hits: number;
}

export function faultBook(random: Random): FaultBook {
  const requests = new Set<Kept<RequestRule>>();
  const events = new Set<Kept<EventRule>>();
  const webhooks = new Set<Kept<WebhookRule>>();

  const keep = <R extends FaultRule>(all: Set<Kept<R>>, rule: R): Injected => {
    const kept: Kept<R> = { rule, random: rule.seed === undefined ? random : seeded(rule.seed), seen: 0, hits: 0 };
    all.add(kept);
    const remove = () => void all.delete(kept);
    return {
      get hits() {
        return kept.hits;
      },
      remove,
      [Symbol.dispose]: remove,
    };
  };

  return {
    add(rule) {
      if (isEventRule(rule)) return keep(events, rule);
      return isWebhookRule(rule) ? keep(webhooks, rule) : keep(requests, rule);
    },
    clear() {
      for (const all of [requests, events, webhooks]) all.clear();
    },
    get active() {
      return requests.size > 0;
    },
    ofRequest(facts) {
      if (requests.size === 0) return [];
      return [...requests]
        .filter(({ rule }) => matchesRequest(rule.on ?? {}, facts))
        .filter(strikes)
        .map(({ rule }) => rule.do);
    },
    ofEvent(watch, event) {
      if (events.size === 0) return undefined;
      const { name = "", namespace = "" } = metadataOf(event.object);
      const facts = { ...watch, name, namespace };
      const meant = ({ rule: { on = {} } }: Kept<EventRule>) =>
        (event.type !== "BOOKMARK" || on.event !== undefined) && fits(on.event, event.type) && matchesRequest(on, facts);
      return [...events].filter(meant).find(strikes)?.rule.do;
    },
    ofWebhook: (name) =>
      [...webhooks]
        .filter(({ rule }) => fits(rule.on.webhook, name))
        .filter(strikes)
        .map(({ rule }) => rule.do),
  };
}

/** Whether one more that fits the rule is one that it happens to. */
function strikes(kept: Kept<FaultRule>): boolean {
  const { nth, times = nth === undefined ? Number.POSITIVE_INFINITY : 1, probability = 1 } = kept.rule;
  kept.seen++;
  if (kept.seen < (nth ?? 1) || kept.hits >= times || (probability < 1 && kept.random() >= probability)) return false;
  kept.hits++;
  return true;
}

const EVENT_FAULTS = ["drop", "stall", "delay", "duplicate"];
function isEventRule(rule: FaultRule): rule is EventRule {
  return EVENT_FAULTS.some((name) => name in rule.do);
}
function isWebhookRule(rule: FaultRule): rule is WebhookRule {
  return rule.on !== undefined && "webhook" in rule.on;
}
