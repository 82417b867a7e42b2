import { ConnectionError, findErrno, type RequestError, Timeout } from "../errors/request-errors.ts";

/** The server and the request that an error message names. */
export interface RequestTarget {
  /** "GET /api/v1/pods" */
  readonly request: string;
  /** "https://10.0.0.1:6443" */
  readonly server: string;
}

/** How far a request got before it failed: waiting for a connection, written, or receiving the response. */
export type ExchangeStage = "waiting" | "sent" | "responding";

/** Returns the error for a request without a response, or with an incomplete one. */
export function createTransportError(error: unknown, stage: ExchangeStage, target: RequestTarget): RequestError {
  const code = findErrno(error) ?? "";
  const { request, server } = target;
  if (code === "HEAD_TIMEOUT") {
    return new Timeout({
      message: `${server} accepted the request but did not respond in time; the request may have been executed (${request})`,
      request,
      statusCode: 0,
      cause: error,
    });
  }
  const message = `${describeFailure(code, error, stage, server)} (${request})`;
  return new ConnectionError({ message, request, cause: error }, stage !== "waiting");
}

function describeFailure(code: string, error: unknown, stage: ExchangeStage, server: string): string {
  const known = stage === "waiting" ? CONNECT_FAILURES[code] : undefined;
  if (known !== undefined) return `${server} ${known}`;
  if (code === "CLOSED") return "this client has been closed";
  if (code === "BODY_TIMEOUT") return `${server} stopped sending in the middle of its response`;
  const why = error instanceof Error ? error.message : String(error);
  if (stage === "waiting") return `${server} cannot be reached: ${why}`;
  if (stage === "sent") return `${server} closed the connection before it responded: ${why}`;
  return `${server} closed the connection in the middle of its response: ${why}`;
}

const UNTRUSTED = "has a certificate that the configured certificate authority did not sign: check certificate-authority in the kubeconfig";
const CONNECT_FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused the connection: is the API server running there?",
  ENOTFOUND: "cannot be found: its name does not resolve",
  EAI_AGAIN: "cannot be found: name resolution failed for now",
  EHOSTUNREACH: "cannot be reached: there is no route to it",
  ENETUNREACH: "cannot be reached: there is no route to it",
  ETIMEDOUT: "did not accept the connection in time",
  CONNECT_TIMEOUT: "did not accept the connection in time",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  CERT_HAS_EXPIRED: "has a certificate that has expired",
  CERT_NOT_YET_VALID: "has a certificate that is not valid yet: check the clocks",
  ERR_TLS_CERT_ALTNAME_INVALID: "has a certificate for another name: set tls-server-name in the kubeconfig to one it is for",
};
