import { readFileSync } from "node:fs";
import { VERSION } from "../generated/etcd-flags.ts";
import { EtcdFlagError, type EtcdSettings, etcdSettings } from "./etcd-flags.ts";
import { etcdHelp } from "./etcd-help.ts";
import { holder } from "./holder.ts";
import { type EtcdKeys, serve } from "./serve.ts";

/** The executable named `etcd`. */
export async function main(words: readonly string[]): Promise<void> {
  try {
    const settings = etcdSettings(words, process.env);
    if (settings.wants === "help") process.stdout.write(etcdHelp());
    else if (settings.wants === "version") process.stdout.write(versionText());
    else await run(settings);
  } catch (error) {
    if (error instanceof EtcdFlagError && error.exitCode === 2) process.stderr.write(`${error.message}\n${USAGE}`);
    else say("fatal", error instanceof Error ? error.message : String(error));
    process.exitCode = error instanceof EtcdFlagError ? error.exitCode : 1;
  }
}

const USAGE = "Usage:\n\n  etcd [flags]\n  etcd --version\n  etcd -h | --help\n";

async function run(settings: EtcdSettings): Promise<void> {
  const held = holder();
  const servers = await Promise.all(settings.listen.map((url) => serve(url, held, keysOf(settings))));
  say(
    "info",
    `holding objects in memory for a kube-apiserver, at ${settings.listen.map(({ origin }) => origin).join(", ")}; --data-dir stays as it is`,
  );
  const stop = () => {
    for (const server of servers) server.close();
    process.exit(0);
  };
  process.once("SIGTERM", stop).once("SIGINT", stop);
}

function keysOf({ certFile, keyFile, clientCaFile }: EtcdSettings): EtcdKeys | undefined {
  if (certFile === "" || keyFile === "") return undefined;
  const read = (file: string) => readFileSync(file, "utf8");
  return { cert: read(certFile), key: read(keyFile), clientAuthority: clientCaFile === "" ? undefined : read(clientCaFile) };
}

function versionText(): string {
  return `etcd Version: ${VERSION}\nGit SHA: drop-in of @pintle/cluster\nGo Version: Node ${process.version}\nGo OS/Arch: ${process.platform}/${process.arch}\n`;
}

/** One line, in the form of etcd's own. */
function say(level: "info" | "fatal", msg: string): void {
  process.stderr.write(`${JSON.stringify({ level, ts: new Date().toISOString(), msg })}\n`);
}
