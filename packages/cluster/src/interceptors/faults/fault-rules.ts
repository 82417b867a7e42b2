import type { RequestMatch, StringMatch } from "../request-match.ts";

/** A rule that injects a fault: which requests, events or webhook calls it applies to, what happens, and how often. */
export type FaultRule = RequestFaultRule | EventFaultRule | WebhookFaultRule;

/** What a rule does to a request, an event or a webhook call. */
export type Fault = RequestFault | EventFault | WebhookFault;

/** Which of the matches a fault applies to. Default: all. */
export interface FaultFrequency {
  /** First match that the fault applies to, counted from 1 since the rule was added. Default: 1. */
  readonly nth?: number | undefined;
  /** Number of matches that the fault applies to. Default: one with `nth`, all without. */
  readonly times?: number | undefined;
  /** Probability from 0 to 1, drawn from `seed` or from the cluster's random source. Default: 1. */
  readonly probability?: number | undefined;
  /** Seed of the rule's own random source. Default: the cluster's random source is used. */
  readonly seed?: number | undefined;
}

/** A fault of requests. */
export interface RequestFaultRule extends FaultFrequency {
  /** Requests that the rule applies to. Default: all. */
  readonly on?: RequestMatch | undefined;
  /** What happens to a match. */
  readonly do: RequestFault;
}

/** What happens to a request. */
export type RequestFault =
  /** The request is refused with this status before it is executed. A watch receives 410 as an event, as from a real server. */
  | {
      readonly status: number;
      readonly reason?: string | undefined;
      readonly message?: string | undefined;
      /** Value of `retryAfterSeconds`. Default: none. */
      readonly retryAfter?: number | undefined;
    }
  /** Delay in milliseconds of the cluster's clock before the request is executed. */
  | { readonly latency: number }
  /** The connection breaks before the request is executed, or after it, in the middle of the response. */
  | { readonly cut: "before" | "mid-response" };

/** A fault of watch events. */
export interface EventFaultRule extends FaultFrequency {
  /**
   * Events that the rule applies to; name and namespace are those of the object. Bookmarks match only if `event` names them. Default:
   * all.
   */
  readonly on?: (RequestMatch & { readonly event?: StringMatch | undefined }) | undefined;
  /** What happens to a match. */
  readonly do: EventFault;
}

/** What happens to a watch event. */
export type EventFault =
  /** The watch's connection breaks in place of the event, or the event alone is lost. */
  | { readonly drop: "connection" | "event" }
  /** From this event on the watch delivers nothing, not even its end; the connection stays open. */
  | { readonly stall: true }
  /** The event and all later ones are delayed by milliseconds of the cluster's clock. */
  | { readonly delay: number }
  | { readonly duplicate: true };

/** A fault of calls to a webhook. */
export interface WebhookFaultRule extends FaultFrequency {
  /** Name of the webhook in its configuration; for conversion webhooks the name of the CRD. */
  readonly on: { readonly webhook: StringMatch };
  /** What happens to a match. */
  readonly do: WebhookFault;
}

/** What happens to a call of a webhook. */
export type WebhookFault =
  /** Extra latency in milliseconds of the cluster's clock; counts towards the webhook's timeout. */
  | { readonly latency: number }
  /** The webhook responds with this HTTP status. */
  | { readonly status: number }
  /** The webhook is unreachable. */
  | { readonly cut: "before" };

/** An active rule; ends with `remove()`, or with the block of a `using` declaration. */
export interface InjectedFault extends Disposable {
  /** Number of times that the fault was injected. */
  readonly hits: number;
  /** Ends the rule. */
  remove(): void;
}

/** The fault rules of a cluster. */
export interface Faults {
  /** Adds a rule, which applies from the next request or event on. */
  add(rule: FaultRule): InjectedFault;
  /** Removes all rules. */
  clear(): void;
}
