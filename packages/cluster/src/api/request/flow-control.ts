import type { ApiRequest } from "./api-request.ts";
import type { RequestInfo } from "./request-info.ts";
import type { UserInfo } from "./user.ts";

/** Admits requests to execution, so that no user takes the server from the others: API Priority and Fairness. */
export interface FlowControl {
  /** Returns a ticket with the seats of the request, or waits for them. Throws `TooManyRequestsError`. */
  admit(attributes: FlowAttributes): FlowTicket | Promise<FlowTicket>;
}

export interface FlowAttributes {
  readonly request: Pick<ApiRequest, "signal">;
  readonly requestInfo: RequestInfo;
  readonly user: UserInfo;
}

/** A request in execution. */
export interface FlowTicket {
  readonly classification: FlowClassification;
  /**
   * Trades the seats for a place among the long requests: one that waits for its client, or for its turns, does not keep small ones from being
   * executed. Further calls have no effect. Throws `TooManyRequestsError` where there are too many of them, of the user or altogether.
   */
  becomeLong(): void;
  /** Frees the seats. Further calls have no effect. */
  release(): void;
}

/** The flow schema and the priority level of a request. */
export interface FlowClassification {
  readonly flowSchemaUid: string;
  readonly priorityLevelUid: string;
}

/** The priority level has neither a seat nor a place in a queue. */
export class TooManyRequestsError extends Error {
  override readonly name = "TooManyRequestsError";
  readonly classification: FlowClassification;
  readonly retryAfterSeconds: number;

  constructor(classification: FlowClassification, retryAfterSeconds: number) {
    super("Too many requests, please try again later.");
    this.classification = classification;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
