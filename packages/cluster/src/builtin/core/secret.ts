import type { ConfigMap, Secret } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { configMapTable, secretTable } from "../table/core.ts";
import { configKeyProblems } from "../text/names.ts";
import { immutable, invalidFor, type Problems, same } from "../validate/problems.ts";

const LIMIT = 1024 * 1024;
const FROZEN = "field is immutable when `immutable` is set";
const ACCOUNT = "kubernetes.io/service-account.name";

/** Keys a secret of a type must have. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

export const secret = rules<Secret>({
  prepareUpdate(draft, live) {
    draft.type ||= live.type;
  },
  validate: validateSecret,
  validateUpdate: function* (object, live) {
    yield* immutable("type", object.type, live.type);
    yield* frozen(object, live, ["data"]);
    yield* validateSecret(object);
  },
  selectableFields: { type: ({ type }) => type ?? "" },
  table: secretTable,
});

export const configMap = rules<ConfigMap>({
  validate: validateConfigMap,
  validateUpdate: function* (object, live) {
    yield* frozen(object, live, ["data", "binaryData"]);
    yield* validateConfigMap(object);
  },
  table: configMapTable,
});

interface Freezable {
  readonly immutable?: boolean | null | undefined;
  readonly data?: unknown;
  readonly binaryData?: unknown;
}

function* frozen(next: Freezable, live: Freezable, fields: readonly ("data" | "binaryData")[]): Problems {
  if (live.immutable !== true) return;
  if (next.immutable !== true) yield fieldError.forbidden("immutable", FROZEN);
  for (const field of fields) if (!same(next[field], live[field])) yield fieldError.forbidden(field, FROZEN);
}

const bytes = (base64: string | null | undefined) => Buffer.byteLength(base64 ?? "", "base64");
const sorted = <T>(map: Readonly<Record<string, T>> | null | undefined) => Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));

function* validateSecret({ metadata, type, data }: Loose<Secret>): Problems {
  let size = 0;
  for (const [key, value] of sorted(data)) {
    yield* invalidFor(`data[${key}]`, key, configKeyProblems(key));
    size += bytes(value);
  }
  if (size > LIMIT) yield fieldError.tooLong("data", LIMIT);
  if (type === "kubernetes.io/service-account-token" && !metadata?.annotations?.[ACCOUNT]) {
    yield fieldError.required(`metadata.annotations[${ACCOUNT}]`);
  }
  const lacks = (key: string) => data?.[key] == null || (type === "kubernetes.io/ssh-auth" && data[key] === "");
  for (const key of KEYS[type ?? ""] ?? []) if (lacks(key)) yield fieldError.required(`data[${key}]`);
  if (type === "kubernetes.io/basic-auth" && lacks("username") && lacks("password")) {
    yield fieldError.required("data[username]");
    yield fieldError.required("data[password]");
  }
  for (const key of [".dockercfg", ".dockerconfigjson"]) {
    if (!KEYS[type ?? ""]?.includes(key) || lacks(key)) continue;
    const problem = jsonProblem(Buffer.from(data?.[key] ?? "", "base64").toString());
    if (problem !== undefined) yield fieldError.invalid(`data[${key}]`, "<secret contents redacted>", problem);
  }
}

function jsonProblem(text: string): string | undefined {
  if (text === "") return "unexpected end of JSON input";
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return `invalid character ${JSON.stringify(text[0])} looking for beginning of value`.replaceAll('"', "'");
  }
}

function* validateConfigMap({ data, binaryData }: Loose<ConfigMap>): Problems {
  let size = 0;
  for (const [key, value] of sorted(data)) {
    yield* invalidFor(`data[${key}]`, key, configKeyProblems(key));
    if (binaryData?.[key] != null) yield fieldError.invalid(`data[${key}]`, key, "duplicate of key present in binaryData");
    size += Buffer.byteLength(value ?? "");
  }
  for (const [key, value] of sorted(binaryData)) {
    yield* invalidFor(`binaryData[${key}]`, key, configKeyProblems(key));
    size += bytes(value);
  }
  if (size > LIMIT) yield fieldError.tooLong("", LIMIT);
}
