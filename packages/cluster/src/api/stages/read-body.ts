import { beginTurns, LARGE_OBJECT_BYTES, type RequestContext } from "../request-context.ts";

/**
 * Reads the body of a write from the transport: not before the user is known and may make the request. Throws 413. Reads `request`;
 * writes `body`, `turns`.
 */
export function readBody(context: RequestContext): RequestContext | Promise<RequestContext> {
  const { body } = context.request;
  if (typeof body === "function") return receiveBody(context, body);
  context.body = body;
  return context;
}

/** How long a client may take to send its body before its request gives up the seats, in milliseconds. */
const PROMPT_BODY_MS = 100;

async function receiveBody(context: RequestContext, receive: () => Promise<RequestContext["body"]>): Promise<RequestContext> {
  const body = await waitForBody(context, receive());
  context.body = body;
  if (body !== undefined && "bytes" in body && body.bytes.length > LARGE_OBJECT_BYTES) beginTurns(context);
  return context;
}

async function waitForBody({ flowTicket }: RequestContext, received: Promise<RequestContext["body"]>): Promise<RequestContext["body"]> {
  if (flowTicket === undefined) return received;
  let timer: NodeJS.Timeout | undefined;
  const refused = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      try {
        flowTicket.becomeLong();
      } catch (error) {
        reject(error);
      }
    }, PROMPT_BODY_MS);
  });
  try {
    return await Promise.race([received, refused]);
  } finally {
    clearTimeout(timer);
  }
}
