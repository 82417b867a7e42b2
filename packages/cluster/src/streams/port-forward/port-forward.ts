import type { ApiAnswer, ApiRequest } from "../../api/index.ts";
import { chosen, messagesAnswer, spdyAnswer, wishOf } from "../upgrade.ts";
import type { Dial } from "./forwarding.ts";
import { PORT_FORWARD, type Subject, spdyPortForward } from "./spdy.ts";
import { TUNNELLED, wireOver } from "./tunnel.ts";
import { portsOf, WEB_SOCKET_PROTOCOLS, webSocketPortForward } from "./web-socket.ts";

/** Connections to ports of a pod over whatever the client speaks. */
export function portForward(request: Pick<ApiRequest, "headers">, ports: readonly string[], subject: Subject, dial: Dial): ApiAnswer {
  const wish = wishOf(request);
  if (wish.type === "spdy") return spdyAnswer(chosen(wish, [PORT_FORWARD]), (wire) => spdyPortForward(wire, subject, dial));
  const protocol = chosen(wish, [TUNNELLED, ...WEB_SOCKET_PROTOCOLS]);
  if (protocol === TUNNELLED) return messagesAnswer(protocol, (channel) => spdyPortForward(wireOver(channel), subject, dial));
  const numbers = portsOf(ports);
  return messagesAnswer(protocol, (channel) => webSocketPortForward(channel, numbers, dial));
}
