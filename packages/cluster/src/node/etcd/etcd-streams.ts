import net from "node:net";
import { badRequest, internalError } from "../../status/index.ts";
import { commandSession, hasTerminals, inTerminal, NO_TERMINALS, programOf, searchPath, startProcess } from "../process/index.ts";
import type { NodeStreams, Session } from "../streams.ts";
import type { EtcdPlace } from "./etcd-place.ts";
import { etcdctlSettings } from "./etcdctl.ts";

/** What etcd's image brings; it has no shell. */
const PROGRAMS = ["etcdctl", "etcdutl"];
const CLIENT_PORT = 2379;

/** The streams of an etcd that is somebody else's process: its tools run on this machine. */
export function etcdStreams(
  etcd: EtcdPlace,
  programs: Readonly<Record<string, string>> = {},
): Omit<NodeStreams, "usage"> & { stop(): Promise<void> } {
  const settings = etcdctlSettings(etcd);
  const sessions = new Set<Session>();
  // Nobody has to end what runs here: it ends by itself, or with its session.
  const unguarded = { mark: "etcd", add() {}, remove() {}, async close() {} };
  const failed = (command: string | undefined, why: string) =>
    internalError(
      `error executing command in container: failed to exec in container: failed to start exec: OCI runtime exec failed: exec failed: unable to start container process: exec: "${command}": ${why}`,
    );

  return {
    async *logs() {
      yield Buffer.from(`etcd at ${etcd.endpoints.join(", ")} is no process of this cluster: its log is where it was started\n`);
    },
    async exec(_, [command = "", ...args], options) {
      if (!PROGRAMS.includes(command)) throw failed(command, "executable file not found in $PATH");
      const program = programOf(command, { programs }, searchPath());
      if (program === undefined)
        throw failed(
          command,
          "executable file not found in $PATH: it is taken from this machine, so install it there (package etcd-client)",
        );
      if (options.tty && !hasTerminals()) throw internalError(NO_TERMINALS);
      const env = { PATH: searchPath(), HOME: "/", ...(await settings.environment(args)) };
      const spawn = { command: program, args, env, cwd: "/" };
      const session = commandSession(await startProcess(options.tty ? inTerminal(spawn) : spawn, unguarded), options);
      sessions.add(session);
      void session.end.finally(() => sessions.delete(session));
      return session;
    },
    async attach() {
      throw badRequest("etcd is no process of this cluster: there is nothing to attach to");
    },
    connect(_, port) {
      const { hostname, port: own } = new URL(etcd.endpoints[0]!);
      const socket = net.connect({ host: hostname.replace(/^\[|\]$/g, ""), port: port === CLIENT_PORT ? Number(own || port) : port });
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
