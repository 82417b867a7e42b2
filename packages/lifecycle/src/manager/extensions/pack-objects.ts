import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { encodeGoJson } from "pintle/internal/go-format";
import type { JsonObject } from "pintle/internal/json";
import { failure } from "../api/failures.ts";
import { OBJECT_DATA_TYPE, OWNER_NAME_LABEL, REVISION_NAME_LABEL } from "../api/names.ts";

/** The Secrets that packed objects are stored in. */
export interface PackTarget {
  readonly revisionName: string;
  readonly ownerName: string;
  readonly namespace: string;
}

/** A Secret with objects, as it is created. */
export interface PackedSecret {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Readonly<Record<string, string>> };
  readonly immutable: true;
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

/** The Secret and key of a packed object. */
export interface ObjectReference {
  readonly name: string;
  readonly namespace: string;
  readonly key: string;
}

/** The Secrets to create, and for each phase and object where it is. */
export interface PackedObjects {
  readonly secrets: readonly PackedSecret[];
  readonly references: readonly (readonly ObjectReference[])[];
}

/** Leaves room for base64 and metadata within the 1.5 MiB of etcd. Larger objects are compressed. */
const MAX_SIZE = 900 * 1024;

interface OpenSecret {
  readonly data: Map<string, Buffer>;
  size: number;
}

/** Packs the objects of phases into as few Secrets as possible. Names and keys follow from the content. */
export function packObjects(phases: readonly { readonly objects: readonly JsonObject[] }[], target: PackTarget): PackedObjects {
  const full: OpenSecret[] = [];
  let open: OpenSecret = { data: new Map(), size: 0 };
  const places = phases.map(({ objects }, phase) =>
    objects.map((object, i) => {
      const data = encodeObject(object, phase, i);
      const key = createHash("sha256").update(data).digest("base64url");
      if (!open.data.has(key)) {
        if (open.size + data.length > MAX_SIZE && open.data.size > 0) {
          full.push(open);
          open = { data: new Map(), size: 0 };
        }
        open.data.set(key, data);
        open.size += data.length;
      }
      return { in: open, key };
    }),
  );
  if (open.data.size > 0) full.push(open);
  const secrets = new Map(full.map((each) => [each, buildSecret(each.data, target)]));
  return {
    secrets: [...secrets.values()],
    references: places.map((phase) =>
      phase.map((place) => ({ name: secrets.get(place.in)!.metadata.name, namespace: target.namespace, key: place.key })),
    ),
  };
}

function encodeObject(object: JsonObject, phase: number, index: number): Buffer {
  const plain = Buffer.from(encodeGoJson(object));
  const data = plain.length > MAX_SIZE ? gzipSync(plain, { level: 9 }) : plain;
  if (data.length <= MAX_SIZE) return data;
  throw failure(
    `object in phase ${phase} index ${index} exceeds maximum Secret data size (${data.length} bytes > ${MAX_SIZE} bytes) even after compression`,
  );
}

function buildSecret(data: ReadonlyMap<string, Buffer>, { revisionName, ownerName, namespace }: PackTarget): PackedSecret {
  const keys = [...data.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const hash = createHash("sha256");
  for (const key of keys) hash.update(key).update(data.get(key)!);
  return {
    metadata: {
      name: `${revisionName}-${hash.digest().subarray(0, 8).toString("hex")}`,
      namespace,
      labels: { [REVISION_NAME_LABEL]: revisionName, [OWNER_NAME_LABEL]: ownerName },
    },
    immutable: true,
    type: OBJECT_DATA_TYPE,
    data: Object.fromEntries(keys.map((key) => [key, data.get(key)!.toString("base64")])),
  };
}
