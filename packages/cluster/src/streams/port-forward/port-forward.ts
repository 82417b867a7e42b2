import { Duplex } from "node:stream";
import type { DuplexChannel } from "pintle/client";
import { runInBackground } from "pintle/internal/errors";
import type { ApiRequest, ApiResponse } from "../../api/index.ts";
import { buildSpdyResponse, buildWebSocketResponse, negotiateProtocol, parseUpgradeRequest } from "../upgrade.ts";
import type { DialFunction } from "./forward-stream.ts";
import { PORT_FORWARD_PROTOCOL, type PortForwardTarget, serveSpdyPortForward } from "./spdy-port-forward.ts";
import { parsePorts, serveWebSocketPortForward, WEB_SOCKET_PROTOCOLS } from "./web-socket-port-forward.ts";

/** Serves port forwarding over the protocol that the client requests. */
export function handlePortForward(
  request: Pick<ApiRequest, "headers">,
  ports: readonly string[],
  subject: PortForwardTarget,
  dial: DialFunction,
): ApiResponse {
  const upgrade = parseUpgradeRequest(request);
  if (upgrade.type === "spdy")
    return buildSpdyResponse(negotiateProtocol(upgrade, [PORT_FORWARD_PROTOCOL]), (stream) => serveSpdyPortForward(stream, subject, dial));
  const protocol = negotiateProtocol(upgrade, [TUNNEL_PROTOCOL, ...WEB_SOCKET_PROTOCOLS]);
  if (protocol === TUNNEL_PROTOCOL)
    return buildWebSocketResponse(protocol, (channel) => serveSpdyPortForward(createTunnel(channel), subject, dial));
  const numbers = parsePorts(ports);
  return buildWebSocketResponse(protocol, (channel) => serveWebSocketPortForward(channel, numbers, dial));
}

/** The subprotocol of SPDY tunnelled over a WebSocket. */
const TUNNEL_PROTOCOL = "SPDY/3.1+portforward.k8s.io";

/** Creates a byte stream over the messages of a WebSocket. */
function createTunnel(channel: DuplexChannel): Duplex {
  let resume: (() => void) | undefined;
  const stream = new Duplex({
    read() {
      resume?.();
      resume = undefined;
    },
    write(chunk: Buffer, _encoding, done) {
      const sent = channel.send(chunk).then(() => done());
      runInBackground(sent, (error) => done(error as Error));
    },
    final(done) {
      channel.close();
      done();
    },
    destroy(error, done) {
      channel.close();
      resume?.();
      done(error);
    },
  });
  const pumpMessages = async () => {
    try {
      for await (const message of channel.messages()) {
        if (!stream.push(message) && !stream.destroyed) await new Promise<void>((resolve) => (resume = resolve));
      }
    } catch {
      // A failed channel ends the stream.
    }
    stream.push(null);
  };
  runInBackground(pumpMessages(), () => stream.destroy());
  return stream;
}
