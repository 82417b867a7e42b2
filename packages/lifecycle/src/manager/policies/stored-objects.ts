import { type Client, NotFound } from "pintle/client";
import type { JsonObject } from "pintle/internal/json";
import type { AnyKind } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { checkStoredObjects } from "../../safety/index.ts";
import { describeError, failure } from "../api/failures.ts";
import { POLICY_FIELD_MANAGER } from "../api/names.ts";
import type { ExtensionPlanStatus } from "../api/policy-types.ts";
import { MAX_PLANNED } from "../crds/index.ts";

type Refused = NonNullable<ExtensionPlanStatus["refused"]>[number];

const PAGE = 500;

/** Finds the stored objects that the new CRDs would reject or whose fields they would drop. Reads page by page, in constant memory. */
export async function findRefusedObjects(client: Client, objects: readonly JsonObject[]): Promise<Refused[]> {
  const refused: Refused[] = [];
  for (const next of objects) {
    if (next["kind"] !== "CustomResourceDefinition") continue;
    const live = await findDefinition(client, next);
    if (live === undefined) continue;
    const { group, names } = live.spec;
    const report = await checkStoredObjects({
      live: live as unknown as JsonObject,
      next,
      async readPage(version, token) {
        const { plural } = names;
        const path = `/apis/${group}/${version}/${plural}`;
        const query = { limit: String(PAGE), ...(token === undefined ? {} : { continue: token }) };
        const response = await client.request({ method: "GET", path, query, headers: { accept: "application/json" } });
        const { items, metadata } = (await response.json()) as {
          readonly items: readonly JsonObject[];
          readonly metadata?: { readonly continue?: string; readonly remainingItemCount?: number };
        };
        const token2 = metadata?.continue;
        return { items, ...(token2 === undefined || token2 === "" ? {} : { continue: token2 }), remaining: metadata?.remainingItemCount };
      },
      onRefused({ namespace, name, problems }) {
        if (refused.length >= MAX_PLANNED) return;
        const message = problems.map((each) => `${each.field === "" ? "the object" : each.field}: ${each.message}`).join("; ");
        const apiVersion = `${group}/${problems[0]?.versions[0] ?? ""}`;
        refused.push({ apiVersion, kind: names.kind, ...(namespace === undefined ? {} : { namespace }), name, message });
      },
    }).catch((error: unknown) => {
      throw failure(`checking stored objects of ${live.metadata.name}: ${describeError(error)}`, error);
    });
    for (const { version, reason } of report.unchecked) {
      refused.push({ apiVersion: `${group}/${version}`, kind: names.kind, name: "*", message: `cannot be checked: ${reason}` });
    }
  }
  return refused;
}

/**
 * Rewrites objects that are stored in old versions of CRDs, and removes these versions from `status.storedVersions`, so that a CRD without them can be applied.
 * An object that another client else writes meanwhile is stored in the new version by that.
 */
export async function migrateStoredObjects(client: Client, objects: readonly JsonObject[]): Promise<void> {
  for (const next of objects) {
    if (next["kind"] !== "CustomResourceDefinition") continue;
    const live = await findDefinition(client, next);
    const storage = live?.spec.versions.find((version) => version.storage === true)?.name;
    const stored = live?.status?.storedVersions ?? [];
    if (live === undefined || storage === undefined || stored.every((version) => version === storage)) continue;
    const { group, names } = live.spec;
    try {
      const kind = (await client.discoverKind(`${group}/${storage}`, names.kind)) as AnyKind;
      for await (const page of client.listPages(kind as never, { limit: PAGE } as never)) {
        for (const { metadata } of (page as unknown as { readonly items: readonly { readonly metadata: Named }[] }).items) {
          await rewrite(client, kind, metadata);
        }
      }
      const { name, resourceVersion } = live.metadata;
      // The resourceVersion: the storage version must not have changed since.
      const merge = { metadata: { resourceVersion }, status: { storedVersions: [storage] } };
      await client.status.patch(CustomResourceDefinition, { name }, { merge } as never, { fieldManager: POLICY_FIELD_MANAGER });
    } catch (error) {
      throw failure(`migrating stored objects of ${live.metadata.name}: ${describeError(error)}`, error);
    }
  }
}

interface Named {
  readonly name: string;
  readonly namespace?: string;
}

/** A write that changes nothing: the API server stores the object in the current version, if it was stored in another one. */
async function rewrite(client: Client, kind: AnyKind, { name, namespace }: Named): Promise<void> {
  try {
    await client.patch(kind, { name, namespace } as never, { merge: {} }, { fieldManager: POLICY_FIELD_MANAGER });
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
}

async function findDefinition(client: Client, { metadata }: JsonObject) {
  return client.find(CustomResourceDefinition, { name: (metadata as unknown as Named).name });
}
