import type { OneOf, RequestMatch } from "./match.ts";

/** What goes wrong, with which requests, and how often. */
export type FaultRule = RequestRule | EventRule | WebhookRule;
export type Fault = RequestFault | EventFault | WebhookFault;

interface When {
  /** The first of them that it happens to, counted from 1 since the rule was added. Default: 1. */
  readonly nth?: number | undefined;
  /** To how many it happens. Default: to one with `nth`, to all without. */
  readonly times?: number | undefined;
  /** Only so often, from 0 to 1: by the seed, or by the cluster's own randomness. */
  readonly probability?: number | undefined;
  readonly seed?: number | undefined;
}

export interface RequestRule extends When {
  /** Default: every request. */
  readonly on?: RequestMatch | undefined;
  readonly do: RequestFault;
}

export type RequestFault =
  /** Refused before it is carried out, as the server words it. A watch hears 410 as an event, as it always does. */
  | {
      readonly status: number;
      readonly reason?: string | undefined;
      readonly message?: string | undefined;
      /** Seconds. */
      readonly retryAfter?: number | undefined;
    }
  /** So many milliseconds pass before it is carried out, on the cluster's clock. */
  | { readonly latency: number }
  /** The connection breaks: before the request is carried out, or afterwards, in the middle of the answer. */
  | { readonly cut: "before" | "mid-response" };

export interface EventRule extends When {
  /** Which events of which watches: name and namespace are those of the object. Bookmarks count only where `event` names them. */
  readonly on?: (RequestMatch & { readonly event?: OneOf | undefined }) | undefined;
  readonly do: EventFault;
}

export type EventFault =
  /** The watch's connection breaks in its place, or it alone is lost. */
  | { readonly drop: "connection" | "event" }
  /** From here on nothing comes, not even an end: the connection stands and is silent. */
  | { readonly stall: true }
  /** It comes so many milliseconds later, on the cluster's clock, and all that follow after it. */
  | { readonly delay: number }
  | { readonly duplicate: true };

export interface WebhookRule extends When {
  /** The webhook's name in its configuration; for conversion the name of the CRD. */
  readonly on: { readonly webhook: OneOf };
  readonly do: WebhookFault;
}

export type WebhookFault =
  /** It takes so many milliseconds longer to answer, on the cluster's clock; its timeout counts them. */
  | { readonly latency: number }
  /** It answers with this HTTP status instead. */
  | { readonly status: number }
  /** It cannot be reached. */
  | { readonly cut: "before" };

/** A rule that is in force, until it is removed (at the end of the block with `using`). */
export interface Injected extends Disposable {
  /** How often it has struck. */
  readonly hits: number;
  remove(): void;
}

export interface Faults {
  add(rule: FaultRule): Injected;
  /** Removes all. */
  clear(): void;
}
