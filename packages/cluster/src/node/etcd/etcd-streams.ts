import net from "node:net";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import { badRequest, internalError } from "../../status/index.ts";
import type { ContainerSession, NodeStreams } from "../node-streams.ts";
import {
  canOpenTerminal,
  createCommandSession,
  findProgram,
  getSearchPath,
  NO_TERMINAL_MESSAGE,
  startProcess,
  wrapInTerminal,
} from "../process/index.ts";
import type { EtcdClientConfig } from "./etcd-connection.ts";
import { createEtcdctlEnvironment } from "./etcdctl-environment.ts";

/** The programs of etcd's image, which has no shell. */
const IMAGE_PROGRAMS = ["etcdctl", "etcdutl"];
const CLIENT_PORT = 2379;

/** Creates the streams of an etcd that runs outside of the cluster: its tools run on this machine. */
export function createEtcdStreams(
  etcd: EtcdClientConfig,
  programs: Readonly<Record<string, string>> = {},
): Omit<NodeStreams, "usage"> & { stop(): Promise<void> } {
  const settings = createEtcdctlEnvironment(etcd);
  const sessions = new Set<ContainerSession>();
  // No guard is needed: a command ends by itself or with its session.
  const noGuard = { mark: "etcd", add() {}, remove() {}, async close() {} };
  const execFailure = (command: string | undefined, reason: string) =>
    internalError(
      `error executing command in container: failed to exec in container: failed to start exec: OCI runtime exec failed: exec failed: unable to start container process: exec: "${command}": ${reason}`,
    );

  return {
    async *logs() {
      yield Buffer.from(
        `etcd at ${etcd.endpoints.join(", ")} is not a process of this cluster: read its log on the machine that runs it\n`,
      );
    },
    async exec(_, [command = "", ...args], options) {
      if (!IMAGE_PROGRAMS.includes(command)) throw execFailure(command, "executable file not found in $PATH");
      const program = findProgram(command, { programs }, getSearchPath());
      if (program === undefined)
        throw execFailure(
          command,
          "executable file not found in $PATH: the program of this machine is used, so install it there (package etcd-client)",
        );
      if (options.tty && !canOpenTerminal()) throw internalError(NO_TERMINAL_MESSAGE);
      const env = { PATH: getSearchPath(), HOME: "/", ...(await settings.getVariables(args)) };
      const spawn = { command: program, args, env, cwd: "/" };
      const session = createCommandSession(await startProcess(options.tty ? wrapInTerminal(spawn) : spawn, noGuard), options);
      sessions.add(session);
      runInBackground(
        session.end.finally(() => sessions.delete(session)),
        ignoreError,
      );
      return session;
    },
    async attach() {
      throw badRequest("etcd is not a process of this cluster: it cannot be attached to");
    },
    connect(_, port) {
      const { hostname, port: etcdPort } = new URL(etcd.endpoints[0]!);
      const socket = net.connect({ host: hostname.replace(/^\[|\]$/g, ""), port: port === CLIENT_PORT ? Number(etcdPort || port) : port });
      return new Promise((resolve, reject) => {
        socket.once("connect", () => resolve(socket));
        socket.once("error", (error) => reject(internalError(`failed to connect to port ${port} of etcd: ${error.message}`)));
      });
    },
    async stop() {
      for (const session of sessions) session.close();
      await Promise.all([...sessions].map(({ end }) => end));
      await settings.close();
    },
  };
}
