import { spawn } from "node:child_process";
import { CredentialsError } from "./access-errors.ts";
import type { ExecPlugin } from "./cluster-access.ts";

/** The credential that a plugin returned. */
export interface PluginCredential {
  readonly token?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Milliseconds since 1970; undefined: valid until the server rejects it. */
  readonly expires?: number | undefined;
}

/** The cluster info for a plugin (`provideClusterInfo`). */
export interface PluginCluster {
  readonly server: string;
  readonly "tls-server-name"?: string | undefined;
  readonly "insecure-skip-tls-verify"?: boolean | undefined;
  /** PEM in base64. */
  readonly "certificate-authority-data"?: string | undefined;
  readonly "proxy-url"?: string | undefined;
  readonly config?: unknown;
}

/** The process environment in which plugins run. */
export interface PluginEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether standard input is a terminal that the plugin may use. */
  readonly hasTerminal: boolean;
}

/** Time limit of a plugin without a terminal. */
const PLUGIN_TIMEOUT_MS = 60_000;
const MAX_STDERR_CHARS = 2000;

/** Runs the plugin once. Throws `CredentialsError` if it fails. */
export async function runExecPlugin(plugin: ExecPlugin, cluster: PluginCluster, environment: PluginEnvironment): Promise<PluginCredential> {
  if (plugin.interactiveMode === "Always" && !environment.hasTerminal) {
    throw new CredentialsError(
      "PINTLE1020",
      `exec plugin ${plugin.command} requires a terminal (interactiveMode Always), but standard input is not a terminal`,
    );
  }
  const interactive = plugin.interactiveMode !== "Never" && environment.hasTerminal;
  const spec = { interactive, ...(plugin.provideClusterInfo ? { cluster } : {}) };
  const info = JSON.stringify({ apiVersion: plugin.apiVersion, kind: "ExecCredential", spec });
  const output = await readPluginOutput(plugin, { ...environment.env, ...plugin.env, KUBERNETES_EXEC_INFO: info }, interactive);
  return parseExecCredential(plugin, output);
}

function readPluginOutput(plugin: ExecPlugin, env: Record<string, string | undefined>, interactive: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(plugin.command, plugin.args, {
      env,
      stdio: [interactive ? "inherit" : "ignore", "pipe", interactive ? "inherit" : "pipe"],
      windowsHide: true,
      ...(interactive ? {} : { timeout: PLUGIN_TIMEOUT_MS, killSignal: "SIGKILL" }),
    });
    let output = "";
    let stderr = "";
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-MAX_STDERR_CHARS);
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      const missing = error.code === "ENOENT" ? "was not found" : `could not be started: ${error.message}`;
      const hint = plugin.installHint === undefined ? "install it, or correct the kubeconfig" : stripControlCharacters(plugin.installHint);
      reject(new CredentialsError("PINTLE1021", `exec plugin ${plugin.command} ${missing}: ${hint}`, { cause: error }));
    });
    child.on("close", (code, signal) => {
      if (code === 0) return resolve(output);
      const how =
        code === null
          ? `was terminated by ${signal}${signal === "SIGKILL" ? ` (its time limit is ${PLUGIN_TIMEOUT_MS / 1000} s)` : ""}`
          : `failed with exit code ${code}`;
      const reported = stripControlCharacters(stderr).trim();
      reject(new CredentialsError("PINTLE1022", `exec plugin ${plugin.command} ${how}${reported === "" ? "" : `: ${reported}`}`));
    });
  });
}

interface ExecCredential {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
}

function parseExecCredential(plugin: ExecPlugin, output: string): PluginCredential {
  const createError = (why: string) => new CredentialsError("PINTLE1023", `exec plugin ${plugin.command} ${why}`);
  let credential: ExecCredential;
  try {
    credential = JSON.parse(output) as ExecCredential;
  } catch (error) {
    throw new CredentialsError("PINTLE1023", `exec plugin ${plugin.command} printed something other than JSON`, { cause: error });
  }
  if (credential.kind !== "ExecCredential") throw createError("printed JSON that is not an ExecCredential");
  if (credential.apiVersion !== plugin.apiVersion)
    throw createError(`returned apiVersion ${credential.apiVersion}, but the kubeconfig requires ${plugin.apiVersion}`);
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = credential.status ?? {};
  if (!token && !cert && !key) throw createError("returned neither a token nor a certificate");
  if (!cert !== !key) throw createError("returned only one of certificate and key");
  const expires = expirationTimestamp === undefined ? undefined : Date.parse(expirationTimestamp);
  if (Number.isNaN(expires)) throw createError(`returned an invalid expirationTimestamp: ${JSON.stringify(expirationTimestamp)}`);
  return { token: token || undefined, cert: cert || undefined, key: key || undefined, expires };
}

/** Removes control characters, so that a kubeconfig or plugin cannot send escape sequences to the terminal. */
function stripControlCharacters(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f\u009b]/g, "");
}
