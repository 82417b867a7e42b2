import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";

/** A PostgreSQL server in a temporary folder, which is reached through a Unix socket in it. */
export interface PostgresProcess {
  /** How the administrator connects. */
  readonly config: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly database: string;
  };
  /** What the server has logged, with statements that change roles and databases. */
  log(): string;
  /** Starts the server again, on the same data. */
  start(): Promise<void>;
  /** Ends the server, and every connection. */
  stop(): Promise<void>;
  /** Ends the server and deletes its folder. */
  remove(): Promise<void>;
}

/** Debian does not put the programs of the server into the PATH. */
const DEBIAN = "/usr/lib/postgresql";
const folders = [
  ...(existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => path.join(DEBIAN, version, "bin")) : []),
  ...(process.env["PATH"] ?? "").split(path.delimiter),
];
const programs = folders.find((folder) => existsSync(path.join(folder, "initdb")) && existsSync(path.join(folder, "postgres")));

/** Whether this machine has the programs of the server. */
export const isPostgresInstalled = programs !== undefined;

/** The server refuses to run as root. */
const UNPRIVILEGED_USER = 65_534;
const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_USER, gid: UNPRIVILEGED_USER } : {};
const PASSWORD = "administrator";

export async function startPostgres(): Promise<PostgresProcess> {
  const folder = mkdtempSync(path.join(tmpdir(), "pg-"));
  const data = path.join(folder, "data");
  const passwordFile = path.join(folder, "password");
  mkdirSync(data);
  writeFileSync(passwordFile, PASSWORD);
  if (user.uid !== undefined) for (const each of [folder, data, passwordFile]) chownSync(each, user.uid, user.gid);
  const options = { ...user, cwd: folder, stdio: "pipe" as const };
  const initialize = ["--pgdata", data, "--username", "postgres", "--pwfile", passwordFile, "--auth", "scram-sha-256"];
  execFileSync(path.join(programs!, "initdb"), [...initialize, "--locale", "C", "--encoding", "UTF8", "--no-sync"], options);
  const config = { host: folder, port: 5432, user: "postgres", password: PASSWORD, database: "postgres" };
  let server: ChildProcess | undefined;
  let output = "";

  async function start(): Promise<void> {
    const settings = [`unix_socket_directories=${folder}`, "listen_addresses=", "fsync=off", "log_statement=ddl", "max_connections=20"];
    const running = spawn(path.join(programs!, "postgres"), ["-D", data, ...settings.flatMap((each) => ["-c", each])], options);
    server = running;
    for (const stream of [running.stdout, running.stderr]) stream.on("data", (text) => (output += text));
    while (!(await canConnect(config)))
      if (running.exitCode !== null) throw new Error(`postgres ended with ${running.exitCode}:\n${output}`);
  }
  async function stop(): Promise<void> {
    const running = server;
    server = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    // SIGINT is the fast shutdown: it does not wait for clients.
    running.kill("SIGINT");
    await ended;
  }
  await start();
  return {
    config,
    log: () => output,
    start,
    stop,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves to the rows of a statement that a client of its own sends. */
export async function queryAs(config: pg.ClientConfig, statement: string): Promise<readonly any[]> {
  const client = new pg.Client({ connectionTimeoutMillis: 10_000, ...config });
  // The end of the server is reported to the statement, or to the next client.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

async function canConnect(config: pg.ClientConfig): Promise<boolean> {
  return queryAs(config, "SELECT 1").then(
    () => true,
    () => new Promise((resolve) => setTimeout(resolve, 50, false)),
  );
}
