/** A browser cannot set headers on a WebSocket: it may send its token among the protocols it speaks. */
export const BEARER_PROTOCOL = "base64url.bearer.authorization.k8s.io.";

/** The token in a Sec-WebSocket-Protocol header, as an Authorization header would have it. */
export function bearerOf(protocols: string | undefined): string | undefined {
  const found = (protocols ?? "")
    .split(",")
    .map((each) => each.trim())
    .find((each) => each.startsWith(BEARER_PROTOCOL));
  return found === undefined ? undefined : `Bearer ${Buffer.from(found.slice(BEARER_PROTOCOL.length), "base64url").toString()}`;
}
