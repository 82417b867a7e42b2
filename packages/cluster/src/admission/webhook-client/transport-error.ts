import { isIP } from "node:net";
import type { PeerCertificate } from "node:tls";

/** A failed call; the message is that of a Go client. */
export class WebhookTransportError extends Error {
  override readonly name = "CallFailure";
}

interface NetworkError {
  readonly code?: string | undefined;
  readonly message: string;
  readonly address?: string | undefined;
  readonly port?: number | undefined;
  /** The certificate, if its names do not match. */
  readonly cert?: Pick<PeerCertificate, "subjectaltname"> | undefined;
}

const DIAL_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  ETIMEDOUT: "connection timed out",
};
const UNTRUSTED = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_SIGNATURE_FAILURE",
]);
const TLS = "tls: failed to verify certificate: x509:";

/** Formats a Node network error as Go's HTTP client would. */
export function formatGoNetworkError(error: NetworkError, host: string): string {
  const { code = "", message, address, port } = error;
  if (code in DIAL_ERRORS) return `dial tcp ${isIP(address ?? "") === 6 ? `[${address}]` : address}:${port}: connect: ${DIAL_ERRORS[code]}`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `dial tcp: lookup ${host}: no such host`;
  if (UNTRUSTED.has(code)) return `${TLS} certificate signed by unknown authority`;
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") return `${TLS} certificate has expired or is not yet valid`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `${TLS} ${formatHostnameMismatch(error, host)}`;
  if (code === "EPROTO") return "http: server gave HTTP response to HTTPS client";
  if (code === "ECONNRESET" || message === "socket hang up") return "EOF";
  return message;
}

function formatHostnameMismatch({ cert }: NetworkError, host: string): string {
  const names = (cert?.subjectaltname ?? "").split(", ").filter((name) => name !== "");
  const namesOfType = (kind: string) => names.filter((name) => name.startsWith(`${kind}:`)).map((name) => name.slice(kind.length + 1));
  const own = isIP(host) === 0 ? namesOfType("DNS") : namesOfType("IP Address");
  if (own.length > 0) return `certificate is valid for ${own.join(", ")}, not ${host}`;
  if (isIP(host) !== 0) return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  return names.length > 0
    ? `certificate is not valid for any names, but wanted to match ${host}`
    : "certificate relies on legacy Common Name field, use SANs instead";
}
