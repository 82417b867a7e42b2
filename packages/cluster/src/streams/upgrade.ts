import type { Duplex } from "node:stream";
import type { Channel } from "pintle/client";
import { type ApiAnswer, type ApiRequest, BEARER_PROTOCOL, header } from "../api/index.ts";
import { ApiError, badRequest } from "../status/index.ts";

/** What a request would become, as its headers have it. */
export type Wish =
  | { readonly type: "web-socket"; readonly protocols: readonly string[] }
  | { readonly type: "spdy"; readonly protocols: readonly string[] };

/** Throws 400 where nothing is asked for that a stream could be spoken over. */
export function wishOf({ headers }: Pick<ApiRequest, "headers">): Wish {
  const upgrade = header(headers, "upgrade")?.toLowerCase();
  const asked = /\bupgrade\b/i.test(header(headers, "connection") ?? "");
  if (asked && upgrade === "websocket") {
    return { type: "web-socket", protocols: list(headers["sec-websocket-protocol"]).filter((each) => !each.startsWith(BEARER_PROTOCOL)) };
  }
  if (asked && upgrade === "spdy/3.1") return { type: "spdy", protocols: list(headers["x-stream-protocol-version"]) };
  throw badRequest("Upgrade request required");
}

const list = (value: string | readonly string[] | undefined) =>
  [value ?? []]
    .flat()
    .flatMap((each) => each.split(","))
    .map((each) => each.trim())
    .filter((each) => each !== "");

/** The first of the client's that we speak, too. A client without a wish speaks the one without a name. */
export function chosen({ type, protocols }: Wish, ours: readonly string[]): string {
  if (protocols.length === 0 && (type === "spdy" || ours.includes(""))) return "";
  const found = protocols.find((each) => ours.includes(each));
  if (found !== undefined) return found;
  const why = `unable to negotiate protocol: client supports [${protocols.join(", ")}], server accepts [${ours.join(", ")}]`;
  throw new ApiError(type === "spdy" ? 403 : 400, type === "spdy" ? "Forbidden" : "BadRequest", `unable to upgrade: ${why}`);
}

export function messagesAnswer(protocol: string, serve: (channel: Channel) => Promise<void>): ApiAnswer {
  return { status: 101, headers: protocol === "" ? {} : { "sec-websocket-protocol": protocol }, body: { type: "messages", serve } };
}

export function spdyAnswer(protocol: string, serve: (wire: Duplex) => Promise<void>): ApiAnswer {
  const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", ...(protocol === "" ? {} : { "x-stream-protocol-version": protocol }) };
  return { status: 101, headers, body: { type: "wire", serve } };
}
