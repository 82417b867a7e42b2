import type { Duplex } from "node:stream";
import type { DuplexChannel } from "pintle/client";
import { type ApiRequest, type ApiResponse, BEARER_PROTOCOL, getHeader } from "../api/index.ts";
import { ApiError, badRequest } from "../status/index.ts";

/** The protocol upgrade that a request asks for. */
export type UpgradeRequest =
  | { readonly type: "web-socket"; readonly protocols: readonly string[] }
  | { readonly type: "spdy"; readonly protocols: readonly string[] };

/** Parses the upgrade headers. Throws 400 if the request is no upgrade to a known protocol. */
export function parseUpgradeRequest({ headers }: Pick<ApiRequest, "headers">): UpgradeRequest {
  const upgrade = getHeader(headers, "upgrade")?.toLowerCase();
  const isUpgrade = /\bupgrade\b/i.test(getHeader(headers, "connection") ?? "");
  if (isUpgrade && upgrade === "websocket") {
    return {
      type: "web-socket",
      protocols: parseHeaderList(headers["sec-websocket-protocol"]).filter((each) => !each.startsWith(BEARER_PROTOCOL)),
    };
  }
  if (isUpgrade && upgrade === "spdy/3.1") return { type: "spdy", protocols: parseHeaderList(headers["x-stream-protocol-version"]) };
  throw badRequest("Upgrade request required");
}

/** Splits the value of a header that is a comma-separated list. */
export const parseHeaderList = (value: string | readonly string[] | undefined): readonly string[] =>
  [value ?? []]
    .flat()
    .flatMap((each) => each.split(","))
    .map((each) => each.trim())
    .filter((each) => each !== "");

/** Returns the first protocol of the client that the server supports. A client that names none gets the unnamed one. */
export function negotiateProtocol({ type, protocols }: UpgradeRequest, supported: readonly string[]): string {
  if (protocols.length === 0 && (type === "spdy" || supported.includes(""))) return "";
  const match = protocols.find((each) => supported.includes(each));
  if (match !== undefined) return match;
  const reason = `unable to negotiate protocol: client supports [${protocols.join(", ")}], server accepts [${supported.join(", ")}]`;
  throw new ApiError(type === "spdy" ? 403 : 400, type === "spdy" ? "Forbidden" : "BadRequest", `unable to upgrade: ${reason}`);
}

export function buildWebSocketResponse(protocol: string, serve: (channel: DuplexChannel) => Promise<void>): ApiResponse {
  return { status: 101, headers: protocol === "" ? {} : { "sec-websocket-protocol": protocol }, body: { type: "messages", serve } };
}

export function buildSpdyResponse(protocol: string, serve: (wire: Duplex) => Promise<void>): ApiResponse {
  const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", ...(protocol === "" ? {} : { "x-stream-protocol-version": protocol }) };
  return { status: 101, headers, body: { type: "wire", serve } };
}
