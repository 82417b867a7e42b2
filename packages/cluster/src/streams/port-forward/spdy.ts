import type { Duplex } from "node:stream";
import { lingering } from "../../api/index.ts";
import { spdyConnection } from "../spdy/connection.ts";
import type { SpdyStream } from "../spdy/stream.ts";
import { carry, type Dial, whyNot } from "./forwarding.ts";

export const PORT_FORWARD = "portforward.k8s.io";

/** How a refusal names the pod. */
export interface Subject {
  readonly pod: string;
  readonly uid: string;
}

/** For each connection the client opens two streams with the same number: one for the bytes, one for what goes wrong. */
export async function spdyPortForward(wire: Duplex, subject: Subject, dial: Dial): Promise<void> {
  const connection = spdyConnection(wire);
  const halves = new Map<string, Map<string, SpdyStream>>();
  const targets = new Set<Duplex>();

  async function forward(data: SpdyStream, error: SpdyStream): Promise<void> {
    const port = Number(data.headers.get("port"));
    try {
      const target = await dial(port);
      targets.add(target);
      target.once("close", () => targets.delete(target));
      await carry(data, target);
    } catch (reason) {
      const said = `error forwarding port ${port} to pod ${subject.pod}, uid ${subject.uid}: ${whyNot(reason)}`;
      await error.write(Buffer.from(said)).catch(() => {});
    }
    error.end();
    data.end();
  }

  for await (const stream of connection.streams()) {
    const kind = stream.headers.get("streamtype") ?? "";
    if (kind !== "data" && kind !== "error") {
      stream.reset();
      continue;
    }
    const number = stream.headers.get("requestid") ?? stream.headers.get("port") ?? "";
    const pair = halves.get(number) ?? new Map<string, SpdyStream>();
    halves.set(number, pair.set(kind, stream));
    const [data, error] = [pair.get("data"), pair.get("error")];
    if (data === undefined || error === undefined) continue;
    halves.delete(number);
    void forward(data, error);
  }
  // What the client has said still reaches them.
  for (const target of targets) lingering(target);
}
