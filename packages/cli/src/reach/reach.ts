import { existsSync } from "node:fs";
import path from "node:path";
import { type Access, type Client, CredentialsError, connect, Forbidden, locate, Unauthorized } from "pintle/client";
import { type Arguments, CommandError, type Io } from "../command.ts";

/** The cluster a command works on. */
export interface Reach extends AsyncDisposable {
  readonly client: Client;
  readonly access: Access;
  /** For people: "context prod (https://10.0.0.1:6443)". */
  readonly where: string;
  /** On this machine: nobody else is hurt. */
  readonly local: boolean;
}

/** The options of every command that works on a cluster. */
export const REACH_OPTIONS = {
  kubeconfig: { type: "string" },
  context: { type: "string" },
  yes: { type: "boolean", short: "y" },
} as const;
export const REACH_ABOUT = {
  kubeconfig: "kubeconfig of the cluster (default: as kubectl finds it)",
  context: "context in it (default: its current one)",
  yes: "do not ask before a cluster that is not on this machine is changed",
};

/** Where the cluster is and who we are there, as kubectl finds it; nobody is asked yet. */
export async function located({ values }: Pick<Arguments, "values">, { cwd }: Pick<Io, "cwd">): Promise<Access> {
  const [said, context] = [values["kubeconfig"], values["context"]] as readonly (string | undefined)[];
  const kubeconfig = said === undefined ? undefined : path.resolve(cwd, said);
  if (kubeconfig !== undefined && !existsSync(kubeconfig))
    throw new CommandError(`pintle: --kubeconfig ${said} is not there: name a file, or leave it out to use the one that kubectl uses`);
  return locate({ kubeconfig, context }).catch((error: Error) => {
    throw new CommandError(`pintle: ${error.message}. Say where a cluster is with --kubeconfig, or start one with: pintle cluster up`);
  });
}

/** Finds the cluster as kubectl would, and makes sure that it answers. */
export async function reach(args: Arguments, { cwd, signal }: Pick<Io, "cwd" | "signal">): Promise<Reach> {
  const access = await located(args, { cwd });
  const context = args.values["context"] as string | undefined;
  const client = await connect({ access });
  const where = `${context === undefined ? "cluster" : `context ${context}`} (${access.server})`;
  try {
    await client.request({ method: "GET", path: "/version", signal });
  } catch (error) {
    await client.close();
    signal.throwIfAborted();
    if (error instanceof Unauthorized || error instanceof CredentialsError) {
      throw new CommandError(
        `pintle: ${where} does not accept your credentials: ${error.message}. Log in to it again, or name another --context`,
      );
    }
    if (error instanceof Forbidden) throw new CommandError(`pintle: ${where} does not let you in: ${error.message}`);
    throw new CommandError(`pintle: ${where} does not answer: ${(error as Error).message}. Check it with: kubectl version`);
  }
  return { client, access, where, local: isLocal(access.server), [Symbol.asyncDispose]: () => client.close() };
}

function isLocal(server: string): boolean {
  const { hostname } = new URL(server);
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.") || hostname.endsWith(".localhost");
}

/** Asks before a cluster that is not on this machine is changed. Without a terminal, only `--yes` is a yes. */
export async function confirm({ where, local }: Reach, what: string, { values }: Arguments, io: Io, always = false): Promise<void> {
  if (values["yes"] === true || (local && !always)) return;
  if (io.ask === undefined) throw new CommandError(`pintle: ${where}: ${what}: say --yes to go on; nothing was changed`);
  const answer = await io.ask(`${where}: ${what}. Go on? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("pintle: not done, nothing was changed");
}
