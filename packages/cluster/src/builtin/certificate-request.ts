import { splitPemBlocks } from "pintle/internal/text";
import { type CertificateRequest, parseCertificateRequest } from "pintle/tls";

/** Parses the request of a CertificateSigningRequest: PEM in base64. Throws `RangeError` if it is no valid one. */
export function parseRequestField(request: string): CertificateRequest {
  const [block] = splitPemBlocks(Buffer.from(request, "base64").toString("latin1"));
  if (block?.type !== "CERTIFICATE REQUEST") throw new RangeError("PEM block type must be CERTIFICATE REQUEST");
  const lines = block.text.split("\n").filter((line) => !line.includes("-----") && !line.includes(":"));
  return parseCertificateRequest(Buffer.from(lines.join(""), "base64"));
}
