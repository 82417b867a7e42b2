import { type ApiAnswer, type ApiRequest, failure, watchEvent } from "../api/index.ts";
import { ApiError } from "../status/index.ts";
import type { RequestFault } from "./fault.ts";
import type { RequestFacts } from "./match.ts";

type Refusal = Extract<RequestFault, { readonly status: number }>;

const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  410: "Expired",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** The answer of a server that refuses. */
export function refusal(request: ApiRequest, facts: RequestFacts, fault: Refusal): ApiAnswer {
  const reason = fault.reason ?? (fault.status === 409 && facts.verb === "create" ? "AlreadyExists" : (REASONS[fault.status] ?? ""));
  const details = {
    ...(facts.name === "" ? {} : { name: facts.name }),
    ...(facts.group === "" ? {} : { group: facts.group }),
    ...(facts.resource === "" ? {} : { kind: facts.resource }),
    ...(fault.retryAfter === undefined ? {} : { retryAfterSeconds: fault.retryAfter }),
  };
  const error = new ApiError(fault.status, reason, fault.message ?? messageOf(reason, facts), details);
  if (facts.verb !== "watch" || fault.status !== 410) return failure(request, error);
  const stream = {
    open(sink: { event(event: ReturnType<typeof watchEvent>): void; end(): void }) {
      sink.event(watchEvent("ERROR", error.status as never));
      sink.end();
      return () => {};
    },
  };
  return { status: 200, headers: { "content-type": "application/json" }, body: { type: "watch", stream } };
}

function messageOf(reason: string, { resource, group, name }: RequestFacts): string {
  const what = `${resource}${group && `.${group}`} ${JSON.stringify(name)}`;
  switch (reason) {
    case "AlreadyExists":
      return `${what} already exists`;
    case "Conflict":
      return `Operation cannot be fulfilled on ${what}: the object has been modified; please apply your changes to the latest version and try again`;
    case "Expired":
      return "The resourceVersion for the provided list or watch is too old.";
    case "InternalError":
      return "Internal error occurred: a fault rule says so";
    case "NotFound":
      return `${what} not found`;
    case "TooManyRequests":
      return "too many requests, please try again later";
    default:
      return `${what}: a fault rule says so`;
  }
}
