import type { ApiAnswer, ApiRequest } from "../../api/index.ts";
import type { Session, SessionOptions } from "../../node/index.ts";
import { ApiError } from "../../status/index.ts";
import { spdyConnection } from "../spdy/connection.ts";
import { textAnswer } from "../text-answer.ts";
import { chosen, messagesAnswer, spdyAnswer, wishOf } from "../upgrade.ts";
import { converse } from "./converse.ts";
import { refused } from "./refused.ts";
import type { RemoteEnd } from "./remote-end.ts";
import { SPDY_PROTOCOLS, spdyEnd } from "./spdy.ts";
import type { Doing } from "./status.ts";
import { V5, WEB_SOCKET_PROTOCOLS, webSocketEnd } from "./web-socket.ts";

/** A session over whatever the client speaks. It begins before the client is answered, so that the node can refuse. */
export async function remoteCommand(
  request: Pick<ApiRequest, "headers">,
  options: SessionOptions,
  doing: Doing,
  begin: () => Promise<Session>,
): Promise<ApiAnswer> {
  const wish = wishOf(request);
  const protocol = chosen(wish, wish.type === "spdy" ? SPDY_PROTOCOLS : WEB_SOCKET_PROTOCOLS);
  const session = await begin().catch((reason: unknown) => {
    if (reason instanceof ApiError) return reason;
    throw reason;
  });
  // A command that cannot be started is told of once the connection stands; so is, in the newest protocol, everything else.
  if (session instanceof ApiError && session.reason !== "InternalError" && protocol !== V5)
    return textAnswer(session.code, session.message);
  const serve = (remote: RemoteEnd) => (session instanceof ApiError ? refused(remote, session) : converse(remote, session, options, doing));
  if (wish.type === "spdy") return spdyAnswer(protocol, (wire) => serve(spdyEnd(spdyConnection(wire), protocol, options)));
  return messagesAnswer(protocol, (channel) => serve(webSocketEnd(channel, options)));
}
