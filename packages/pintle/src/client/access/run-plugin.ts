import { spawn } from "node:child_process";
import { CredentialsError } from "./config-error.ts";
import type { ExecPlugin } from "./exec-plugin.ts";

/** What a plugin handed out. */
export interface PluginCredential {
  readonly token?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Milliseconds since 1970; undefined: good until refused. */
  readonly expires?: number | undefined;
}

/** What a plugin may know about the cluster (`provideClusterInfo`). */
export interface PluginCluster {
  readonly server: string;
  readonly "tls-server-name"?: string | undefined;
  readonly "insecure-skip-tls-verify"?: boolean | undefined;
  /** PEM in base64. */
  readonly "certificate-authority-data"?: string | undefined;
  readonly "proxy-url"?: string | undefined;
  readonly config?: unknown;
}

export interface PluginProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether standard input is a terminal that the plugin may use. */
  readonly terminal: boolean;
}

/** A plugin that does not talk to a user has this long. */
const LIMIT = 60_000;
const COMPLAINT = 2000;

/** Runs the plugin once. */
export async function runPlugin(plugin: ExecPlugin, cluster: PluginCluster, process: PluginProcess): Promise<PluginCredential> {
  if (plugin.interactiveMode === "Always" && !process.terminal) {
    throw new CredentialsError(
      `exec plugin ${plugin.command} wants to talk to a user (interactiveMode Always), but standard input is not a terminal`,
    );
  }
  const interactive = plugin.interactiveMode !== "Never" && process.terminal;
  const spec = { interactive, ...(plugin.provideClusterInfo ? { cluster } : {}) };
  const info = JSON.stringify({ apiVersion: plugin.apiVersion, kind: "ExecCredential", spec });
  const output = await outputOf(plugin, { ...process.env, ...plugin.env, KUBERNETES_EXEC_INFO: info }, interactive);
  return credentialOf(plugin, output);
}

function outputOf(plugin: ExecPlugin, env: Record<string, string | undefined>, interactive: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(plugin.command, plugin.args, {
      env,
      stdio: [interactive ? "inherit" : "ignore", "pipe", interactive ? "inherit" : "pipe"],
      windowsHide: true,
      ...(interactive ? {} : { timeout: LIMIT, killSignal: "SIGKILL" }),
    });
    let output = "";
    let complaint = "";
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      complaint = (complaint + text).slice(-COMPLAINT);
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      const missing = error.code === "ENOENT" ? "was not found" : `could not be started: ${error.message}`;
      const hint = plugin.installHint === undefined ? "install it, or correct the kubeconfig" : plainText(plugin.installHint);
      reject(new CredentialsError(`exec plugin ${plugin.command} ${missing}: ${hint}`, { cause: error }));
    });
    child.on("close", (code, signal) => {
      if (code === 0) return resolve(output);
      const how =
        code === null
          ? `was ended by ${signal}${signal === "SIGKILL" ? ` (it has ${LIMIT / 1000} s)` : ""}`
          : `failed with exit code ${code}`;
      const said = plainText(complaint).trim();
      reject(new CredentialsError(`exec plugin ${plugin.command} ${how}${said === "" ? "" : `: ${said}`}`));
    });
  });
}

interface Answer {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
}

function credentialOf(plugin: ExecPlugin, output: string): PluginCredential {
  const wrong = (why: string) => new CredentialsError(`exec plugin ${plugin.command} ${why}`);
  let answer: Answer;
  try {
    answer = JSON.parse(output) as Answer;
  } catch (error) {
    throw new CredentialsError(`exec plugin ${plugin.command} printed something else than JSON`, { cause: error });
  }
  if (answer.kind !== "ExecCredential") throw wrong("printed JSON that is no ExecCredential");
  if (answer.apiVersion !== plugin.apiVersion)
    throw wrong(`answered in ${answer.apiVersion}, but the kubeconfig asks for ${plugin.apiVersion}`);
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = answer.status ?? {};
  if (!token && !cert && !key) throw wrong("answered with neither a token nor a certificate");
  if (!cert !== !key) throw wrong("answered with only one of certificate and key");
  const expires = expirationTimestamp === undefined ? undefined : Date.parse(expirationTimestamp);
  if (Number.isNaN(expires)) throw wrong(`answered with an expirationTimestamp that is no time: ${JSON.stringify(expirationTimestamp)}`);
  return { token: token || undefined, cert: cert || undefined, key: key || undefined, expires };
}

/** Kubeconfigs and plugins are no place to send terminal commands from. */
function plainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f\u009b]/g, "");
}
