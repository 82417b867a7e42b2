const OWN = new Set(["uid", "resourceVersion", "creationTimestamp", "time"]);
const KEY = new Set(["kid", "x", "y", "jwks_uri"]);
const ISSUER = /https:\/\/kubernetes\.default\.svc(\.cluster\.local)?/g;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;
const TOKEN = /^(eyJ[\w-]+)\.(eyJ[\w-]+)\.[\w-]+$/;

/** A response or error in comparable form. */
export interface ComparableResponse {
  readonly code: number;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly details?: unknown;
}

/** Removes values that differ between servers and runs; decodes tokens to their claims. */
export function toComparableResponse(code: number, body: unknown): ComparableResponse {
  const shown = clean(body, "") as any;
  // The order of bindings is not defined.
  if (shown?.kind === "SelfSubjectRulesReview" && shown.status !== undefined) {
    shown.status.resourceRules.sort(byText);
    shown.status.nonResourceRules.sort(byText);
  }
  if (shown?.kind === "Status") return { code, reason: shown.reason, message: shown.message, details: shown.details };
  return { code, body: shown };
}

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

function clean(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((item) => clean(item, path));
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [text(key) as string, own(path, key) ? "<own>" : clean(field, `${path}.${key}`)]),
  );
}

const own = (path: string, key: string) =>
  (OWN.has(key) && path.startsWith(".metadata")) || (KEY.has(key) && (path === ".keys" || path === ""));

function text(value: string): unknown {
  const [, header, claims] = TOKEN.exec(value) ?? [];
  if (header !== undefined && claims !== undefined) return { alg: decodePart(header)["alg"], claims: times(decodePart(claims)) };
  return value
    .replaceAll(ISSUER, "<issuer>")
    .replaceAll(UUID, "<uid>")
    .replaceAll(TIME, "<time>")
    .replaceAll(/X509SHA256=[0-9a-f]{64}/g, "X509SHA256=<hash>")
    .replaceAll(/"(admin|kubernetes-admin)"/g, '"<admin>"')
    .replace(/^(admin|kubernetes-admin)$/, "<admin>");
}

function decodePart(part: string): Record<string, any> {
  return JSON.parse(Buffer.from(part, "base64url").toString());
}

/** Makes the times of a token relative to its issue. */
function times({ iat, exp, nbf, "kubernetes.io": about, ...rest }: Record<string, any>): unknown {
  const { warnafter, ...bound } = about;
  const relative = warnafter === undefined ? bound : { ...bound, warnafter: warnafter - iat };
  return clean({ ...rest, exp: exp - iat, nbf: nbf - iat, "kubernetes.io": relative }, "");
}
