import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { writePrivateFile } from "pintle/internal/private-file";
import { type Command, CommandError, type Io, type ParsedArguments } from "../../command/index.ts";
import { findRunningCluster, type RunningCluster } from "../../local-cluster/index.ts";

export const KUBECONFIG_OPTION = { kubeconfig: { type: "string" } } as const;
export const KUBECONFIG_DESCRIPTION = { kubeconfig: "kubeconfig that identifies the cluster (default: .pintle/kubeconfig)" };
export const kubeconfigPath = ({ values }: Pick<ParsedArguments, "values">, io: Io) =>
  path.resolve(io.cwd, String(values["kubeconfig"] ?? ".pintle/kubeconfig"));

export async function requireRunningCluster(args: ParsedArguments, io: Io): Promise<RunningCluster> {
  const kubeconfig = kubeconfigPath(args, io);
  const one = await findRunningCluster(kubeconfig);
  if (one !== undefined) return one;
  throw new CommandError(
    "PINTLE7086",
    `no cluster is running for kubeconfig ${path.relative(io.cwd, kubeconfig) || kubeconfig}. Start one with 'pintle cluster up'`,
  );
}

export const clusterDown: Command = {
  name: "cluster down",
  summary: "Stop a cluster that was started with 'cluster up'.",
  usage: "[--kubeconfig FILE]",
  options: KUBECONFIG_OPTION,
  optionDescriptions: KUBECONFIG_DESCRIPTION,
  examples: ["pintle cluster down", "pintle cluster down --kubeconfig /tmp/dev.kubeconfig"],
  async run(args, io) {
    const kubeconfig = kubeconfigPath(args, io);
    const one = await findRunningCluster(kubeconfig);
    if (one === undefined) return io.out("no cluster is running\n");
    await one.request("stop", io.signal);
    io.out(`cluster ${one.url} stopped\n`);
  },
};

export const clusterReset: Command = {
  name: "cluster reset",
  summary: "Delete all objects of a running cluster. The API server keeps its address.",
  usage: "[--kubeconfig FILE] [--yes]",
  options: { ...KUBECONFIG_OPTION, yes: { type: "boolean", short: "y" } },
  optionDescriptions: { ...KUBECONFIG_DESCRIPTION, yes: "do not ask for confirmation" },
  examples: ["pintle cluster reset --yes"],
  async run(args, io) {
    const one = await requireRunningCluster(args, io);
    if (args.values["yes"] !== true) {
      if (io.prompt === undefined)
        throw new CommandError("PINTLE7007", `this deletes all objects of cluster ${one.url}: pass --yes to confirm. Nothing was changed`);
      const answer = await io.prompt(`Delete all objects of cluster ${one.url}? [y/N] `);
      if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("PINTLE7008", "cancelled, nothing was changed");
    }
    io.out(`cluster ${await one.request("reset", io.signal)} reset\n`);
  },
};

export const clusterKubeconfig: Command = {
  name: "cluster kubeconfig",
  summary: "Print the kubeconfig of a running cluster.",
  usage: "[--kubeconfig FILE] [--path]",
  options: { ...KUBECONFIG_OPTION, path: { type: "boolean" } },
  optionDescriptions: { ...KUBECONFIG_DESCRIPTION, path: "print the path of the file instead of its content" },
  examples: ["pintle cluster kubeconfig > ~/.kube/dev", "export KUBECONFIG=$(pintle cluster kubeconfig --path)"],
  async run(args, io) {
    await requireRunningCluster(args, io);
    const file = kubeconfigPath(args, io);
    io.out(args.values["path"] === true ? `${file}\n` : readFileSync(file, "utf8"));
  },
};

export const clusterSnapshot: Command = {
  name: "cluster snapshot",
  summary: "Save all objects and keys of a running cluster to a file.",
  usage: "<file> [--kubeconfig FILE] [--force]",
  options: { ...KUBECONFIG_OPTION, force: { type: "boolean" } },
  optionDescriptions: { ...KUBECONFIG_DESCRIPTION, force: "overwrite an existing file" },
  examples: ["pintle cluster snapshot ready.json", "pintle cluster up --from ready.json"],
  maxPositionals: 1,
  async run(args, io) {
    const [name] = args.positionals;
    if (name === undefined)
      throw new CommandError("PINTLE7004", "missing file argument, for example: pintle cluster snapshot ready.json", 2);
    const file = path.resolve(io.cwd, name);
    if (existsSync(file) && args.values["force"] !== true)
      throw new CommandError("PINTLE7033", `${name} already exists: pass --force to overwrite it`);
    const one = await requireRunningCluster(args, io);
    const text = await one.request("snapshot", io.signal).catch((error: Error) => {
      throw new CommandError("PINTLE7092", `cannot save cluster ${one.url}: ${error.message}. The cluster is still running`);
    });
    try {
      // The snapshot contains the cluster's private keys.
      writePrivateFile(file, text);
    } catch (error) {
      throw new CommandError("PINTLE7028", `cannot write ${name}: ${(error as NodeJS.ErrnoException).code}. Choose another path`);
    }
    io.out(`snapshot of cluster ${one.url} saved to ${name}. Start a cluster from it with 'pintle cluster up --from ${name}'\n`);
  },
};
