import type { ClusterExtension, ExtensionPolicy } from "@pintle/lifecycle/manager";
import { type Client, type DynamicObject, NotFound } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { CLUSTER_OPTION_DESCRIPTIONS, CLUSTER_OPTIONS, confirmChange, connectToCluster } from "../../target-cluster/index.ts";
import { deleteBundleSource } from "./bundle-source.ts";
import { readTimeout, requireArgument, requireExtension } from "./operator-options.ts";

export const operatorUninstall: Command = {
  name: "operator uninstall",
  summary: "Remove an extension with everything that it installed, after listing the custom resources that would be deleted.",
  usage: "NAME [--delete-objects] [--timeout DURATION] [--dry-run] [--context NAME] [--kubeconfig FILE] [--yes] [--output json|yaml]",
  options: {
    "delete-objects": { type: "boolean" },
    timeout: { type: "string" },
    "dry-run": { type: "boolean" },
    ...CLUSTER_OPTIONS,
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    "delete-objects": "also delete the objects of its custom resources, while the operator can still finalize them",
    timeout: "how long to wait, such as 90s or 10m (default: 5m)",
    "dry-run": "only list what would be deleted",
    ...CLUSTER_OPTION_DESCRIPTIONS,
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle operator uninstall memcached --dry-run",
    "pintle operator uninstall memcached",
    "pintle operator uninstall memcached --delete-objects --yes",
  ],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    const timeoutMs = readTimeout(args);
    const name = requireArgument(args, "extension", "uninstall memcached");
    const { ClusterExtensionKind, ClusterObjectSetKind } = await import("@pintle/lifecycle/manager");
    await using cluster = await connectToCluster(args, io);
    const { client } = cluster;
    const extension = await requireExtension(cluster, name, io.signal);
    const policy = await findPolicy(client, extension, io.signal);
    const keepsDefinitions = policy?.spec.removal === "KeepDefinitions";
    const kinds = await listProvidedKinds(client, name, io.signal);
    const report = (line: string) => (output === undefined ? io.out(`${line}\n`) : undefined);
    for (const { crd, objects, finalizers } of kinds) {
      const held = finalizers.length === 0 ? "" : `, held by finalizers ${finalizers.join(", ")}`;
      report(`${crd}  ${objects.length} ${objects.length === 1 ? "object" : "objects"}${held}`);
    }
    if (keepsDefinitions) report(`ExtensionPolicy/${policy.metadata.name} keeps CRDs and their objects`);
    const plan = {
      name,
      keepsDefinitions,
      kinds: kinds.map(({ crd, objects, finalizers }) => ({ crd, objects: objects.map(nameOf), finalizers })),
    };
    if (args.values["dry-run"] === true) {
      if (output !== undefined) io.out(output(plan));
      return;
    }
    const deletesObjects = args.values["delete-objects"] === true;
    const count = keepsDefinitions && !deletesObjects ? 0 : kinds.reduce((sum, { objects }) => sum + objects.length, 0);
    if (count > 0 && !deletesObjects) {
      throw new CommandError(
        "PINTLE7106",
        `${count} ${count === 1 ? "object" : "objects"} of the custom resources of ${name} would be deleted with their CRDs: pass --delete-objects to agree. Nothing was changed`,
      );
    }
    await confirmChange(cluster, `uninstall extension ${name}${count === 0 ? "" : ` and delete ${count} objects`}`, args, io);
    const signal = AbortSignal.any([io.signal, AbortSignal.timeout(timeoutMs)]);
    let waiting = `ClusterExtension/${name}`;
    try {
      for (const { kind, crd, objects } of count === 0 ? [] : kinds) {
        for (const object of objects) await client.delete(kind, object.metadata as never, { signal });
        for (const object of objects) {
          waiting = `${crd} ${nameOf(object)}, which the operator must finalize`;
          await client.waitForDeletion(kind, object.metadata as never, { signal, uid: object.metadata.uid });
        }
        if (objects.length > 0) report(`${crd}  ${objects.length} deleted`);
      }
      waiting = `ClusterExtension/${name}`;
      await client.delete(ClusterExtensionKind, { name }, { uid: extension.metadata.uid, propagation: "Foreground", signal });
      await client.waitForDeletion(ClusterExtensionKind, { name }, { uid: extension.metadata.uid, signal });
      const labels = { "olm.operatorframework.io/owner-name": name };
      for (const { metadata } of (await client.list(ClusterObjectSetKind, { labels, signal })).items) {
        waiting = `ClusterObjectSet/${metadata.name}`;
        await client.waitForDeletion(ClusterObjectSetKind, { name: metadata.name }, { uid: metadata.uid, signal });
      }
      for (const { crd } of keepsDefinitions ? [] : kinds) {
        waiting = `CustomResourceDefinition/${crd}`;
        await client.waitForDeletion(CustomResourceDefinition, { name: crd }, { signal });
      }
    } catch (error) {
      const resume = `pintle operator uninstall ${name}${args.values["delete-objects"] === true ? " --delete-objects" : ""}`;
      if (io.signal.aborted) io.err(`interrupted while waiting for the deletion of ${waiting}. Continue with '${resume}'\n`);
      io.signal.throwIfAborted();
      if (!signal.aborted) throw error;
      throw new CommandError("PINTLE7102", `waited ${timeoutMs / 1000}s for the deletion of ${waiting}. Continue with '${resume}'`);
    }
    const own = await deleteBundleSource(cluster, name, io.signal);
    if (own !== undefined) report(`ExtensionPolicy/${own} deleted, which named the bundle`);
    io.out(output?.(plan) ?? `${name} is uninstalled; namespace ${extension.spec.namespace} was kept\n`);
  },
};

/** The policy of an extension; undefined without one, and where the manager has none. */
async function findPolicy(client: Client, extension: ClusterExtension, signal: AbortSignal): Promise<ExtensionPolicy | undefined> {
  const { ExtensionPolicyKind } = await import("@pintle/lifecycle/manager");
  const { selectPolicy } = await import("@pintle/lifecycle/internal/manager");
  const { items } = await client.list(ExtensionPolicyKind, { signal }).catch((error: unknown) => {
    if (error instanceof NotFound) return { items: [] };
    throw error;
  });
  return selectPolicy(items, extension);
}

interface ProvidedKind {
  readonly crd: string;
  readonly kind: Awaited<ReturnType<Client["discoverKind"]>>;
  readonly objects: readonly DynamicObject[];
  readonly finalizers: readonly string[];
}

/** The CRDs that an extension installed, with their objects. */
async function listProvidedKinds(client: Client, extension: string, signal: AbortSignal): Promise<ProvidedKind[]> {
  const labels = { "olm.operatorframework.io/owner-kind": "ClusterExtension", "olm.operatorframework.io/owner-name": extension };
  const { items } = await client.list(CustomResourceDefinition, { labels, signal });
  return Promise.all(
    items.map(async ({ metadata, spec }) => {
      const version = spec.versions.find(({ storage }) => storage === true)?.name ?? spec.versions[0]!.name;
      const kind = await client.discoverKind(`${spec.group}/${version}`, spec.names.kind, { signal });
      const objects = (await client.list(kind, { signal })).items;
      const finalizers = [...new Set(objects.flatMap((object) => object.metadata.finalizers ?? []))].sort();
      return { crd: metadata.name, kind, objects, finalizers };
    }),
  );
}

function nameOf({ metadata }: DynamicObject): string {
  const { namespace, name } = metadata as { readonly namespace?: string; readonly name: string };
  return namespace === undefined ? name : `${namespace}/${name}`;
}
