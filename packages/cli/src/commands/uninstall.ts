import { anySignal } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { type Arguments, type Command, CommandError, type Io } from "../command.ts";
import { describe, findProject, type Operator } from "../project/index.ts";
import {
  confirm,
  instances,
  nameOf,
  REACH_ABOUT,
  REACH_OPTIONS,
  type Reach,
  reach,
  remove,
  removeInstances,
  waitGone,
} from "../reach/index.ts";

const GRACE = 10_000;

export const uninstall: Command = {
  name: "uninstall",
  summary: "Take the project's CustomResourceDefinitions out of a cluster, with every object of theirs.",
  usage: "[--context NAME] [--kubeconfig FILE] [--yes]",
  options: REACH_OPTIONS,
  about: { ...REACH_ABOUT, yes: "do not ask, also when objects would be deleted" },
  examples: ["pintle uninstall", "pintle uninstall --context staging --yes"],
  async run(args, io) {
    const project = await findProject(io.cwd);
    await using cluster = await reach(args, io);
    const operator = await describe(project);
    await removeDefinitions(cluster, operator, args, io);
  },
};

/** Says what would go, asks, lets the operator finalize what is there, and leaves nothing hanging. */
export async function removeDefinitions(cluster: Reach, operator: Operator, args: Arguments, io: Io): Promise<void> {
  const { client } = cluster;
  const there = await instances(client, operator, io.signal);
  const count = there.reduce((sum, { objects }) => sum + objects.length, 0);
  const listed = there.map(({ crd, objects }) => `${objects.length} ${crd.spec.names.plural}`).join(", ");
  await confirm(
    cluster,
    count === 0 ? "uninstall CustomResourceDefinitions" : `delete ${listed} with their definitions`,
    args,
    io,
    count > 0,
  );
  await removeInstances(client, there, GRACE, io);
  for (const { crd } of operator.resources) {
    const definition = crd as unknown as JsonObject;
    if (!(await remove(client, definition, io.signal))) {
      io.out(`customresourcedefinition ${crd.metadata.name} was not there\n`);
      continue;
    }
    const patience = anySignal([io.signal, AbortSignal.timeout(3 * GRACE)]);
    await waitGone(client, definition, patience).catch(() => {
      throw new CommandError(
        `pintle: ${nameOf(definition)} is still being deleted: look at its conditions with: kubectl describe crd ${crd.metadata.name}`,
      );
    });
    io.out(`customresourcedefinition ${crd.metadata.name} deleted\n`);
  }
}
