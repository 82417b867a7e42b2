import { STATUS_REASONS } from "pintle/client";
import { type ApiRequest, type ApiResponse, buildErrorResponse, createWatchEvent } from "../../api/index.ts";
import { ApiError } from "../../status/index.ts";
import type { RequestAttributes } from "../request-match.ts";
import type { RequestFault } from "./fault-rules.ts";

type StatusFault = Extract<RequestFault, { readonly status: number }>;

/** Builds the error response of a status fault. */
export function buildFaultResponse(request: ApiRequest, facts: RequestAttributes, fault: StatusFault): ApiResponse {
  const reason = fault.reason ?? (fault.status === 409 && facts.verb === "create" ? "AlreadyExists" : (STATUS_REASONS[fault.status] ?? ""));
  const details = {
    ...(facts.name === "" ? {} : { name: facts.name }),
    ...(facts.group === "" ? {} : { group: facts.group }),
    ...(facts.resource === "" ? {} : { kind: facts.resource }),
    ...(fault.retryAfter === undefined ? {} : { retryAfterSeconds: fault.retryAfter }),
  };
  const error = new ApiError(fault.status, reason, fault.message ?? getDefaultMessage(reason, facts), details);
  if (facts.verb !== "watch" || fault.status !== 410) return buildErrorResponse(request, error);
  const stream = {
    open(sink: { event(event: ReturnType<typeof createWatchEvent>): void; end(): void }) {
      sink.event(createWatchEvent("ERROR", error.status as never));
      sink.end();
      return () => {};
    },
  };
  return { status: 200, headers: { "content-type": "application/json" }, body: { type: "watch", stream } };
}

function getDefaultMessage(reason: string, { resource, group, name }: RequestAttributes): string {
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
