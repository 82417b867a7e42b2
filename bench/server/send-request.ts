import type { Transport, TransportRequest } from "pintle/client";

/** Sends a request for setup or cleanup, reads the response to its end and returns the status code. */
export async function sendRequest(transport: Transport, method: TransportRequest["method"], path: string, body?: object): Promise<number> {
  const headers = { accept: "application/json", "content-type": "application/json" };
  const response = await transport.request({ method, path, headers, ...(body === undefined ? {} : { body }) });
  for await (const _ of response.bytes());
  return response.status;
}
