import type { BreakingChange, CrdUpgradeProblem, RefusedObject, StoredObjectProblem, UncheckedVersion } from "@pintle/lifecycle";
import type { JsonObject } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import {
  type Command,
  CommandError,
  errorCode,
  type Io,
  OUTPUT_DESCRIPTION,
  OUTPUT_OPTION,
  outputFormatter,
  type ParsedArguments,
} from "../../command/index.ts";
import { connectToCluster, READ_OPTION_DESCRIPTIONS, READ_OPTIONS, type TargetCluster } from "../../target-cluster/index.ts";
import { readDefinitions } from "./read-definitions.ts";

export const crdCheck: Command = {
  name: "crd check",
  summary: "Compare CustomResourceDefinitions with those of a cluster, and list the stored objects that the new ones would refuse.",
  usage: "[FILE|FOLDER|BUNDLE] [--strict] [--insecure-registry] [--context NAME] [--kubeconfig FILE] [--output json|yaml]",
  options: { strict: { type: "boolean" }, "insecure-registry": { type: "boolean" }, ...READ_OPTIONS, ...OUTPUT_OPTION },
  optionDescriptions: {
    strict: "fail also for changes that harm no stored object, but that OLM refuses or that break clients",
    "insecure-registry": "use plain HTTP for the registry of BUNDLE",
    ...READ_OPTION_DESCRIPTIONS,
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle crd check                                # the definitions of the project",
    "pintle crd check config/crd/bases --context prod",
    "pintle crd check ghcr.io/me/shop-bundle:2.0.0 -o json",
    "pintle crd check; echo $?                       # 0: all objects stay valid, 1: some do not, 2: error",
  ],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    try {
      const definitions = await readDefinitions(args.positionals[0], args.values, io);
      await using cluster = await connectToCluster(args, io);
      const report = createReporter(io, output === undefined);
      const checks: DefinitionCheck[] = [];
      for (const definition of definitions) checks.push(await checkDefinition(cluster, definition, report, io));
      report.erase();
      const passed = checks.every((check) => isPassed(check, args));
      if (output !== undefined) io.out(output({ passed, definitions: checks }));
      return passed ? 0 : 1;
    } catch (error) {
      // As with `diff`, exit code 1 is reserved for what was found.
      throw new CommandError(errorCode(error) ?? "PINTLE7120", (error as Error).message, 2);
    }
  },
};

/** The findings about one CRD. */
interface DefinitionCheck {
  readonly name: string;
  /** `new`: the cluster does not have it, so that there is nothing to refuse. */
  readonly state: "new" | "checked";
  /** Why the API server refuses the definition itself. */
  readonly definitionErrors: readonly { readonly field: string; readonly message: string }[];
  /** Why OLM v1 refuses the upgrade: the rules of crdify. */
  readonly upgradeProblems: readonly CrdUpgradeProblem[];
  /** Changes that could break objects, whether or not such objects are stored. */
  readonly breakingChanges: readonly BreakingChange[];
  readonly refusedObjects: readonly RefusedObject[];
  /** The number of refused objects. */
  readonly refused: number;
  /** The number of objects that were read. */
  readonly checked: number;
  readonly unchecked: readonly UncheckedVersion[];
}

type Reporter = ReturnType<typeof createReporter>;

async function checkDefinition({ client }: TargetCluster, next: JsonObject, report: Reporter, io: Io): Promise<DefinitionCheck> {
  const lifecycle = await import("@pintle/lifecycle");
  const { name } = next["metadata"] as { readonly name: string };
  const live = (await client.find(CustomResourceDefinition, { name }, { signal: io.signal })) as unknown as JsonObject | undefined;
  if (live === undefined) {
    report.line(`${name}: not in the cluster yet`);
    const nothing = { definitionErrors: [], upgradeProblems: [], breakingChanges: [], refusedObjects: [], unchecked: [] };
    return { name, state: "new", ...nothing, refused: 0, checked: 0 };
  }
  report.line(`${name}:`);
  const upgradeProblems = lifecycle.checkCrdUpgrade(live, next);
  for (const { version, path, rule, message } of upgradeProblems) {
    report.line(`  OLM refuses the upgrade: ${[version, path, rule, message].filter((part) => part !== undefined).join(": ")}`);
  }
  const breakingChanges = lifecycle.findBreakingCrdChanges(live, next);
  for (const { field, keyword, detail } of breakingChanges) report.line(`  breaking change: ${field}: ${keyword}: ${detail}`);
  const refusedObjects: RefusedObject[] = [];
  const { definitionErrors, checked, refused, unchecked } = await lifecycle.checkStoredObjects({
    live,
    next,
    readPage: lifecycle.createStoredObjectReader(client, live, { signal: io.signal }),
    onRefused: (object) => {
      // Text is printed at once, so that the memory does not grow with what is found.
      if (report.isText) report.line(formatRefused(object));
      else refusedObjects.push(object);
    },
    onPage: (count, remaining) =>
      report.progress(`${name}: ${count}${remaining === undefined ? "" : ` of ${count + remaining}`} objects checked`),
  });
  for (const { field, message } of definitionErrors) report.line(`  the API server refuses the definition: ${field}: ${message}`);
  if (definitionErrors.some(({ field }) => field.startsWith("status.storedVersions"))) {
    report.line(`  keep the version, store all objects in the new one with 'pintle migrate ${name}', and remove it in a later release`);
  }
  for (const { version, reason } of unchecked) report.line(`  ${version} is not checked: ${reason}`);
  report.line(`  ${refused === 0 ? "no object" : refused} of ${checked} would be refused or lose fields`);
  return { name, state: "checked", definitionErrors, upgradeProblems, breakingChanges, refusedObjects, refused, checked, unchecked };
}

function isPassed({ definitionErrors, refused, upgradeProblems, breakingChanges }: DefinitionCheck, { values }: ParsedArguments): boolean {
  const isHarmless = definitionErrors.length === 0 && refused === 0;
  return isHarmless && (values["strict"] !== true || (upgradeProblems.length === 0 && breakingChanges.length === 0));
}

/** Prints lines, and on a terminal the progress below them. */
function createReporter({ out, err, tty }: Io, isText: boolean) {
  let isShown = false;
  const erase = (): void => {
    if (isShown) err("\r\u001b[K");
    isShown = false;
  };
  return {
    isText,
    line(text: string): void {
      erase();
      if (isText) out(`${text}\n`);
    },
    progress(text: string): void {
      if (!tty) return;
      erase();
      err(text);
      isShown = true;
    },
    erase,
  };
}

function formatRefused({ namespace, name, problems }: RefusedObject): string {
  const lines = problems.map((problem) => `    ${formatProblem(problem)}`);
  return [`  ${namespace === undefined ? "" : `${namespace}/`}${name}`, ...lines].join("\n");
}

function formatProblem({ versions, field, message, effect, blocksEveryUpdate }: StoredObjectProblem): string {
  const where = [versions.join(","), field].filter((part) => part !== "").join(" ");
  if (effect === "dropped") return `${where}: would be dropped`;
  return `${where}: ${message}${blocksEveryUpdate ? " (blocks every update)" : ""}`;
}
