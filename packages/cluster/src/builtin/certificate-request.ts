import { PintleError } from "pintle/internal/errors";
import { splitPemBlocks } from "pintle/internal/text";
import { type CertificateRequest, parseCertificateRequest } from "pintle/tls";

const INVALID_REQUEST = "PINTLE1061";

/** Parses the request of a CertificateSigningRequest: PEM in base64. Throws an error for which `isCertificateRequestError` is true if it is no valid one. */
export function parseRequestField(request: string): CertificateRequest {
  const [block] = splitPemBlocks(Buffer.from(request, "base64").toString("latin1"));
  if (block?.type !== "CERTIFICATE REQUEST") throw new PintleError(INVALID_REQUEST, "PEM block type must be CERTIFICATE REQUEST");
  const lines = block.text.split("\n").filter((line) => !line.includes("-----") && !line.includes(":"));
  return parseCertificateRequest(Buffer.from(lines.join(""), "base64"));
}

/** Reports whether a request cannot be parsed, or no certificate can be issued for it. */
export function isCertificateRequestError(error: unknown): error is PintleError {
  return error instanceof PintleError && error.code === INVALID_REQUEST;
}
