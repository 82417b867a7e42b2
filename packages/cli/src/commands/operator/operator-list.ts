import type { ClusterExtension } from "@pintle/lifecycle/manager";
import { NotFound } from "pintle/client";
import { type Command, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { connectToCluster, READ_OPTION_DESCRIPTIONS, READ_OPTIONS } from "../../target-cluster/index.ts";
import { formatTable, missingManager } from "./operator-options.ts";
import { formatCondition } from "./wait-for-extension.ts";

export const operatorList: Command = {
  name: "operator list",
  summary: "List the extensions that OLM v1 has installed, and what they wait for.",
  usage: "[--context NAME] [--kubeconfig FILE] [--output json|yaml]",
  options: { ...READ_OPTIONS, ...OUTPUT_OPTION },
  optionDescriptions: { ...READ_OPTION_DESCRIPTIONS, ...OUTPUT_DESCRIPTION },
  examples: ["pintle operator list", "pintle operator list -o json"],
  async run(args, io) {
    const output = outputFormatter(args);
    const { ClusterExtensionKind } = await import("@pintle/lifecycle/manager");
    await using cluster = await connectToCluster(args, io);
    const { items } = await cluster.client.list(ClusterExtensionKind, { signal: io.signal }).catch((error: unknown) => {
      throw error instanceof NotFound && error.isUnservedKind ? missingManager(cluster.description) : error;
    });
    const extensions = items.map(summarize);
    if (output !== undefined) return io.out(output(extensions));
    if (extensions.length === 0) return io.out("no extensions. Install one with 'pintle operator install PACKAGE'\n");
    const rows = extensions.map(({ name, namespace, packageName, version, wanted, state }) => [
      name,
      namespace,
      packageName,
      version ?? "-",
      wanted ?? "any",
      state,
    ]);
    io.out(formatTable([["NAME", "NAMESPACE", "PACKAGE", "VERSION", "WANTED", "STATE"], ...rows]));
  },
};

/** One extension of the table. */
export interface ExtensionSummary {
  readonly name: string;
  readonly namespace: string;
  readonly packageName: string;
  readonly bundle?: string | undefined;
  readonly version?: string | undefined;
  /** The version range of the spec. */
  readonly wanted?: string | undefined;
  readonly state: string;
}

const MAX_STATE_LENGTH = 160;

function summarize({ metadata, spec, status }: ClusterExtension): ExtensionSummary {
  const bundle = status?.install?.bundle;
  const { packageName = "", version } = spec.source.catalog ?? {};
  return {
    name: metadata.name,
    namespace: spec.namespace,
    packageName,
    bundle: bundle?.name,
    version: bundle?.version,
    wanted: version,
    state: describeState(status?.conditions ?? []),
  };
}

/** Returns the first problem of an extension; "Installed" if it has none. */
function describeState(conditions: NonNullable<NonNullable<ClusterExtension["status"]>["conditions"]>): string {
  const find = (type: string) => conditions.find((condition) => condition.type === type);
  const [progressing, installed, available, deprecated] = ["Progressing", "Installed", "Available", "Deprecated"].map(find);
  if (progressing === undefined && installed === undefined) return "not reconciled yet";
  const wrong =
    (progressing?.reason !== "Succeeded" ? progressing : undefined) ??
    (installed?.status !== "True" ? installed : undefined) ??
    (available !== undefined && available.status !== "True" ? available : undefined) ??
    (deprecated?.status === "True" ? deprecated : undefined);
  if (wrong === undefined) return "Installed";
  const text = formatCondition(wrong).split("\n")[0]!;
  return text.length > MAX_STATE_LENGTH ? `${text.slice(0, MAX_STATE_LENGTH)}...` : text;
}
