import { type Command, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { connectToCluster, READ_OPTION_DESCRIPTIONS, READ_OPTIONS } from "../../target-cluster/index.ts";
import { formatTable, requireArgument, requireExtension } from "./operator-options.ts";
import { formatCondition } from "./wait-for-extension.ts";

export const operatorHistory: Command = {
  name: "operator history",
  summary: "List the revisions of an extension, with their bundles and states.",
  usage: "NAME [--context NAME] [--kubeconfig FILE] [--output json|yaml]",
  options: { ...READ_OPTIONS, ...OUTPUT_OPTION },
  optionDescriptions: { ...READ_OPTION_DESCRIPTIONS, ...OUTPUT_DESCRIPTION },
  examples: ["pintle operator history memcached", "pintle operator history memcached -o json"],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    const name = requireArgument(args, "extension", "history memcached");
    const { ClusterObjectSetKind } = await import("@pintle/lifecycle/manager");
    await using cluster = await connectToCluster(args, io);
    await requireExtension(cluster, name, io.signal);
    const labels = { "olm.operatorframework.io/owner-name": name };
    const { items } = await cluster.client.list(ClusterObjectSetKind, { labels, signal: io.signal });
    const revisions = items
      .toSorted((a, b) => a.spec.revision - b.spec.revision)
      .map(({ metadata, spec, status }) => {
        const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
        return {
          revision: spec.revision,
          name: metadata.name,
          bundle: metadata.annotations?.["olm.operatorframework.io/bundle-name"],
          version: metadata.annotations?.["olm.operatorframework.io/bundle-version"],
          state: spec.lifecycleState,
          created: metadata.creationTimestamp,
          progress: progressing === undefined ? "not reconciled yet" : formatCondition(progressing),
        };
      });
    if (output !== undefined) return io.out(output(revisions));
    if (revisions.length === 0) return io.out(`${name} has no revision yet: see 'pintle operator why ${name}'\n`);
    const rows = revisions.map(({ revision, version = "-", state, created, progress }) => [
      String(revision),
      version,
      state,
      String(created),
      progress.split("\n")[0]!,
    ]);
    io.out(formatTable([["REVISION", "VERSION", "STATE", "CREATED", "PROGRESS"], ...rows]));
  },
};
