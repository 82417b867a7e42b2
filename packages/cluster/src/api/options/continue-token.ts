import { isJsonObject } from "pintle/internal/json";
import { BodyDecodeError, decodeJson } from "../../codec/index.ts";
import { badRequest } from "../../status/index.ts";

/** Where the next page of a list starts. Revision -1 means the current state. */
export interface ContinueToken {
  readonly revision: number;
  readonly fromKey: string;
}

/** Encodes a continue token. The prefix ends in a slash, with which the key in the token begins. */
export function encodeContinueToken(key: string, prefix: string, revision: number): string {
  const token = { v: "meta.k8s.io/v1", rv: revision, start: key.slice(prefix.length - 1) };
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

export function decodeContinueToken(text: string, prefix: string): ContinueToken {
  const token = parseToken(text);
  if (token["v"] !== "meta.k8s.io/v1") {
    throw badRequest(
      `invalid continue token: continue key is not valid: server does not recognize this encoded version ${String(token["v"] ?? "")}`,
    );
  }
  const { rv, start } = token;
  if (typeof rv !== "number" || rv === 0) {
    throw badRequest("invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  if (typeof start !== "string" || start === "") {
    throw badRequest("invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)");
  }
  // Dots must not lead out of the collection.
  const segments = start.replace(/\0$/, "").split("/");
  if (segments.some((segment) => segment === "." || segment === ".."))
    throw badRequest(`invalid continue token: continue key is not valid: ${start}`);
  return { revision: rv, fromKey: prefix + start.replace(/^\//, "") };
}

function parseToken(text: string): Readonly<Record<string, unknown>> {
  const bad = /[^A-Za-z0-9_-]/.exec(text)?.index ?? (text.length % 4 === 1 ? text.length - 1 : undefined);
  if (bad !== undefined) throw badRequest(`invalid continue token: continue key is not valid: illegal base64 data at input byte ${bad}`);
  try {
    const { value } = decodeJson(Buffer.from(text, "base64url").toString());
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (error instanceof BodyDecodeError) throw badRequest(`invalid continue token: continue key is not valid: ${error.message}`);
    throw error;
  }
  throw badRequest("invalid continue token: continue key is not valid: it is no object");
}
