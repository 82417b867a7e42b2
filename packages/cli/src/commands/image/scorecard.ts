import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { defaultCrd, validateCrd } from "@pintle/cluster/schema";
import type { BundleFiles, ScorecardResult } from "@pintle/lifecycle";
import type { ScorecardTestConfig } from "@pintle/lifecycle/internal/scorecard";
import type { JsonObject } from "pintle/kinds";
import { type Command, CommandError, errorCode, type Io, type ParsedArguments, withProgress } from "../../command/index.ts";
import { BUNDLE_FOLDER } from "../../olm-bundle/index.ts";
import {
  CLUSTER_OPTION_DESCRIPTIONS,
  CLUSTER_OPTIONS,
  confirmChange,
  connectToCluster,
  locateCluster,
} from "../../target-cluster/index.ts";
import { parseNodeOptions } from "../cluster/node-options.ts";
import { readBundleArgument } from "./bundle-argument.ts";
import { startScorecardCluster } from "./scorecard-cluster.ts";
import { createScorecardJobs, type ScorecardJobs } from "./scorecard-jobs.ts";

const FORMATS = ["text", "json", "xunit"];
const CONFIG_FILES = ["tests/scorecard/config.yaml", "../config/scorecard/config.yaml"];

export const scorecard: Command = {
  name: "scorecard",
  summary: "Run the scorecard tests of operator-sdk on a bundle.",
  usage:
    "[FOLDER|IMAGE] [--config FILE] [--selector SELECTOR] [--list] [--wait-time DURATION]\n  [--embedded] [--node-config FILE] [--context NAME] [--kubeconfig FILE] [--output text|json|xunit]",
  options: {
    config: { type: "string", short: "c" },
    selector: { type: "string", short: "l" },
    list: { type: "boolean", short: "L" },
    "wait-time": { type: "string", short: "w" },
    namespace: { type: "string", short: "n" },
    "service-account": { type: "string", short: "s" },
    "pod-security": { type: "string" },
    "skip-cleanup": { type: "boolean", short: "x" },
    "insecure-registry": { type: "boolean" },
    embedded: { type: "boolean" },
    "node-config": { type: "string" },
    ...CLUSTER_OPTIONS,
    output: { type: "string", short: "o" },
  },
  optionDescriptions: {
    config: "configuration (default: tests/scorecard/config.yaml of the bundle, or config/scorecard/config.yaml beside it)",
    selector: "labels of the tests to run: suite=olm,test!=olm-spec-descriptors-test",
    list: "list the selected tests, without running them",
    "wait-time": "how long tests in images of their own may take, such as 30s or 5m (default: 30s)",
    namespace: "namespace for these tests (default: that of the kubeconfig context)",
    "service-account": "ServiceAccount for these tests (default: that of the configuration, or default)",
    "pod-security": "legacy, or restricted for namespaces that enforce it (default: legacy)",
    "skip-cleanup": "keep the Jobs of these tests",
    "insecure-registry": "use plain HTTP for the registry of IMAGE",
    embedded: "run these tests in a cluster of their own, which ends with them (default: where there is no kubeconfig)",
    "node-config": "file with the images and the isolation of its nodes, as for 'pintle cluster up --nodes process'",
    ...CLUSTER_OPTION_DESCRIPTIONS,
    output: "output format: text, json or xunit, in the forms of operator-sdk",
  },
  examples: [
    "pintle scorecard",
    "pintle scorecard ghcr.io/me/shop-bundle:1.0.0 -o xunit > scorecard.xml",
    "pintle scorecard --selector suite=olm --list",
    "pintle scorecard --embedded --wait-time 5m       # also tests in images of their own, without a cluster",
  ],
  maxPositionals: 1,
  async run(args, io) {
    const { values, positionals } = args;
    const format = String(values["output"] ?? "text");
    if (!FORMATS.includes(format)) throw new CommandError("PINTLE7005", `invalid --output "${format}": must be text, json or xunit`, 2);
    const lifecycle = await import("@pintle/lifecycle/internal/scorecard");
    const bundle = positionals[0] ?? BUNDLE_FOLDER;
    const files = await readBundleArgument(bundle, values, io);
    const config = lifecycle.readScorecardConfig(...findConfig(bundle, values["config"], io));
    const selects = parseSelector(String(values["selector"] ?? ""));
    const stages = config.stages.map((stage) => ({ ...stage, tests: stage.tests.filter(({ labels = {} }) => selects(labels)) }));
    const print = (tests: Parameters<typeof lifecycle.createTestList>[0]) => {
      const list = lifecycle.createTestList(tests);
      if (format === "json") io.out(`${JSON.stringify(list, undefined, 2)}\n`);
      else io.out(format === "xunit" ? lifecycle.formatXunit(list) : lifecycle.formatScorecardText(list));
    };
    const selected = stages.flatMap(({ tests }) => tests);
    if (values["list"] === true) return print(selected.map((spec) => ({ spec, results: [] })));
    const needsCluster = selected.some((test) => builtInName(test) === undefined);
    const serviceAccount = String(values["service-account"] ?? config.serviceAccount ?? "default");
    await using cluster = needsCluster ? await openCluster(files, { serviceAccount, args, io }) : undefined;
    const tests: { readonly spec: ScorecardTestConfig; readonly results: readonly ScorecardResult[] }[] = [];
    const runTest = async (spec: ScorecardTestConfig) => {
      const name = builtInName(spec);
      if (name !== undefined) return { spec, results: [lifecycle.runBuiltInTest(name, files, checkCrd)] };
      const results = await withProgress(io, `running ${spec.image}`, cluster!.jobs.run(spec));
      return { spec, results };
    };
    for (const stage of stages) {
      if (stage.parallel) tests.push(...(await Promise.all(stage.tests.map(runTest))));
      else for (const test of stage.tests) tests.push(await runTest(test));
    }
    print(tests);
    return tests.every(({ results }) => results.every(({ state }) => state === "pass")) ? 0 : 1;
  },
};

/** The name of a test that runs in this process: one of the image of operator-sdk. */
function builtInName({ image, entrypoint: [program, name = ""] = [] }: ScorecardTestConfig): string | undefined {
  return /(^|\/)scorecard-test(:|@|$)/.test(image) && program === "scorecard-test" ? name : undefined;
}

function checkCrd(crd: JsonObject) {
  const errors = validateCrd(defaultCrd({ ...crd, status: { storedVersions: [] } } as JsonObject));
  return errors.map(({ field, detail }) => ({ field, message: detail }));
}

async function openCluster(
  files: BundleFiles,
  { serviceAccount, args, io }: { readonly serviceAccount: string; readonly args: ParsedArguments; readonly io: Io },
): Promise<{ readonly jobs: ScorecardJobs; [Symbol.asyncDispose](): Promise<void> }> {
  const { values } = args;
  const deadline = parseDuration(String(values["wait-time"] ?? "30s"));
  const namespace = String(values["namespace"] ?? "default");
  const cluster = (await isEmbedded(args, io))
    ? await startScorecardCluster(
        { namespace, serviceAccount, nodes: parseNodeOptions({ ...values, nodes: "process" }, "memory", io.cwd) },
        io,
      )
    : await connectConfirmed(args, io);
  const jobs = await createScorecardJobs(files, {
    client: cluster.client,
    namespace,
    serviceAccount,
    restricted: values["pod-security"] === "restricted",
    name: `scorecard-test-${randomUUID().slice(0, 8)}`,
    deadline: Date.now() + deadline,
    signal: io.signal,
  });
  return {
    jobs,
    async [Symbol.asyncDispose]() {
      // Also after Ctrl-C.
      if (values["skip-cleanup"] !== true) await jobs.cleanUp();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

async function connectConfirmed(args: ParsedArguments, io: Io) {
  const cluster = await connectToCluster(args, io);
  await confirmChange(cluster, "run scorecard tests as Jobs", args, io);
  return cluster;
}

/** Whether the tests get a cluster of their own: if the user says so, or nothing names another one. */
async function isEmbedded(args: ParsedArguments, io: Io): Promise<boolean> {
  const { values } = args;
  if (values["embedded"] === true) return true;
  if (values["kubeconfig"] !== undefined || values["context"] !== undefined) return false;
  try {
    await locateCluster(args, io);
    return false;
  } catch (error) {
    if (errorCode(error) !== "PINTLE7051" || process.env["KUBECONFIG"]) throw error;
    io.err("no kubeconfig: the tests run in a cluster of their own\n");
    return true;
  }
}

function findConfig(bundle: string, option: string | boolean | undefined, { cwd }: Io): [text: string, where: string] {
  const candidates = typeof option === "string" ? [path.resolve(cwd, option)] : CONFIG_FILES.map((file) => path.resolve(cwd, bundle, file));
  const found = candidates.find((file) => existsSync(file)) ?? path.resolve(cwd, "config/scorecard/config.yaml");
  if (!existsSync(found)) {
    throw new CommandError(
      "PINTLE8063",
      `no configuration of scorecard: ${option ?? CONFIG_FILES.join(", ")} not found; pass one with --config`,
      2,
    );
  }
  return [readFileSync(found, "utf8"), path.relative(cwd, found)];
}

/** Parses a label selector of equalities and inequalities. */
function parseSelector(text: string): (labels: Readonly<Record<string, string>>) => boolean {
  const terms = text
    .split(",")
    .filter((term) => term.trim() !== "")
    .map((term) => {
      const operator = ["!=", "==", "="].find((each) => term.includes(each)) ?? "";
      const [key = "", value, ...more] = term.split(operator === "" ? term : operator).map((part) => part.trim());
      if (operator === "" || value === undefined || more.length > 0 || !/^[\w./-]+$/.test(key) || !/^[\w.-]*$/.test(value)) {
        throw new CommandError("PINTLE7005", `invalid --selector "${text}": must be of the form suite=olm,test!=...`, 2);
      }
      return { key, isEqual: operator !== "!=", value };
    });
  return (labels) => terms.every(({ key, isEqual, value }) => (labels[key] === value) === isEqual);
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d+)([smh])$/.exec(text) ?? [];
  if (unit === undefined) throw new CommandError("PINTLE7005", `invalid --wait-time "${text}": must be a duration such as 30s or 5m`, 2);
  return Number(amount) * UNIT_MS[unit]!;
}
