import type { ConfigMap, Secret } from "pintle/kinds/core/v1";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { configMapPrinter, secretPrinter } from "../../printers/core.ts";
import { validateConfigKey } from "../../validation/names.ts";
import { createInvalidErrors, type FieldErrors, isSemanticallyEqual, validateImmutableField } from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

const MAX_DATA_BYTES = 1024 * 1024;
const IMMUTABLE_MESSAGE = "field is immutable when `immutable` is set";
const SERVICE_ACCOUNT_ANNOTATION = "kubernetes.io/service-account.name";

/** Required keys by secret type. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

export const secretStrategy = defineStrategy<Secret>({
  prepareForUpdate(draft, live) {
    draft.type ||= live.type;
  },
  validate: validateSecret,
  validateUpdate: function* (object, live) {
    yield* validateImmutableField("type", object.type, live.type);
    yield* validateImmutableData(object, live, ["data"]);
    yield* validateSecret(object);
  },
  selectableFields: { type: ({ type }) => type ?? "" },
  tablePrinter: secretPrinter,
});

export const configMapStrategy = defineStrategy<ConfigMap>({
  validate: validateConfigMap,
  validateUpdate: function* (object, live) {
    yield* validateImmutableData(object, live, ["data", "binaryData"]);
    yield* validateConfigMap(object);
  },
  tablePrinter: configMapPrinter,
});

interface ImmutableData {
  readonly immutable?: boolean | null | undefined;
  readonly data?: unknown;
  readonly binaryData?: unknown;
}

function* validateImmutableData(next: ImmutableData, live: ImmutableData, fields: readonly ("data" | "binaryData")[]): FieldErrors {
  if (live.immutable !== true) return;
  if (next.immutable !== true) yield fieldError.forbidden("immutable", IMMUTABLE_MESSAGE);
  for (const field of fields) if (!isSemanticallyEqual(next[field], live[field])) yield fieldError.forbidden(field, IMMUTABLE_MESSAGE);
}

const countBytes = (base64: string | null | undefined) => Buffer.byteLength(base64 ?? "", "base64");
const sortEntries = <T>(map: Readonly<Record<string, T>> | null | undefined) =>
  Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));

function* validateSecret({ metadata, type, data }: Unvalidated<Secret>): FieldErrors {
  let size = 0;
  for (const [key, value] of sortEntries(data)) {
    yield* createInvalidErrors(`data[${key}]`, key, validateConfigKey(key));
    size += countBytes(value);
  }
  if (size > MAX_DATA_BYTES) yield fieldError.tooLong("data", MAX_DATA_BYTES);
  if (type === "kubernetes.io/service-account-token" && !metadata?.annotations?.[SERVICE_ACCOUNT_ANNOTATION]) {
    yield fieldError.required(`metadata.annotations[${SERVICE_ACCOUNT_ANNOTATION}]`);
  }
  const isMissing = (key: string) => data?.[key] == null || (type === "kubernetes.io/ssh-auth" && data[key] === "");
  for (const key of REQUIRED_KEYS[type ?? ""] ?? []) if (isMissing(key)) yield fieldError.required(`data[${key}]`);
  if (type === "kubernetes.io/basic-auth" && isMissing("username") && isMissing("password")) {
    yield fieldError.required("data[username]");
    yield fieldError.required("data[password]");
  }
  for (const key of [".dockercfg", ".dockerconfigjson"]) {
    if (!REQUIRED_KEYS[type ?? ""]?.includes(key) || isMissing(key)) continue;
    const problem = describeJsonError(Buffer.from(data?.[key] ?? "", "base64").toString());
    if (problem !== undefined) yield fieldError.invalid(`data[${key}]`, "<secret contents redacted>", problem);
  }
}

function describeJsonError(text: string): string | undefined {
  if (text === "") return "unexpected end of JSON input";
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return `invalid character ${JSON.stringify(text[0])} looking for beginning of value`.replaceAll('"', "'");
  }
}

function* validateConfigMap({ data, binaryData }: Unvalidated<ConfigMap>): FieldErrors {
  let size = 0;
  for (const [key, value] of sortEntries(data)) {
    yield* createInvalidErrors(`data[${key}]`, key, validateConfigKey(key));
    if (binaryData?.[key] != null) yield fieldError.invalid(`data[${key}]`, key, "duplicate of key present in binaryData");
    size += Buffer.byteLength(value ?? "");
  }
  for (const [key, value] of sortEntries(binaryData)) {
    yield* createInvalidErrors(`binaryData[${key}]`, key, validateConfigKey(key));
    size += countBytes(value);
  }
  if (size > MAX_DATA_BYTES) yield fieldError.tooLong("", MAX_DATA_BYTES);
}
