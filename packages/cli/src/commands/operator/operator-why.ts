import type { BundleCandidate } from "@pintle/lifecycle";
import { type Command, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { connectToCluster, READ_OPTION_DESCRIPTIONS, READ_OPTIONS } from "../../target-cluster/index.ts";
import { formatTable, requireArgument, requireExtension } from "./operator-options.ts";
import { readCatalogs } from "./read-catalogs.ts";
import { formatCondition } from "./wait-for-extension.ts";

export const operatorWhy: Command = {
  name: "operator why",
  summary: "Explain which bundle an extension gets: every candidate, and the rule that removed it.",
  usage: "NAME [--context NAME] [--kubeconfig FILE] [--output json|yaml]",
  options: { ...READ_OPTIONS, ...OUTPUT_OPTION },
  optionDescriptions: { ...READ_OPTION_DESCRIPTIONS, ...OUTPUT_DESCRIPTION },
  examples: ["pintle operator why memcached", "pintle operator why memcached -o json"],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    const name = requireArgument(args, "extension", "why memcached");
    const { ResolutionError, resolveBundle } = await import("@pintle/lifecycle");
    await using cluster = await connectToCluster(args, io);
    const extension = await requireExtension(cluster, name, io.signal);
    const source = extension.spec.source.catalog!;
    const catalogs = await readCatalogs(cluster, source.packageName, io.signal);
    const installed = extension.status?.install?.bundle;
    const resolvable = catalogs.map(({ catalog, content }) => ({
      name: catalog.metadata.name,
      labels: catalog.metadata.labels ?? {},
      priority: catalog.spec.priority ?? 0,
      available: catalog.spec.availabilityMode !== "Unavailable",
      content,
    }));
    let candidates: readonly BundleCandidate[] = [];
    let chosen: string | undefined;
    let reason: string | undefined;
    try {
      const resolved = resolveBundle(resolvable, { ...source, ...(installed === undefined ? {} : { installed }) });
      candidates = resolved.candidates;
      chosen = resolved.bundle.name;
    } catch (error) {
      if (error instanceof ResolutionError) candidates = error.candidates;
      reason = error instanceof Error ? error.message : String(error);
    }
    const unread = catalogs.flatMap(({ catalog, problem }) => (problem === undefined ? [] : [{ catalog: catalog.metadata.name, problem }]));
    const conditions = (extension.status?.conditions ?? []).filter(({ type }) => type === "Installed" || type === "Progressing");
    const explanation = { name, installed, chosen, reason, candidates, unread, conditions };
    if (output !== undefined) {
      io.out(output(explanation));
      return reason === undefined ? 0 : 1;
    }
    io.out(`${name}: package ${source.packageName}${installed === undefined ? ", nothing installed" : `, ${installed.name} installed`}\n`);
    for (const condition of conditions) io.out(`  ${formatCondition(condition)}\n`);
    for (const { catalog, problem } of unread) io.out(`  catalog ${catalog}: ${problem}\n`);
    if (candidates.length > 0) {
      const rows = candidates.map(({ catalog, bundle, removedBy }) => [catalog, bundle, removedBy ?? "chosen"]);
      io.out(`\n${formatTable([["CATALOG", "BUNDLE", "RULE"], ...rows])}`);
    }
    io.out(reason === undefined ? `\nthe bundle to have is ${chosen}\n` : `\n${reason}\n`);
    return reason === undefined ? 0 : 1;
  },
};
