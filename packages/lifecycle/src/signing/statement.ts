/** A claim about an image in the format of in-toto. */
export interface Statement {
  readonly _type: string;
  readonly subject: readonly { readonly name?: string; readonly digest: Readonly<Record<string, string>> }[];
  readonly predicateType: string;
  readonly predicate?: unknown;
}

/** What statements say. */
export const PREDICATE_TYPES = {
  /** The image is signed: there is no predicate. */
  signature: "https://sigstore.dev/cosign/sign/v1",
  spdx: "https://spdx.dev/Document",
  cyclonedx: "https://cyclonedx.org/bom",
  provenance: "https://slsa.dev/provenance/v1",
} as const;

export const STATEMENT_PAYLOAD_TYPE = "application/vnd.in-toto+json";

/** Creates a statement about the image with this digest. */
export function createStatement(
  image: { readonly name?: string; readonly digest: string },
  predicateType: string,
  predicate?: unknown,
): Statement {
  const [algorithm = "", hex = ""] = image.digest.split(":");
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ ...(image.name === undefined ? {} : { name: image.name }), digest: { [algorithm]: hex } }],
    predicateType,
    ...(predicate === undefined ? {} : { predicate }),
  };
}

/** Reads a statement; undefined if it is none, or about other images. */
export function readStatement(payload: Buffer, digest: string): Statement | undefined {
  const [algorithm = "", hex] = digest.split(":");
  try {
    const statement = JSON.parse(payload.toString()) as Statement;
    const isAbout = Array.isArray(statement.subject) && statement.subject.some((subject) => subject?.digest?.[algorithm] === hex);
    return isAbout && typeof statement.predicateType === "string" ? statement : undefined;
  } catch {
    return undefined;
  }
}
