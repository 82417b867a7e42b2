/** A browser cannot set headers on a WebSocket: it may send its token as a subprotocol. */
export const BEARER_PROTOCOL = "base64url.bearer.authorization.k8s.io.";

/** Reads the token from a Sec-WebSocket-Protocol header and returns it as an Authorization header. */
export function readBearerProtocol(protocols: string | undefined): string | undefined {
  const found = (protocols ?? "")
    .split(",")
    .map((each) => each.trim())
    .find((each) => each.startsWith(BEARER_PROTOCOL));
  return found === undefined ? undefined : `Bearer ${Buffer.from(found.slice(BEARER_PROTOCOL.length), "base64url").toString()}`;
}
