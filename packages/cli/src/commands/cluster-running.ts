import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Arguments, type Command, CommandError, type Io } from "../command.ts";
import { type Running, running } from "../local/index.ts";

const KUBECONFIG = { kubeconfig: { type: "string" } } as const;
const ABOUT = { kubeconfig: "which cluster: the kubeconfig it wrote (default: .pintle/kubeconfig)" };
export const kubeconfigOf = ({ values }: Pick<Arguments, "values">, io: Io) =>
  path.resolve(io.cwd, String(values["kubeconfig"] ?? ".pintle/kubeconfig"));

async function found(name: string, args: Arguments, io: Io): Promise<Running> {
  const kubeconfig = kubeconfigOf(args, io);
  const one = await running(kubeconfig);
  if (one !== undefined) return one;
  throw new CommandError(
    `pintle ${name}: no cluster of ${path.relative(io.cwd, kubeconfig) || kubeconfig} is up. Start one with: pintle cluster up`,
  );
}

export const clusterDown: Command = {
  name: "cluster down",
  summary: "Stop a cluster that cluster up started.",
  usage: "[--kubeconfig FILE]",
  options: KUBECONFIG,
  about: ABOUT,
  examples: ["pintle cluster down", "pintle cluster down --kubeconfig /tmp/dev.kubeconfig"],
  async run(args, io) {
    const kubeconfig = kubeconfigOf(args, io);
    const one = await running(kubeconfig);
    if (one === undefined) return io.out("no cluster was up\n");
    await one.ask("stop", io.signal);
    io.out(`cluster at ${one.url} stopped\n`);
  },
};

export const clusterReset: Command = {
  name: "cluster reset",
  summary: "Make a cluster that is up as new: every object goes, its address stays.",
  usage: "[--kubeconfig FILE] [--yes]",
  options: { ...KUBECONFIG, yes: { type: "boolean", short: "y" } },
  about: { ...ABOUT, yes: "do not ask" },
  examples: ["pintle cluster reset --yes"],
  async run(args, io) {
    const one = await found("cluster reset", args, io);
    if (args.values["yes"] !== true) {
      if (io.ask === undefined)
        throw new CommandError(
          `pintle cluster reset: would delete everything in the cluster at ${one.url}: say --yes to go on; nothing was changed`,
        );
      const answer = await io.ask(`Delete everything in the cluster at ${one.url}? [y/N] `);
      if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("pintle cluster reset: not done, nothing was changed");
    }
    io.out(`cluster at ${await one.ask("reset", io.signal)} is as new\n`);
  },
};

export const clusterKubeconfig: Command = {
  name: "cluster kubeconfig",
  summary: "Print the kubeconfig of a cluster that is up.",
  usage: "[--kubeconfig FILE] [--path]",
  options: { ...KUBECONFIG, path: { type: "boolean" } },
  about: { ...ABOUT, path: "only where it is" },
  examples: ["pintle cluster kubeconfig > ~/.kube/dev", "export KUBECONFIG=$(pintle cluster kubeconfig --path)"],
  async run(args, io) {
    await found("cluster kubeconfig", args, io);
    const file = kubeconfigOf(args, io);
    io.out(args.values["path"] === true ? `${file}\n` : readFileSync(file, "utf8"));
  },
};

export const clusterSnapshot: Command = {
  name: "cluster snapshot",
  summary: "Save everything a cluster that is up holds in a file, to start others from.",
  usage: "<file> [--kubeconfig FILE] [--force]",
  options: { ...KUBECONFIG, force: { type: "boolean" } },
  about: { ...ABOUT, force: "replace the file if it is there" },
  examples: ["pintle cluster snapshot ready.json", "pintle cluster up --from ready.json"],
  words: 1,
  async run(args, io) {
    const [name] = args.positionals;
    if (name === undefined) throw new CommandError("pintle cluster snapshot: say one file: pintle cluster snapshot ready.json", 2);
    const file = path.resolve(io.cwd, name);
    if (existsSync(file) && args.values["force"] !== true)
      throw new CommandError(`pintle cluster snapshot: ${name} is there already: say --force to replace it`);
    const one = await found("cluster snapshot", args, io);
    const text = await one.ask("snapshot", io.signal);
    try {
      // It has the cluster's keys.
      writeFileSync(file, text, { mode: 0o600 });
    } catch (error) {
      rmSync(file, { force: true });
      throw new CommandError(
        `pintle cluster snapshot: ${name} cannot be written (${(error as NodeJS.ErrnoException).code}): choose another place`,
      );
    }
    io.out(`everything in the cluster at ${one.url}, in ${name}. Start another from it with: pintle cluster up --from ${name}\n`);
  },
};
