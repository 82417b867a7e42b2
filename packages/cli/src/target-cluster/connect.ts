import { existsSync } from "node:fs";
import path from "node:path";
import { type Client, type ClusterAccess, CredentialsError, connect, Forbidden, loadClusterAccess, Unauthorized } from "pintle/client";
import { isLoopbackUrl } from "pintle/internal/loopback";
import { CommandError, type Io, type ParsedArguments } from "../command/index.ts";

/** The cluster that a command works on. */
export interface TargetCluster extends AsyncDisposable {
  readonly client: Client;
  readonly access: ClusterAccess;
  /** For messages: "context prod (https://10.0.0.1:6443)". */
  readonly description: string;
  /** Whether the API server is on the loopback interface, and reached without a proxy, so that changes affect only this machine. */
  readonly isLocal: boolean;
}

/** Options of every command that works on a cluster. */
export const CLUSTER_OPTIONS = {
  kubeconfig: { type: "string" },
  context: { type: "string" },
  yes: { type: "boolean", short: "y" },
} as const;
export const CLUSTER_OPTION_DESCRIPTIONS = {
  kubeconfig: "path of the kubeconfig (default: the one kubectl uses)",
  context: "kubeconfig context (default: the current context)",
  yes: "do not ask for confirmation before changing a remote cluster",
};

const { yes: _, ...readOptions } = CLUSTER_OPTIONS;
const { yes: __, ...readOptionDescriptions } = CLUSTER_OPTION_DESCRIPTIONS;
/** The options of commands that only read. */
export const READ_OPTIONS = readOptions;
export const READ_OPTION_DESCRIPTIONS = readOptionDescriptions;

/** Resolves server and credentials as kubectl does, without contacting the cluster. */
export async function locateCluster({ values }: Pick<ParsedArguments, "values">, { cwd }: Pick<Io, "cwd">): Promise<ClusterAccess> {
  const [kubeconfigOption, context] = [values["kubeconfig"], values["context"]] as readonly (string | undefined)[];
  const kubeconfig = kubeconfigOption === undefined ? undefined : path.resolve(cwd, kubeconfigOption);
  if (kubeconfig !== undefined && !existsSync(kubeconfig))
    throw new CommandError(
      "PINTLE7050",
      `kubeconfig ${kubeconfigOption} not found: use another path, or omit --kubeconfig to use the one of kubectl`,
    );
  return loadClusterAccess({ kubeconfig, context }).catch((error: Error) => {
    throw new CommandError("PINTLE7051", `${error.message}. Use --kubeconfig, or start a cluster with 'pintle cluster up'`);
  });
}

/** Connects to the cluster that kubectl would use, and verifies that it responds. */
export async function connectToCluster(args: ParsedArguments, { cwd, signal }: Pick<Io, "cwd" | "signal">): Promise<TargetCluster> {
  const access = await locateCluster(args, { cwd });
  const context = args.values["context"] as string | undefined;
  const client = await connect({ access });
  const description = `${context === undefined ? "cluster" : `context ${context}`} (${access.server})`;
  try {
    await client.request({ method: "GET", path: "/version", signal });
  } catch (error) {
    await client.close();
    signal.throwIfAborted();
    if (error instanceof Unauthorized || error instanceof CredentialsError) {
      throw new CommandError(
        "PINTLE7052",
        `${description} rejected your credentials: ${error.message}. Log in again, or use another --context`,
      );
    }
    if (error instanceof Forbidden) throw new CommandError("PINTLE7053", `${description} denied access: ${error.message}`);
    throw new CommandError("PINTLE7054", `cannot reach ${description}: ${(error as Error).message}. Check with 'kubectl version'`);
  }
  return {
    client,
    access,
    description,
    isLocal: isLoopbackUrl(access.server) && access.proxyUrl === undefined,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Asks for confirmation before a remote cluster is changed. Without an interactive terminal, --yes is required. */
export async function confirmChange(
  { description, isLocal }: TargetCluster,
  action: string,
  { values }: ParsedArguments,
  io: Io,
  evenIfLocal = false,
): Promise<void> {
  if (values["yes"] === true || (isLocal && !evenIfLocal)) return;
  if (io.prompt === undefined)
    throw new CommandError("PINTLE7007", `${description}: ${action}: pass --yes to confirm. Nothing was changed`);
  const answer = await io.prompt(`${description}: ${action}. Continue? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("PINTLE7008", "cancelled, nothing was changed");
}
