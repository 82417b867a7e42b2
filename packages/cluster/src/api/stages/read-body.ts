import type { RequestContext } from "../request-context.ts";

/**
 * Reads the body of a write from the transport: not before the user is known and may make the request. Throws 413. Reads `request`;
 * writes `body`.
 */
export function readBody(context: RequestContext): RequestContext | Promise<RequestContext> {
  const { body } = context.request;
  if (typeof body === "function") return receiveBody(context, body);
  context.body = body;
  return context;
}

async function receiveBody(context: RequestContext, receive: () => Promise<RequestContext["body"]>): Promise<RequestContext> {
  context.body = await receive();
  return context;
}
