import { readFileSync } from "node:fs";
import { VERSION } from "../generated/etcd-flags.ts";
import { formatEtcdHelp } from "./etcd-help.ts";
import { type EtcdKeys, startEtcdServer } from "./etcd-server.ts";
import { EtcdFlagError, type EtcdSettings, parseEtcdSettings } from "./etcd-settings.ts";
import { createObjectHolder } from "./object-holder.ts";

/** The entry point of the program `etcd`. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    const settings = parseEtcdSettings(args, process.env);
    if (settings.command === "help") process.stdout.write(formatEtcdHelp());
    else if (settings.command === "version") process.stdout.write(formatVersion());
    else await runServer(settings);
  } catch (error) {
    if (error instanceof EtcdFlagError && error.exitCode === 2) process.stderr.write(`${error.message}\n${USAGE}`);
    else log("fatal", error instanceof Error ? error.message : String(error));
    process.exitCode = error instanceof EtcdFlagError ? error.exitCode : 1;
  }
}

const USAGE = "Usage:\n\n  etcd [flags]\n  etcd --version\n  etcd -h | --help\n";

async function runServer(settings: EtcdSettings): Promise<void> {
  const holder = createObjectHolder();
  const servers = await Promise.all(settings.listen.map((url) => startEtcdServer(url, holder, readKeys(settings))));
  log(
    "info",
    `serving objects in memory for a kube-apiserver at ${settings.listen.map(({ origin }) => origin).join(", ")}; --data-dir is not used`,
  );
  const stop = () => {
    for (const server of servers) server.close();
    process.exit(0);
  };
  process.once("SIGTERM", stop).once("SIGINT", stop);
}

function readKeys({ certFile, keyFile, clientCaFile }: EtcdSettings): EtcdKeys | undefined {
  if (certFile === "" || keyFile === "") return undefined;
  const read = (file: string) => readFileSync(file, "utf8");
  return { cert: read(certFile), key: read(keyFile), clientCa: clientCaFile === "" ? undefined : read(clientCaFile) };
}

function formatVersion(): string {
  return `etcd Version: ${VERSION}\nGit SHA: drop-in of @pintle/cluster\nGo Version: Node ${process.version}\nGo OS/Arch: ${process.platform}/${process.arch}\n`;
}

/** Writes a log line in etcd's format. */
function log(level: "info" | "fatal", msg: string): void {
  process.stderr.write(`${JSON.stringify({ level, ts: new Date().toISOString(), msg })}\n`);
}
