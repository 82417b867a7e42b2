import type { JsonObject } from "pintle/kinds";
import { type Command, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { describeProject, findProject } from "../../project/index.ts";
import {
  CLUSTER_OPTION_DESCRIPTIONS,
  CLUSTER_OPTIONS,
  confirmChange,
  connectToCluster,
  formatOutcome,
  installCrds,
} from "../../target-cluster/index.ts";

export const install: Command = {
  name: "install",
  summary: "Install the project's CustomResourceDefinitions into a cluster.",
  usage: "[--context NAME] [--kubeconfig FILE] [--yes] [--output json|yaml]",
  options: { ...CLUSTER_OPTIONS, ...OUTPUT_OPTION },
  optionDescriptions: { ...CLUSTER_OPTION_DESCRIPTIONS, ...OUTPUT_DESCRIPTION },
  examples: ["pintle install", "pintle install --context staging --yes"],
  async run(args, io) {
    const output = outputFormatter(args);
    const project = await findProject(io.cwd);
    await using cluster = await connectToCluster(args, io);
    const operator = await describeProject(project);
    await confirmChange(cluster, `install ${operator.resources.length} CustomResourceDefinitions`, args, io);
    const outcomes = await installCrds(cluster.client, operator, io);
    if (output !== undefined) io.out(output(Object.fromEntries(outcomes)));
    else
      for (const { crd } of operator.resources)
        io.out(`${formatOutcome(crd as unknown as JsonObject, outcomes.get(crd.metadata.name)!)}\n`);
  },
};
