import type { Client } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { type Migration, MigrationFailed, migrateStoredVersions } from "pintle/resource";
import { type Command, CommandError } from "../command.ts";
import { OUTPUT_ABOUT, OUTPUT_OPTION, outputOf } from "../output.ts";
import { confirm, REACH_ABOUT, REACH_OPTIONS, reach } from "../reach/index.ts";

export const migrate: Command = {
  name: "migrate",
  summary: "Rewrite stored objects of a custom resource in its storage version, so that old versions can go.",
  usage: "<kind> [--context NAME] [--kubeconfig FILE] [--yes] [--output json|yaml]",
  options: { ...REACH_OPTIONS, ...OUTPUT_OPTION },
  about: { ...REACH_ABOUT, ...OUTPUT_ABOUT },
  examples: ["pintle migrate Memcached", "pintle migrate memcacheds.cache.example.com --context prod --yes"],
  words: 1,
  async run(args, io) {
    const output = outputOf("migrate", args);
    const [wanted] = args.positionals;
    if (wanted === undefined) throw new CommandError("pintle migrate: say one kind: pintle migrate Memcached", 2);
    await using cluster = await reach(args, io);
    const definition = await definitionOf(cluster.client, wanted, io.signal);
    await confirm(cluster, `rewrite all ${definition}`, args, io);
    const progress = (rewritten: number) => {
      if (output === undefined && io.tty && rewritten % 100 === 0) io.err(`${rewritten} rewritten\n`);
    };
    const done = await migrateStoredVersions(cluster.client, definition, { progress, signal: io.signal }).catch((error: unknown) => {
      throw error instanceof MigrationFailed ? new CommandError(`pintle migrate: ${sentences(error)}`) : error;
    });
    io.out(output === undefined ? `${told(done)}\n` : output(done));
  },
};

function told({ definition, version, dropped, rewritten }: Migration): string {
  if (dropped.length === 0) return `${definition}: everything is stored as ${version} already`;
  return `${definition}: ${rewritten} objects are stored as ${version}; ${dropped.join(", ")} may be taken out of the definition`;
}

function sentences({ message, failures }: MigrationFailed): string {
  return [message, ...[...failures].map(([object, error]) => `  ${object}: ${error.message}`)].join("\n");
}

/** A definition by its name, or by the kind, plural or short name of its objects. */
async function definitionOf(client: Client, wanted: string, signal: AbortSignal): Promise<string> {
  const { items } = await client.list(CustomResourceDefinition, { signal });
  const found = items.filter(({ metadata, spec: { names } }) =>
    [metadata.name, names.kind, names.plural, names.singular, ...(names.shortNames ?? [])].some(
      (name) => name?.toLowerCase() === wanted.toLowerCase(),
    ),
  );
  const [one, another] = found;
  if (one === undefined)
    throw new CommandError(`pintle migrate: the cluster has no custom resource ${wanted}: list them with: kubectl get crds`);
  if (another !== undefined)
    throw new CommandError(`pintle migrate: ${wanted} is ambiguous: say ${found.map(({ metadata }) => metadata.name).join(" or ")}`, 2);
  return one.metadata.name;
}
