import { versionInfo } from "../api/index.ts";
import { type Cluster, startCluster } from "../cluster.ts";
import { clusterOptions } from "./cluster-options.ts";
import { FlagError, flags } from "./flags.ts";
import { FLAGS } from "./generated/kube-apiserver-flags.ts";
import { listening } from "./listening.ts";
import { logLine } from "./log-line.ts";
import { serverHelp } from "./server-help.ts";
import { ignored, serverSettings } from "./server-settings.ts";

const VERSION = "v1.36.3";

/** The executable named `kube-apiserver`. */
export async function main(words: readonly string[]): Promise<void> {
  try {
    const given = flags(words, FLAGS);
    const version = given.text("version");
    if (given.help) process.stdout.write(serverHelp());
    else if (version === "raw") process.stdout.write(`${rawVersion()}\n`);
    else if (version !== "" && version !== "false") process.stdout.write(`Kubernetes ${VERSION}\n`);
    else await run(given);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof FlagError) process.stderr.write(`Error: ${text}\n`);
    else say("E", `"command failed" err=${JSON.stringify(text)}`);
    process.exitCode = 1;
  }
}

async function run(given: ReturnType<typeof flags>): Promise<void> {
  const settings = serverSettings(given);
  const without = ignored(given);
  if (without.length > 0) say("W", `accepted, and without effect here: ${without.join(", ")}`);
  const options = clusterOptions(settings, Date.now());
  await listening(settings.etcd.servers);
  const cluster = await startCluster({ ...options, kubernetesVersion: VERSION });
  say("I", `Serving securely on ${settings.host.includes(":") ? `[${settings.host}]` : settings.host}:${settings.port}`);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void end(cluster));
}

async function end(cluster: Cluster): Promise<void> {
  // Whoever asks twice does not want to wait.
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(1));
  await cluster.stop();
  process.exit(0);
}

function rawVersion(): string {
  const fields = Object.entries(versionInfo(VERSION)).map(
    ([name, value]) => `${name[0]?.toUpperCase()}${name.slice(1)}:${JSON.stringify(value)}`,
  );
  return `version.Info{${fields.join(", ")}}`;
}

function say(level: "I" | "W" | "E", text: string): void {
  process.stderr.write(logLine(level, new Date(), text));
}
