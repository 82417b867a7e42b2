import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { runInBackground } from "pintle/internal/errors";
import { parseVersionInfo } from "../../api/index.ts";
import { type Cluster, startCluster } from "../../cluster/index.ts";
import { FLAGS } from "../generated/kube-apiserver-flags.ts";
import { readAdmissionConfiguration } from "./admission-config.ts";
import { buildClusterOptions, KUBERNETES_VERSION } from "./cluster-options.ts";
import { FlagError, parseFlags } from "./flags.ts";
import { DROPIN_FLAGS, formatServerHelp } from "./server-help.ts";
import { listIgnoredFlags, parseServerSettings } from "./server-settings.ts";

/** The entry point of the program `kube-apiserver`. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    const flags = parseFlags(args, [...FLAGS, ...DROPIN_FLAGS]);
    const version = flags.text("version");
    if (flags.help) process.stdout.write(formatServerHelp());
    else if (version === "raw") process.stdout.write(`${formatRawVersion()}\n`);
    else if (version !== "" && version !== "false") process.stdout.write(`Kubernetes ${KUBERNETES_VERSION}\n`);
    else await runServer(flags);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof FlagError) process.stderr.write(`Error: ${text}\n`);
    else log("E", `"command failed" err=${JSON.stringify(text)}`);
    process.exitCode = 1;
  }
}

async function runServer(flags: ReturnType<typeof parseFlags>): Promise<void> {
  const settings = parseServerSettings(flags);
  const ignoredFlags = listIgnoredFlags(flags);
  if (ignoredFlags.length > 0) log("W", `flags without effect in the drop-in: ${ignoredFlags.join(", ")}`);
  const options = buildClusterOptions(settings, Date.now());
  const admissionConfiguration = await readAdmissionConfiguration(settings.admissionConfigFile);
  await waitForEtcd(settings.etcd.servers);
  const cluster = await startCluster({ ...options, admissionPlugins: { ...options.admissionPlugins, ...admissionConfiguration } });
  log("I", `Serving securely on ${settings.host.includes(":") ? `[${settings.host}]` : settings.host}:${settings.port}`);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => runInBackground(stopServer(cluster), failStop));
}

async function stopServer(cluster: Cluster): Promise<void> {
  // A second signal exits at once.
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(1));
  await cluster.stop();
  process.exit(0);
}

function failStop(error: unknown): void {
  log("E", `"failed to stop" err=${JSON.stringify(String(error))}`);
  process.exit(1);
}

function formatRawVersion(): string {
  const fields = Object.entries(parseVersionInfo(KUBERNETES_VERSION)).map(
    ([name, value]) => `${name[0]?.toUpperCase()}${name.slice(1)}:${JSON.stringify(value)}`,
  );
  return `version.Info{${fields.join(", ")}}`;
}

function log(level: "I" | "W" | "E", text: string): void {
  process.stderr.write(formatKlogLine(level, new Date(), text));
}

/** Formats a line as klog does: level, time, process, source, text. */
function formatKlogLine(level: "I" | "W" | "E", now: Date, text: string): string {
  const padTwoDigits = (n: number) => String(n).padStart(2, "0");
  const day = `${padTwoDigits(now.getMonth() + 1)}${padTwoDigits(now.getDate())}`;
  const time = `${[now.getHours(), now.getMinutes(), now.getSeconds()].map(padTwoDigits).join(":")}.${String(now.getMilliseconds()).padStart(3, "0")}000`;
  return `${level}${day} ${time} ${String(process.pid).padStart(7)} pintle] ${text}\n`;
}

/** As long as kube-apiserver waits for its etcd. Milliseconds. */
const TIMEOUT = 20_000;
const RETRY_DELAY = 20;

/** Resolves when one of the addresses accepts connections: programs that are started together need not be ready in order. */
async function waitForEtcd(addresses: readonly string[], timeout = TIMEOUT): Promise<void> {
  const end = performance.now() + timeout;
  for (;;) {
    for (const address of addresses) if (await canConnect(new URL(address))) return;
    if (performance.now() > end) {
      throw new Error(`error creating storage factory: context deadline exceeded: no server listens at ${addresses.join(", ")}`);
    }
    await delay(RETRY_DELAY);
  }
}

function canConnect({ hostname, port, protocol }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const usual = protocol === "https:" ? 443 : 80;
    const socket = connect(Number(port) || usual, hostname.replace(/^\[|\]$/g, ""));
    const finishWith = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", finishWith(true)).once("error", finishWith(false));
  });
}
