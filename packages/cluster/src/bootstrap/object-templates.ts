import type { Random } from "pintle/internal/clock";
import { memoize, memoizeByKey } from "pintle/internal/memoize";
import type { JsonObject, ManagedFieldsEntry } from "pintle/kinds";
import { formatTimestamp, generateUid } from "../api/index.ts";
import { deepFreeze } from "../store/index.ts";
import { managedFields } from "./generated/objects.ts";

/** Creation time, random source and network of the bootstrap objects. */
export interface BootstrapParameters {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly random: Random;
  /** Service network. Default: the recorded one, 10.96.0.0/16. */
  readonly services?: ServiceNetwork | undefined;
}
export interface ServiceNetwork {
  /** CIDR, for example "10.96.0.0/16". */
  readonly range: string;
  /** First address, which the `kubernetes` Service gets. */
  readonly first: string;
}

/** What the server's own objects state about it. */
export interface ServerObjectParameters extends BootstrapParameters {
  /** PEM authority of client certificates; undefined: none. */
  readonly clientAuthority: string | undefined;
  readonly port: number;
  /** Address at which pods and nodes reach the server, without the port. */
  readonly address?: string | undefined;
}

/** A bootstrap object and its storage key. */
export interface BootstrapObject {
  readonly key: string;
  readonly object: JsonObject;
}

/** A generated line: storage key, index of its managed fields, object. */
type ObjectTemplate = readonly [key: string, owners: number, object: JsonObject];

/** Builds objects from generated lines, each parsed by `read`. */
export function buildObjects(
  lines: string,
  { now, random }: BootstrapParameters,
  read: (line: string) => ObjectTemplate,
): readonly BootstrapObject[] {
  const time = formatTimestamp(now);
  const fillPlaceholders = (line: string) =>
    line
      .replaceAll("<now>", time)
      .replaceAll("<instant>", new Date(now).toISOString().replace("Z", "000Z"))
      .replaceAll("<today>", time.slice(0, 10))
      .replaceAll("<uid>", () => generateUid(random));
  const owners = getManagedFields().map((entries) => entries.map((entry) => ({ ...entry, time })));
  return lines.split("\n").map((line) => {
    const [key, owned, object] = line.includes("<") ? parseTemplate(fillPlaceholders(line)) : read(line);
    const metadata = {
      ...(object["metadata"] as JsonObject),
      uid: generateUid(random),
      creationTimestamp: time,
      managedFields: owners[owned],
    };
    return { key, object: { ...object, metadata } as unknown as JsonObject };
  });
}

/** Parses a line that is specific to this cluster. */
export const parseTemplate = (line: string) => JSON.parse(line) as ObjectTemplate;

/** Parses a line that all clusters share; the object is the same in all clusters of this process. */
export const parseSharedTemplate: (line: string) => ObjectTemplate = memoizeByKey((line) => deepFreeze(parseTemplate(line)));

const getManagedFields = memoize((): readonly (readonly ManagedFieldsEntry[])[] =>
  deepFreeze(managedFields.split("\n").map((line) => JSON.parse(line) as readonly ManagedFieldsEntry[])),
);
