import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter, withProgress } from "../../command/index.ts";
import { buildManifests, deployedFolders, sortForInstall } from "../../manifests/index.ts";
import { describeProject, findProject } from "../../project/index.ts";
import {
  type ApplyOutcome,
  applyObject,
  CLUSTER_OPTION_DESCRIPTIONS,
  CLUSTER_OPTIONS,
  confirmChange,
  connectToCluster,
  formatObjectName,
  formatOutcome,
  installCrds,
  listOperatorPods,
  SIMULATED_NOTICE,
  waitForDeployment,
} from "../../target-cluster/index.ts";
import { withImage } from "../image/image-option.ts";

export const deploy: Command = {
  name: "deploy",
  summary: "Deploy the operator, its CRDs and its RBAC to a cluster and wait until it is available.",
  usage: "[--image IMAGE] [--context NAME] [--kubeconfig FILE] [--timeout SECONDS] [--yes] [--output json|yaml]",
  options: { ...CLUSTER_OPTIONS, image: { type: "string" }, timeout: { type: "string" }, ...OUTPUT_OPTION },
  optionDescriptions: {
    image: "image of the operator (default: <name>:<version>)",
    timeout: "seconds to wait for the Deployment (default: 120; 0 does not wait)",
    ...CLUSTER_OPTION_DESCRIPTIONS,
    ...OUTPUT_DESCRIPTION,
  },
  examples: ["pintle deploy --image ghcr.io/me/shop:1.0.0", "pintle deploy --context prod --yes"],
  async run(args, io) {
    const { values } = args;
    const output = outputFormatter(args);
    const timeout = Number(values["timeout"] ?? 120);
    if (!Number.isFinite(timeout) || timeout < 0) throw new CommandError("PINTLE7005", "invalid --timeout: must be a number of seconds", 2);
    const found = await findProject(io.cwd);
    const project = withImage(found, values);
    await using cluster = await connectToCluster(args, io);
    const operator = await withProgress(io, `reading ${project.entry}`, describeProject(project));
    const parts = deployedFolders({ project });
    const objects = sortForInstall(
      buildManifests({ project, operator })
        .filter(({ folder }) => parts.includes(folder))
        .map(({ object }) => object),
    );
    await confirmChange(cluster, `deploy ${project.image} to namespace ${project.namespace} (${objects.length} objects)`, args, io);
    const outcomes = new Map<string, ApplyOutcome>();
    for (const object of objects) {
      const outcome = await applyObject(cluster.client, object, io.signal);
      outcomes.set(formatObjectName(object), outcome);
      if (output === undefined && outcome !== "unchanged") io.out(`${formatOutcome(object, outcome)}\n`);
    }
    await installCrds(cluster.client, operator, io);
    const deployments = objects.filter(({ kind }) => kind === "Deployment") as unknown as readonly NamespacedObject[];
    if (timeout > 0)
      for (const { metadata } of deployments)
        await withProgress(io, `waiting for deployment ${metadata.name}`, waitForDeployment(cluster.client, metadata, timeout * 1000, io));
    if (output !== undefined) io.out(output(Object.fromEntries(outcomes)));
    else {
      io.out(
        `${project.name} ${project.version} ${timeout > 0 ? "is available" : "deployed"} in namespace ${project.namespace}: ${countOutcomes(outcomes)}\n`,
      );
      if (timeout > 0 && (await hasSimulatedPods(cluster.client, deployments, io.signal))) io.out(`${SIMULATED_NOTICE}\n`);
    }
  },
};

interface NamespacedObject {
  readonly metadata: { readonly name: string; readonly namespace: string };
}

async function hasSimulatedPods(client: Client, deployments: readonly NamespacedObject[], signal: AbortSignal): Promise<boolean> {
  for (const { metadata } of deployments) {
    const pods = await listOperatorPods(client, await client.get(Deployment, metadata, { signal }), signal);
    if (pods.some(({ simulated }) => simulated)) return true;
  }
  return false;
}

function countOutcomes(outcomes: ReadonlyMap<string, ApplyOutcome>): string {
  const count = (counted: ApplyOutcome) => [...outcomes.values()].filter((outcome) => outcome === counted).length;
  return `${count("created")} created, ${count("changed")} configured, ${count("unchanged")} unchanged`;
}
