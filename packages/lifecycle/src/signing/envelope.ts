import { type KeyObject, sign, verify } from "node:crypto";

/** A signed payload in the format of DSSE. */
export interface DsseEnvelope {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly sig: string; readonly keyid?: string }[];
}

/** Signs a payload. */
export function createEnvelope(payloadType: string, payload: Uint8Array, key: KeyObject): DsseEnvelope {
  return {
    payload: Buffer.from(payload).toString("base64"),
    payloadType,
    signatures: [{ sig: sign("sha256", encodeForSignature(payloadType, payload), key).toString("base64") }],
  };
}

/** Returns the payload if one of the keys signed it. */
export function verifyEnvelope(envelope: DsseEnvelope, keys: readonly KeyObject[]): Buffer | undefined {
  const { payload, payloadType, signatures } = envelope;
  if (typeof payload !== "string" || typeof payloadType !== "string" || !Array.isArray(signatures)) return undefined;
  const bytes = Buffer.from(payload, "base64");
  const signed = encodeForSignature(payloadType, bytes);
  const isSigned = signatures.some(
    (signature) =>
      typeof signature?.sig === "string" && keys.some((key) => verify("sha256", signed, key, Buffer.from(signature.sig, "base64"))),
  );
  return isSigned ? bytes : undefined;
}

/** The pre-authentication encoding: what is signed covers the type too. */
function encodeForSignature(type: string, payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `), payload]);
}
