import { anySignal } from "pintle/internal/clock";
import type { JsonObject } from "pintle/kinds";
import { type Command, CommandError, type Io, type ParsedArguments } from "../../command/index.ts";
import { describeProject, findProject, type OperatorDescription } from "../../project/index.ts";
import {
  CLUSTER_OPTION_DESCRIPTIONS,
  CLUSTER_OPTIONS,
  confirmChange,
  connectToCluster,
  deleteCustomResources,
  deleteObject,
  formatObjectName,
  listCustomResources,
  type TargetCluster,
  waitUntilDeleted,
} from "../../target-cluster/index.ts";

const FINALIZER_GRACE_MS = 10_000;

export const uninstall: Command = {
  name: "uninstall",
  summary: "Delete the project's CustomResourceDefinitions and all their custom resources from a cluster.",
  usage: "[--context NAME] [--kubeconfig FILE] [--yes]",
  options: CLUSTER_OPTIONS,
  optionDescriptions: { ...CLUSTER_OPTION_DESCRIPTIONS, yes: "do not ask for confirmation, even if custom resources are deleted" },
  examples: ["pintle uninstall", "pintle uninstall --context staging --yes"],
  async run(args, io) {
    const project = await findProject(io.cwd);
    await using cluster = await connectToCluster(args, io);
    const operator = await describeProject(project);
    await deleteCrds(cluster, operator, args, io);
  },
};

/**
 * Deletes the custom resources and CRDs after confirmation. A running operator finalizes the custom resources; finalizers that nothing
 * handles are removed after a grace period.
 */
export async function deleteCrds(cluster: TargetCluster, operator: OperatorDescription, args: ParsedArguments, io: Io): Promise<void> {
  const { client } = cluster;
  const customResources = await listCustomResources(client, operator, io.signal);
  const count = customResources.reduce((sum, { objects }) => sum + objects.length, 0);
  const listed = customResources.map(({ crd, objects }) => `${objects.length} ${crd.spec.names.plural}`).join(", ");
  await confirmChange(
    cluster,
    count === 0 ? "uninstall CustomResourceDefinitions" : `delete ${listed} and their CustomResourceDefinitions`,
    args,
    io,
    count > 0,
  );
  await deleteCustomResources(client, customResources, FINALIZER_GRACE_MS, io);
  for (const { crd } of operator.resources) {
    const definition = crd as unknown as JsonObject;
    if (!(await deleteObject(client, definition, io.signal))) {
      io.out(`customresourcedefinition.apiextensions.k8s.io/${crd.metadata.name} not found\n`);
      continue;
    }
    const deadline = anySignal([io.signal, AbortSignal.timeout(3 * FINALIZER_GRACE_MS)]);
    await waitUntilDeleted(client, definition, deadline).catch(() => {
      throw new CommandError(
        "PINTLE7059",
        `${formatObjectName(definition)} is still terminating. See its conditions with 'kubectl describe crd ${crd.metadata.name}'`,
      );
    });
    io.out(`customresourcedefinition.apiextensions.k8s.io/${crd.metadata.name} deleted\n`);
  }
}
