import { type Command, CommandError } from "../command.ts";
import { deployed, installOrder, manifests } from "../manifests/index.ts";
import { OUTPUT_ABOUT, OUTPUT_OPTION, outputOf } from "../output.ts";
import { progress } from "../progress.ts";
import { describe, findProject } from "../project/index.ts";
import { apply, available, confirm, establish, nameOf, type Outcome, REACH_ABOUT, REACH_OPTIONS, reach } from "../reach/index.ts";
import { withImage } from "./with-image.ts";

export const deploy: Command = {
  name: "deploy",
  summary: "Put the operator and everything it needs into a cluster, and wait until it runs.",
  usage: "[--image IMAGE] [--context NAME] [--kubeconfig FILE] [--timeout SECONDS] [--yes] [--output json|yaml]",
  options: { ...REACH_OPTIONS, image: { type: "string" }, timeout: { type: "string" }, ...OUTPUT_OPTION },
  about: {
    image: "image of the operator (default: <name>:<version>)",
    timeout: "seconds to wait for the Deployment (default: 120; 0: do not wait)",
    ...REACH_ABOUT,
    ...OUTPUT_ABOUT,
  },
  examples: ["pintle deploy --image ghcr.io/me/shop:1.0.0", "pintle deploy --context prod --yes"],
  async run(args, io) {
    const { values } = args;
    const output = outputOf("deploy", args);
    const timeout = Number(values["timeout"] ?? 120);
    if (!Number.isFinite(timeout) || timeout < 0) throw new CommandError("pintle deploy: --timeout takes a number of seconds", 2);
    const found = await findProject(io.cwd);
    const project = withImage(found, values);
    await using cluster = await reach(args, io);
    const operator = await progress(io, `reading ${project.entry}`, describe(project));
    const parts = deployed({ project });
    const objects = installOrder(
      manifests({ project, operator })
        .filter(({ part }) => parts.includes(part))
        .map(({ object }) => object),
    );
    await confirm(cluster, `deploy ${project.image} into namespace ${project.namespace}, ${objects.length} objects`, args, io);
    const outcomes = new Map<string, Outcome>();
    for (const object of objects) {
      const outcome = await apply(cluster.client, object, io.signal);
      outcomes.set(nameOf(object), outcome);
      if (output === undefined && outcome !== "unchanged") io.out(`${outcome.padEnd(9)} ${nameOf(object)}\n`);
    }
    await establish(cluster.client, operator, io);
    const deployments = objects.filter(({ kind }) => kind === "Deployment") as unknown as readonly Named[];
    if (timeout > 0)
      for (const { metadata } of deployments)
        await progress(io, `waiting for ${metadata.name}`, available(cluster.client, metadata, timeout * 1000, io));
    if (output !== undefined) io.out(output(Object.fromEntries(outcomes)));
    else io.out(`${project.name} ${project.version} ${timeout > 0 ? "runs" : "is deployed"} in ${project.namespace}: ${tally(outcomes)}\n`);
  },
};

interface Named {
  readonly metadata: { readonly name: string; readonly namespace: string };
}

function tally(outcomes: ReadonlyMap<string, Outcome>): string {
  const count = (wanted: Outcome) => [...outcomes.values()].filter((outcome) => outcome === wanted).length;
  return `${count("created")} created, ${count("changed")} changed, ${count("unchanged")} unchanged`;
}
