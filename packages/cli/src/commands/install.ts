import type { Command } from "../command.ts";
import { describe, findProject } from "../project/index.ts";
import { confirm, establish, REACH_ABOUT, REACH_OPTIONS, reach } from "../reach/index.ts";

export const install: Command = {
  name: "install",
  summary: "Put the project's CustomResourceDefinitions into a cluster.",
  usage: "[--context NAME] [--kubeconfig FILE] [--yes] [--output json]",
  options: { ...REACH_OPTIONS, output: { type: "string", short: "o" } },
  about: { ...REACH_ABOUT, output: "json: one object" },
  examples: ["pintle install", "pintle install --context staging --yes"],
  async run(args, io) {
    const operator = await describe(await findProject(io.cwd));
    await using cluster = await reach(args, io.signal);
    await confirm(cluster, `install ${operator.resources.length} CustomResourceDefinitions`, args, io);
    const outcomes = await establish(cluster.client, operator, io);
    if (args.values["output"] === "json") io.out(`${JSON.stringify(Object.fromEntries(outcomes))}\n`);
    else for (const [name, outcome] of outcomes) io.out(`customresourcedefinition ${name} ${outcome}, established\n`);
  },
};
