import type { ExtensionPlan } from "@pintle/lifecycle/manager";
import { NotFound } from "pintle/client";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { CLUSTER_OPTION_DESCRIPTIONS, CLUSTER_OPTIONS, confirmChange, connectToCluster } from "../../target-cluster/index.ts";
import {
  OPERATOR_FIELD_MANAGER,
  readTimeout,
  requireArgument,
  requireExtension,
  WAIT_DESCRIPTIONS,
  WAIT_OPTIONS,
} from "./operator-options.ts";
import { formatRight } from "./operator-plan.ts";
import { waitForExtension } from "./wait-for-extension.ts";

/** Reasons of the condition Progressing that an approval ends. */
const WAITING = ["WaitingForApproval", "WaitingForRights"];

export const operatorApprove: Command = {
  name: "operator approve",
  summary: "Approve the plan that an extension waits for, and wait until it has rolled out.",
  usage: "NAME [--digest DIGEST] [--timeout DURATION | --no-wait] [--context NAME] [--kubeconfig FILE] [--yes] [--output json|yaml]",
  options: { digest: { type: "string" }, ...WAIT_OPTIONS, ...CLUSTER_OPTIONS, ...OUTPUT_OPTION },
  optionDescriptions: {
    digest: "approve only the plan with this digest, as printed by 'pintle operator plan'",
    ...WAIT_DESCRIPTIONS,
    ...CLUSTER_OPTION_DESCRIPTIONS,
    ...OUTPUT_DESCRIPTION,
  },
  examples: ["pintle operator approve memcached", "pintle operator approve memcached --digest sha256:4f1c... --yes"],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    const timeoutMs = readTimeout(args);
    const name = requireArgument(args, "extension", "approve memcached");
    const { ClusterExtensionKind, ExtensionPlanKind, ExtensionPolicyKind } = await import("@pintle/lifecycle/manager");
    const { selectPolicy } = await import("@pintle/lifecycle/internal/manager");
    await using cluster = await connectToCluster(args, io);
    const { client } = cluster;
    const extension = await requireExtension(cluster, name, io.signal);
    const progressing = extension.status?.conditions?.find(({ type }) => type === "Progressing");
    const [policies, plans] = await Promise.all([
      client.list(ExtensionPolicyKind, { signal: io.signal }),
      client.list(ExtensionPlanKind, { signal: io.signal }),
    ]).catch((error: unknown) => {
      if (!(error instanceof NotFound)) throw error;
      throw new CommandError("PINTLE7122", `${cluster.description} has no extension policies: nothing waits for approval there`);
    });
    const policy = selectPolicy(policies.items, extension);
    const plan = plans.items.find(({ spec }) => spec.extension === name && progressing?.message.includes(spec.digest) === true);
    if (policy === undefined || plan === undefined || !WAITING.includes(progressing?.reason ?? "")) {
      const state =
        progressing === undefined ? "it was not reconciled yet" : `it has Progressing=${progressing.status} ${progressing.reason}`;
      throw new CommandError("PINTLE7122", `extension ${name} does not wait for approval: ${state}`);
    }
    const { digest, to } = plan.spec;
    const wanted = args.values["digest"];
    if (wanted !== undefined && wanted !== digest) {
      throw new CommandError(
        "PINTLE7122",
        `extension ${name} waits for another plan, ${digest}: look at it with 'pintle operator plan ${name}'`,
      );
    }
    await confirmChange(cluster, `approve version ${to.version} of extension ${name}: ${summarize(plan)}`, args, io);
    const { resourceVersion, name: policyName } = policy.metadata;
    // With the resourceVersion, so that approvals which others add meanwhile are not lost.
    const merge = { metadata: { resourceVersion }, spec: { approved: [...(policy.spec.approved ?? []), digest] } };
    const options = { fieldManager: OPERATOR_FIELD_MANAGER, signal: io.signal };
    const approved = await client.patch(ExtensionPolicyKind, { name: policyName }, { merge }, options);
    const report = (line: string) => (output === undefined ? io.out(`${line}\n`) : undefined);
    report(`ExtensionPolicy/${policyName} approves ${digest}`);
    if (args.values["no-wait"] === true) {
      if (output !== undefined) io.out(output(approved));
      return;
    }
    const signal = AbortSignal.any([io.signal, AbortSignal.timeout(timeoutMs)]);
    const hasMoved = ({ status }: typeof extension) =>
      status?.conditions?.some(({ type, message }) => type === "Progressing" && message.includes(digest)) !== true;
    await client.waitFor(ClusterExtensionKind, { name }, hasMoved, { signal }).catch((error: unknown) => {
      io.signal.throwIfAborted();
      if (!signal.aborted) throw error;
      throw new CommandError("PINTLE7102", `waited ${timeoutMs / 1000}s for the manager to see the approval of ${name}`);
    });
    const { generation = 1 } = extension.metadata;
    const resume = `pintle operator upgrade ${name} --version ${to.version}`;
    const done = await waitForExtension({ client, name, generation, timeoutMs, resume, onProgress: report }, io);
    io.out(output?.(done) ?? `${name} ${done.status!.install!.bundle.version} is installed\n`);
  },
};

/** Formats a plan as one line. */
function summarize({ status = {} }: ExtensionPlan): string {
  const count = (list: readonly unknown[] | undefined, what: string) => ((list ?? []).length === 0 ? [] : [`${list!.length} ${what}`]);
  const rights = (status.rightsAdded ?? []).map(formatRight);
  return [
    ...count(status.create, "created"),
    ...count(status.change, "changed"),
    ...count(status.remove, "removed"),
    ...(rights.length === 0 ? [] : [`new rights: ${rights.join(", ")}`]),
  ].join(", ");
}
