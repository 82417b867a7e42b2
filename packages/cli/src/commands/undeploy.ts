import type { Command } from "../command.ts";
import { deployed, installOrder, manifests } from "../manifests/index.ts";
import { progress } from "../progress.ts";
import { describe, findProject } from "../project/index.ts";
import { confirm, nameOf, REACH_ABOUT, REACH_OPTIONS, reach, remove, waitGone } from "../reach/index.ts";
import { removeDefinitions } from "./uninstall.ts";

export const undeploy: Command = {
  name: "undeploy",
  summary: "Take the operator and everything it was given out of a cluster.",
  usage: "[--keep-crds] [--context NAME] [--kubeconfig FILE] [--yes]",
  options: { ...REACH_OPTIONS, "keep-crds": { type: "boolean" } },
  about: { "keep-crds": "leave the CustomResourceDefinitions, and every object of theirs", ...REACH_ABOUT },
  examples: ["pintle undeploy", "pintle undeploy --keep-crds --context prod --yes"],
  async run(args, io) {
    const project = await findProject(io.cwd);
    await using cluster = await reach(args, io);
    const operator = await describe(project);
    const { client } = cluster;
    const parts = deployed({ project });
    const objects = manifests({ project, operator }).filter(({ part }) => part !== "crd" && parts.includes(part));
    await confirm(cluster, `undeploy ${project.name} from namespace ${project.namespace}`, args, io);
    // While the operator still runs, it finalizes its own objects.
    if (args.values["keep-crds"] !== true) await removeDefinitions(cluster, operator, args, io);
    const there: (typeof objects)[number]["object"][] = [];
    for (const object of installOrder(objects.map((each) => each.object)).toReversed()) {
      if (!(await remove(client, object, io.signal))) continue;
      io.out(`deleted   ${nameOf(object)}\n`);
      there.push(object);
    }
    for (const object of there) await progress(io, `waiting for ${nameOf(object)} to go`, waitGone(client, object, io.signal));
    if (there.length === 0) io.out(`${project.name} was not deployed\n`);
  },
};
