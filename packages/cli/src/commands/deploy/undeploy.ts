import { type Command, withProgress } from "../../command/index.ts";
import { buildManifests, deployedFolders, sortForInstall } from "../../manifests/index.ts";
import { describeProject, findProject } from "../../project/index.ts";
import {
  CLUSTER_OPTION_DESCRIPTIONS,
  CLUSTER_OPTIONS,
  confirmChange,
  connectToCluster,
  deleteObject,
  formatObjectName,
  formatOutcome,
  waitUntilDeleted,
} from "../../target-cluster/index.ts";
import { deleteCrds } from "./uninstall.ts";

export const undeploy: Command = {
  name: "undeploy",
  summary: "Delete the operator, its RBAC and its CRDs from a cluster.",
  usage: "[--keep-crds] [--context NAME] [--kubeconfig FILE] [--yes]",
  options: { ...CLUSTER_OPTIONS, "keep-crds": { type: "boolean" } },
  optionDescriptions: { "keep-crds": "keep the CustomResourceDefinitions and their custom resources", ...CLUSTER_OPTION_DESCRIPTIONS },
  examples: ["pintle undeploy", "pintle undeploy --keep-crds --context prod --yes"],
  async run(args, io) {
    const project = await findProject(io.cwd);
    await using cluster = await connectToCluster(args, io);
    const operator = await describeProject(project);
    const { client } = cluster;
    const parts = deployedFolders({ project });
    const objects = buildManifests({ project, operator }).filter(({ folder }) => folder !== "crd" && parts.includes(folder));
    await confirmChange(cluster, `undeploy ${project.name} from namespace ${project.namespace}`, args, io);
    // The CRDs are deleted while the operator still runs, so that it can finalize its custom resources.
    if (args.values["keep-crds"] !== true) await deleteCrds(cluster, operator, args, io);
    const deleted: (typeof objects)[number]["object"][] = [];
    for (const object of sortForInstall(objects.map((each) => each.object)).toReversed()) {
      if (!(await deleteObject(client, object, io.signal))) continue;
      io.out(`${formatOutcome(object, "deleted")}\n`);
      deleted.push(object);
    }
    for (const object of deleted)
      await withProgress(io, `waiting for deletion of ${formatObjectName(object)}`, waitUntilDeleted(client, object, io.signal));
    if (deleted.length === 0) io.out(`${project.name} is not deployed\n`);
  },
};
