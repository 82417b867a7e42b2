import type { Transport, TransportRequest } from "pintle/client";

/** One request that prepares or clears away; its answer is read to the end, and what matters is its status. */
export async function ask(transport: Transport, method: TransportRequest["method"], path: string, body?: object): Promise<number> {
  const headers = { accept: "application/json", "content-type": "application/json" };
  const answer = await transport.request({ method, path, headers, ...(body === undefined ? {} : { body }) });
  for await (const _ of answer.bytes());
  return answer.status;
}
