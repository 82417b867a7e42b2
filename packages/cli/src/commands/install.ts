import type { Command } from "../command.ts";
import { OUTPUT_ABOUT, OUTPUT_OPTION, outputOf } from "../output.ts";
import { describe, findProject } from "../project/index.ts";
import { confirm, establish, REACH_ABOUT, REACH_OPTIONS, reach } from "../reach/index.ts";

export const install: Command = {
  name: "install",
  summary: "Put the project's CustomResourceDefinitions into a cluster.",
  usage: "[--context NAME] [--kubeconfig FILE] [--yes] [--output json|yaml]",
  options: { ...REACH_OPTIONS, ...OUTPUT_OPTION },
  about: { ...REACH_ABOUT, ...OUTPUT_ABOUT },
  examples: ["pintle install", "pintle install --context staging --yes"],
  async run(args, io) {
    const output = outputOf("install", args);
    const project = await findProject(io.cwd);
    await using cluster = await reach(args, io);
    const operator = await describe(project);
    await confirm(cluster, `install ${operator.resources.length} CustomResourceDefinitions`, args, io);
    const outcomes = await establish(cluster.client, operator, io);
    if (output !== undefined) io.out(output(Object.fromEntries(outcomes)));
    else for (const [name, outcome] of outcomes) io.out(`customresourcedefinition ${name} ${outcome}, established\n`);
  },
};
