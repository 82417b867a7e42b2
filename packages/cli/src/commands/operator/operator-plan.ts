import type { PlannedObject, PlannedRight } from "@pintle/lifecycle/manager";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { connectToCluster, READ_OPTION_DESCRIPTIONS, READ_OPTIONS } from "../../target-cluster/index.ts";
import { readTimeout, requireArgument, requireExtension } from "./operator-options.ts";
import { type ForkedPlan, planOnFork } from "./plan-on-fork.ts";

export const operatorPlan: Command = {
  name: "operator plan",
  summary: "Show the changes of an upgrade, by running it on a fork of the cluster.",
  usage:
    "NAME [--version RANGE | --latest] [--channel CHANNEL[,CHANNEL]] [--force] [--timeout DURATION] [--context NAME] [--kubeconfig FILE] [--output json|yaml]",
  options: {
    version: { type: "string" },
    latest: { type: "boolean" },
    channel: { type: "string" },
    force: { type: "boolean" },
    timeout: { type: "string" },
    ...READ_OPTIONS,
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    version: "a version or a range, such as 1.2.0 or 1.x (default: that of the extension)",
    latest: "the highest version that the catalog allows",
    channel: "take bundles of these channels only",
    force: "plan upgrades and downgrades that the catalog does not declare",
    timeout: "how long reading and rolling out may take, such as 90s or 10m (default: 5m)",
    ...READ_OPTION_DESCRIPTIONS,
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle operator plan memcached                     # the pending changes",
    "pintle operator plan memcached --version 1.3.0",
    "pintle operator plan memcached --latest -o json    # exit code 0: no changes, 1: changes, 2: it would fail, or cannot be computed",
  ],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    const timeoutMs = readTimeout(args);
    const name = requireArgument(args, "extension", "plan memcached --version 1.3.0");
    const { version, latest, channel, force } = args.values;
    if (version !== undefined && latest === true) throw new CommandError("PINTLE7006", "--version and --latest cannot be combined", 2);
    await using cluster = await connectToCluster(args, io);
    const extension = await requireExtension(cluster, name, io.signal);
    const catalog = {
      ...(latest === true ? { version: null } : version === undefined ? {} : { version: String(version) }),
      ...(channel === undefined ? {} : { channels: String(channel).split(",") }),
      ...(force === true ? { upgradeConstraintPolicy: "SelfCertified" } : {}),
    };
    const plan = await planOnFork({ cluster, extension, changes: { spec: { source: { catalog } } }, timeoutMs }, io);
    io.out(output?.(plan) ?? formatPlan(name, plan));
    if (plan.isUpToDate) return 0;
    return plan.rehearsal?.rolledOut === true ? 1 : 2;
  },
};

/** Formats a plan for people. */
function formatPlan(name: string, { spec, status, isUpToDate, rehearsal, notes }: ForkedPlan): string {
  const { from, to, digest } = spec;
  if (isUpToDate) return `${name} ${to.version} is up to date: nothing would change\n`;
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? "" : `\n${title}\n${lines.map((line) => `  ${line}\n`).join("")}`;
  const objects = (list: readonly PlannedObject[] = []) => list.map((each) => `${formatPlanned(each)}${formatFields(each.fields)}`);
  const rights = (sign: string, list: readonly PlannedRight[] = []) => list.map((right) => `${sign} ${formatRight(right)}`);
  return [
    `${name}: ${from === undefined ? "not installed" : from.version} -> ${to.version}  (${to.image ?? to.name})\n`,
    section("Created", objects(status.create)),
    section("Changed", objects(status.change)),
    section("Removed", objects(status.remove)),
    section("Workloads whose pods are replaced", objects((status.restarts ?? []).map(({ fields: _, ...each }) => each))),
    section("Rights of the operator", [...rights("+", status.rightsAdded), ...rights("-", status.rightsRemoved)]),
    section(
      "CRDs",
      (status.definitions ?? []).map((each) => `${each.severity}: ${each.name}: ${each.message}`),
    ),
    section(
      "Stored objects that would be refused",
      (status.refused ?? []).map((each) => `${formatPlanned(each)}: ${each.message}`),
    ),
    section(
      "Images",
      (status.images ?? []).map(({ image, signature, message }) => `${image}  ${signature}${message === undefined ? "" : `: ${message}`}`),
    ),
    section("On the fork", formatRehearsal(rehearsal)),
    section("Not covered", notes),
    `\ndigest ${digest}\n`,
  ].join("");
}

function formatRehearsal(rehearsal: ForkedPlan["rehearsal"]): string[] {
  if (rehearsal === undefined) return ["not carried out: stored objects would be refused"];
  const { rolledOut, progress, changes } = rehearsal;
  return [`${rolledOut ? "rolled out" : "did not roll out"}: ${progress}`, `${changes.length} objects were written`];
}

const MAX_FIELDS = 4;

function formatFields(fields: readonly string[] = []): string {
  if (fields.length === 0) return "";
  const more = fields.length > MAX_FIELDS ? `, and ${fields.length - MAX_FIELDS} more` : "";
  return `  ${fields.slice(0, MAX_FIELDS).join(", ")}${more}`;
}

/** Names an object of a plan. */
export function formatPlanned({ kind, namespace, name }: PlannedObject): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** Names a right of a plan. */
export function formatRight({ verb, resource, name, namespace }: PlannedRight): string {
  return `${verb} ${resource}${name === undefined ? "" : ` ${name}`}${namespace === undefined ? "" : ` in ${namespace}`}`;
}
