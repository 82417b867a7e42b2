import { ConnectionError, errnoOf, type RequestError, Timeout } from "../errors.ts";

/** Where and what was asked, for the sentence of an error. */
export interface Asked {
  /** "GET /api/v1/pods" */
  readonly request: string;
  /** "https://10.0.0.1:6443" */
  readonly server: string;
}

/** How far an exchange got before it broke. */
export type Stage = "waiting" | "sent" | "answering";

/** The error for an exchange without an answer, or with only a part of one. */
export function lost(error: unknown, stage: Stage, asked: Asked): RequestError {
  const code = errnoOf(error) ?? "";
  const { request, server } = asked;
  if (code === "HEAD_TIMEOUT") {
    return new Timeout({
      message: `${server} took the request but did not answer in time; it may have been carried out all the same (${request})`,
      request,
      code: 0,
      cause: error,
    });
  }
  const message = `${sentence(code, error, stage, server)} (${request})`;
  return new ConnectionError({ message, request, cause: error }, stage !== "waiting");
}

function sentence(code: string, error: unknown, stage: Stage, server: string): string {
  const known = stage === "waiting" ? REASONS[code] : undefined;
  if (known !== undefined) return `${server} ${known}`;
  if (code === "CLOSED") return "this client has been closed";
  if (code === "SILENT") return `${server} fell silent in the middle of its answer`;
  const why = error instanceof Error ? error.message : String(error);
  if (stage === "waiting") return `${server} cannot be reached: ${why}`;
  if (stage === "sent") return `${server} broke the connection before it answered: ${why}`;
  return `${server} broke the connection in the middle of its answer: ${why}`;
}

const UNTRUSTED = "has a certificate that the configured certificate authority did not sign: check certificate-authority in the kubeconfig";
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused the connection: is the API server running there?",
  ENOTFOUND: "cannot be found: its name does not resolve",
  EAI_AGAIN: "cannot be found: name resolution failed for now",
  EHOSTUNREACH: "cannot be reached: there is no route to it",
  ENETUNREACH: "cannot be reached: there is no route to it",
  ETIMEDOUT: "did not take the connection in time",
  CONNECT_TIMEOUT: "did not take the connection in time",
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
