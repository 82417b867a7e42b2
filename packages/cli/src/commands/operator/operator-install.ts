import type { ClusterExtension } from "@pintle/lifecycle/manager";
import { AlreadyExists, NotFound } from "pintle/client";
import { Namespace } from "pintle/kinds/core/v1";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { CLUSTER_OPTION_DESCRIPTIONS, CLUSTER_OPTIONS, confirmChange, connectToCluster } from "../../target-cluster/index.ts";
import { applyBundleSource, readBundleArgument, refuseBundleSource } from "./bundle-source.ts";
import {
  missingManager,
  OPERATOR_FIELD_MANAGER,
  readTimeout,
  requireArgument,
  WAIT_DESCRIPTIONS,
  WAIT_OPTIONS,
} from "./operator-options.ts";
import { waitForExtension } from "./wait-for-extension.ts";

export const operatorInstall: Command = {
  name: "operator install",
  summary: "Install a package of a catalog, and wait until it has rolled out.",
  usage:
    "PACKAGE|--bundle IMAGE [--name NAME] [--namespace NAMESPACE] [--version RANGE] [--channel CHANNEL[,CHANNEL]] [--catalog CATALOG] [--timeout DURATION | --no-wait] [--context NAME] [--kubeconfig FILE] [--yes] [--output json|yaml]",
  options: {
    bundle: { type: "string" },
    "insecure-registry": { type: "boolean" },
    name: { type: "string" },
    namespace: { type: "string", short: "n" },
    version: { type: "string" },
    channel: { type: "string" },
    catalog: { type: "string" },
    ...WAIT_OPTIONS,
    ...CLUSTER_OPTIONS,
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    bundle: "install this bundle without a catalog, or another one of its package later; needs Pintle's manager",
    "insecure-registry": "use plain HTTP for the registry of --bundle",
    name: "the name of the extension (default: the package)",
    namespace: "the namespace of the operator, which is created if it is missing (default: NAME-system)",
    version: "a version or a range, such as 1.2.0 or '>=1.2.0 <2.0.0' (default: the highest)",
    channel: "take bundles of these channels only",
    catalog: "take bundles of this ClusterCatalog only",
    ...WAIT_DESCRIPTIONS,
    ...CLUSTER_OPTION_DESCRIPTIONS,
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle operator install memcached",
    "pintle operator install memcached --version 1.2.x --namespace caches",
    "pintle operator install memcached --channel stable --catalog community --timeout 10m",
    "pintle operator install --bundle ghcr.io/me/memcached-bundle:1.2.0",
  ],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    const timeoutMs = readTimeout(args);
    const { values } = args;
    const bundle = values["bundle"] === undefined ? undefined : await readBundleArgument(args, io);
    const packageName = bundle?.packageName ?? requireArgument(args, "package", "install memcached");
    const name = String(values["name"] ?? packageName);
    const { ClusterExtensionKind } = await import("@pintle/lifecycle/manager");
    await using cluster = await connectToCluster(args, io);
    const { client, description } = cluster;
    const existing = await client.find(ClusterExtensionKind, { name }, { signal: io.signal }).catch((error: unknown) => {
      throw error instanceof NotFound ? missingManager(description) : error;
    });
    if (existing !== undefined) refuseOther(existing, packageName);
    if (bundle === undefined) await refuseBundleSource(cluster, existing?.metadata ?? { name }, io.signal);
    const namespace = String(values["namespace"] ?? existing?.spec.namespace ?? `${name}-system`);
    await confirmChange(cluster, `install package ${packageName} as extension ${name} into namespace ${namespace}`, args, io);
    await createNamespace();
    if (bundle !== undefined) await applyBundleSource(cluster, name, bundle.image, io.signal);
    const { channel, catalog } = values;
    const version = bundle?.version ?? values["version"];
    const applied = await client.apply(
      ClusterExtensionKind,
      {
        metadata: { name },
        spec: {
          namespace,
          source: {
            sourceType: "Catalog",
            catalog: {
              packageName,
              ...(version === undefined ? {} : { version }),
              ...(bundle === undefined ? {} : { upgradeConstraintPolicy: "SelfCertified" as const }),
              ...(channel === undefined ? {} : { channels: String(channel).split(",") }),
              ...(catalog === undefined
                ? {}
                : { selector: { matchLabels: { "olm.operatorframework.io/metadata.name": String(catalog) } } }),
            },
          },
        },
      },
      { fieldManager: OPERATOR_FIELD_MANAGER, force: true, signal: io.signal },
    );
    const report = (line: string) => (output === undefined ? io.out(`${line}\n`) : undefined);
    report(`ClusterExtension/${name} ${existing === undefined ? "created" : "configured"}`);
    if (values["no-wait"] === true) {
      if (output !== undefined) io.out(output(applied));
      return;
    }
    const { generation = 1 } = applied.metadata;
    const resume = `pintle operator install ${bundle === undefined ? packageName : `--bundle ${bundle.image}`}${name === packageName ? "" : ` --name ${name}`}`;
    const installed = await waitForExtension({ client, name, generation, timeoutMs, resume, onProgress: report }, io);
    const { version: has } = installed.status!.install!.bundle;
    io.out(output?.(installed) ?? `${name} ${has} is installed in namespace ${namespace}\n`);

    async function createNamespace(): Promise<void> {
      try {
        await client.create(Namespace, { metadata: { name: namespace } }, { signal: io.signal });
      } catch (error) {
        if (!(error instanceof AlreadyExists)) throw error;
      }
    }
  },
};

/** Package and namespace of an extension cannot be changed. */
function refuseOther({ metadata, spec }: ClusterExtension, packageName: string): void {
  const has = spec.source.catalog?.packageName;
  if (has === packageName) return;
  throw new CommandError(
    "PINTLE7105",
    `extension ${metadata.name} has package ${has}, which cannot be changed: choose another --name for package ${packageName}`,
  );
}
