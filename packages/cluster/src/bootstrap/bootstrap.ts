import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import { getMetadata } from "../api/index.ts";
import type { ObjectStore } from "../store/index.ts";
import { announced, fresh } from "./generated/objects.ts";
import {
  type BootstrapObject,
  type BootstrapParameters,
  buildObjects,
  parseSharedTemplate,
  parseTemplate,
  type ServerObjectParameters,
} from "./object-templates.ts";

/** Addresses of the server that the templates were recorded from. */
const RECORDED_NETWORK = { range: "10.96.0.0/16", first: "10.96.0.1", address: "192.0.2.1" };

/** Creates the missing bootstrap objects; existing ones stay unchanged. */
export async function createBootstrapObjects(store: ObjectStore, parameters: BootstrapParameters): Promise<void> {
  await Promise.all(
    buildObjects(substituteServiceNetwork(fresh, parameters), parameters, parseSharedTemplate).map(({ key, object }) =>
      store.txn(key, 0, { put: object }),
    ),
  );
}

/** Writes the objects that describe the server: its Service, endpoints, lease and client authority. Updates them after a restart. */
export async function publishServerObjects(store: ObjectStore, parameters: ServerObjectParameters): Promise<void> {
  const { clientAuthority, port, address = RECORDED_NETWORK.address } = parameters;
  const all = substituteServiceNetwork(announced, parameters)
    .replaceAll(RECORDED_NETWORK.address, address)
    .replaceAll('"<port>"', String(port))
    .replaceAll("<port>", String(port));
  const lines =
    clientAuthority === undefined
      ? removeLines(all, "<authority>")
      : all.replaceAll("<authority>", () => JSON.stringify(clientAuthority).slice(1, -1));
  await Promise.all(buildObjects(lines, parameters, parseTemplate).map((each) => publishObject(store, each)));
}

const removeLines = (lines: string, word: string) =>
  lines
    .split("\n")
    .filter((line) => !line.includes(word))
    .join("\n");

function substituteServiceNetwork(lines: string, { services = RECORDED_NETWORK }: BootstrapParameters): string {
  if (services.range === RECORDED_NETWORK.range) return lines;
  return lines
    .replaceAll(`"${RECORDED_NETWORK.range}"`, `"${services.range}"`)
    .replaceAll(`"${RECORDED_NETWORK.first}"`, `"${services.first}"`);
}

async function publishObject(store: ObjectStore, { key, object }: BootstrapObject): Promise<void> {
  const result = await store.txn(key, 0, { put: object });
  if (result.ok || result.current === undefined) return;
  const { value, revision } = result.current;
  const { uid, creationTimestamp } = getMetadata(value);
  const metadata = { ...getMetadata(object), uid, creationTimestamp };
  const renewed = { ...object, metadata } as unknown as JsonObject;
  if (!isJsonEqual({ ...renewed, metadata: {} }, { ...value, metadata: {} })) await store.txn(key, revision, { put: renewed });
}
