import type { FlowTicket } from "../request/flow-control.ts";
import { isLongRunning } from "../request/long-running.ts";
import type { RequestContext } from "../request-context.ts";

/**
 * Takes a seat of the priority level of the request, or waits for one. Streams to nodes need none. Throws 429. Reads `user`,
 * `requestInfo`, `request`; writes `flowTicket`.
 */
export function applyFlowControl(context: RequestContext): RequestContext | Promise<RequestContext> {
  const { server, requestInfo } = context;
  if (server.flowControl === undefined || (isLongRunning(requestInfo) && requestInfo.verb !== "watch")) return context;
  const ticket = server.flowControl.admit(context);
  if (ticket instanceof Promise) return takeTicket(context, ticket);
  context.flowTicket = ticket;
  return context;
}

async function takeTicket(context: RequestContext, ticket: Promise<FlowTicket>): Promise<RequestContext> {
  context.flowTicket = await ticket;
  return context;
}
