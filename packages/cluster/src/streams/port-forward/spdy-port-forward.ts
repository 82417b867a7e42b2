import type { Duplex } from "node:stream";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import { endWithLinger } from "../../api/index.ts";
import { createSpdyConnection } from "../spdy/spdy-connection.ts";
import type { SpdyStream } from "../spdy/spdy-stream.ts";
import { type DialFunction, forwardStream, getErrorMessage } from "./forward-stream.ts";

export const PORT_FORWARD_PROTOCOL = "portforward.k8s.io";

/** Identifies the pod in error messages. */
export interface PortForwardTarget {
  readonly pod: string;
  readonly uid: string;
}

/** Serves SPDY: for each connection, the client opens two streams with the same request id, one for data and one for errors. */
export async function serveSpdyPortForward(transport: Duplex, subject: PortForwardTarget, dial: DialFunction): Promise<void> {
  const connection = createSpdyConnection(transport);
  const pairs = new Map<string, Map<string, SpdyStream>>();
  const targets = new Set<Duplex>();

  async function forward(data: SpdyStream, error: SpdyStream): Promise<void> {
    const port = Number(data.headers.get("port"));
    try {
      const target = await dial(port);
      targets.add(target);
      target.once("close", () => targets.delete(target));
      await forwardStream(data, target);
    } catch (reason) {
      const message = `error forwarding port ${port} to pod ${subject.pod}, uid ${subject.uid}: ${getErrorMessage(reason)}`;
      await error.write(Buffer.from(message)).catch(() => {});
    }
    error.end();
    data.end();
  }

  for await (const stream of connection.streams()) {
    const type = stream.headers.get("streamtype") ?? "";
    if (type !== "data" && type !== "error") {
      stream.reset();
      continue;
    }
    const requestId = stream.headers.get("requestid") ?? stream.headers.get("port") ?? "";
    const pair = pairs.get(requestId) ?? new Map<string, SpdyStream>();
    pairs.set(requestId, pair.set(type, stream));
    const [data, error] = [pair.get("data"), pair.get("error")];
    if (data === undefined || error === undefined) continue;
    pairs.delete(requestId);
    runInBackground(forward(data, error), ignoreError);
  }
  // Data that the client has sent still reaches the targets.
  for (const target of targets) endWithLinger(target);
}
