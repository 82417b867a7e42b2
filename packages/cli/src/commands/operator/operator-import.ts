import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { ConvertedSubscription, OperatorGroup, Subscription } from "@pintle/lifecycle/internal/migrate";
import { type Client, NotFound } from "pintle/client";
import { defineUntypedKind, type JsonObject } from "pintle/kinds";
import {
  type Command,
  CommandError,
  type Io,
  OUTPUT_DESCRIPTION,
  OUTPUT_OPTION,
  outputFormatter,
  type ParsedArguments,
} from "../../command/index.ts";
import { parseYaml, toYaml } from "../../manifests/index.ts";
import { CLUSTER_OPTION_DESCRIPTIONS, CLUSTER_OPTIONS, confirmChange, connectToCluster } from "../../target-cluster/index.ts";
import { missingManager, OPERATOR_FIELD_MANAGER, requireArgument } from "./operator-options.ts";

const GROUP = "operators.coreos.com";
const SubscriptionKind = defineUntypedKind({
  group: GROUP,
  version: "v1alpha1",
  kind: "Subscription",
  plural: "subscriptions",
  scope: "Namespaced",
});
const OperatorGroupKind = defineUntypedKind({
  group: GROUP,
  version: "v1",
  kind: "OperatorGroup",
  plural: "operatorgroups",
  scope: "Namespaced",
});

export const operatorImport: Command = {
  name: "operator import",
  summary: "Convert a Subscription of OLM v0 into a ClusterExtension, and list the settings that it cannot express.",
  usage:
    "SUBSCRIPTION|FILE [--namespace NAMESPACE] [--name NAME] [--apply] [--context NAME] [--kubeconfig FILE] [--yes] [--output json|yaml]",
  options: {
    namespace: { type: "string", short: "n" },
    name: { type: "string" },
    apply: { type: "boolean" },
    ...CLUSTER_OPTIONS,
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    namespace: "the namespace of the Subscription (default: that of the kubeconfig)",
    name: "the name of the extension (default: that of the Subscription)",
    apply: "apply the ClusterExtension instead of printing it",
    ...CLUSTER_OPTION_DESCRIPTIONS,
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle operator import memcached -n operators",
    "pintle operator import ./subscription.yaml > extension.yaml",
    "pintle operator import memcached -n operators --apply --yes",
  ],
  maxPositionals: 1,
  async run(args, io) {
    const { convertSubscription } = await import("@pintle/lifecycle/internal/migrate");
    const output = outputFormatter(args);
    const subject = requireArgument(args, "Subscription", "import memcached -n operators");
    const name = args.values["name"] as string | undefined;
    const print = ({ extension, notes }: ConvertedSubscription) => {
      for (const note of notes) io.err(`note: ${note}\n`);
      io.out(output?.(extension) ?? toYaml([extension]));
    };
    const file = path.resolve(io.cwd, subject);
    if (existsSync(file) && args.values["apply"] !== true) {
      print(convertSubscription(...readFromFile(file, subject, name)));
      return;
    }
    await using cluster = await connectToCluster(args, io);
    const { client, description } = cluster;
    const found = existsSync(file) ? readFromFile(file, subject, name) : await readFromCluster(client, subject, args, io, name);
    const converted = convertSubscription(...found);
    if (args.values["apply"] !== true) {
      print(converted);
      return;
    }
    const { ClusterExtensionKind } = await import("@pintle/lifecycle/manager");
    const { extension, notes } = converted;
    await confirmChange(cluster, `create ClusterExtension ${nameOf(extension)}`, args, io);
    const applied = await client
      .apply(ClusterExtensionKind, extension as never, { fieldManager: OPERATOR_FIELD_MANAGER, force: true, signal: io.signal })
      .catch((error: unknown) => {
        throw error instanceof NotFound ? missingManager(description) : error;
      });
    for (const note of notes) io.err(`note: ${note}\n`);
    io.out(output?.(applied) ?? `ClusterExtension/${nameOf(extension)} applied. Follow it with 'pintle operator list'\n`);
  },
};

type Found = readonly [
  Subscription,
  { operatorGroup?: OperatorGroup | undefined; catalogs?: readonly string[] | undefined; name?: string | undefined },
];

function readFromFile(file: string, shown: string, name: string | undefined): Found {
  const objects = parseYaml(readFileSync(file, "utf8"), shown) as readonly JsonObject[];
  const find = (kind: string) => objects.find((object) => object["kind"] === kind && String(object["apiVersion"]).startsWith(`${GROUP}/`));
  const subscription = find("Subscription");
  if (subscription === undefined) throw new CommandError("PINTLE7132", `${shown} has no Subscription of ${GROUP}`);
  return [subscription as unknown as Subscription, { operatorGroup: find("OperatorGroup") as unknown as OperatorGroup | undefined, name }];
}

async function readFromCluster(
  client: Client,
  subject: string,
  args: ParsedArguments,
  { signal }: Io,
  name: string | undefined,
): Promise<Found> {
  const { ClusterCatalogKind } = await import("@pintle/lifecycle/manager");
  const namespace = (args.values["namespace"] as string | undefined) ?? client.namespace;
  const ignoreUnserved = (error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  };
  const subscription = await client.find(SubscriptionKind, { namespace, name: subject }, { signal }).catch(ignoreUnserved);
  if (subscription === undefined)
    throw new CommandError(
      "PINTLE7132",
      `Subscription ${namespace}/${subject} not found. List them with 'kubectl get subscriptions.operators.coreos.com -A', or name a file`,
    );
  const groups = await client.list(OperatorGroupKind, { namespace, signal }).catch(ignoreUnserved);
  const catalogs = await client.list(ClusterCatalogKind, { signal }).catch(ignoreUnserved);
  return [
    subscription as unknown as Subscription,
    {
      operatorGroup: groups?.items[0] as unknown as OperatorGroup | undefined,
      catalogs: catalogs?.items.map(({ metadata }) => metadata.name),
      name,
    },
  ];
}

const nameOf = ({ metadata }: JsonObject) => (metadata as { readonly name: string }).name;
