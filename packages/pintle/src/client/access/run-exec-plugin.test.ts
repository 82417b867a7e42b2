import { describe, expect, it } from "vitest";
import { CredentialsError } from "./access-errors.ts";
import type { ExecPlugin } from "./cluster-access.ts";
import { runExecPlugin } from "./run-exec-plugin.ts";

const V1 = "client.authentication.k8s.io/v1";
const cluster = { server: "https://a", "certificate-authority-data": "eA==", config: { audience: "x" } };
const noTerminal = { env: process.env, hasTerminal: false };

/** A real child process that runs some JavaScript. */
const plugin = (script: string, more: Partial<ExecPlugin> = {}): ExecPlugin => ({
  apiVersion: V1,
  command: process.execPath,
  args: ["-e", script],
  env: {},
  provideClusterInfo: false,
  interactiveMode: "Never",
  ...more,
});
const print = (status: object, apiVersion = V1) =>
  `console.log(JSON.stringify(${JSON.stringify({ apiVersion, kind: "ExecCredential", status })}))`;

describe("runExecPlugin", () => {
  it("returns the token and its expiry", async () => {
    const script = print({ token: "t", expirationTimestamp: "2026-01-01T00:00:00Z" });
    expect(await runExecPlugin(plugin(script), cluster, noTerminal)).toEqual({ token: "t", expires: Date.UTC(2026, 0, 1) });
  });

  it("returns a certificate with its key", async () => {
    const script = print({ clientCertificateData: "c", clientKeyData: "k" }, "client.authentication.k8s.io/v1beta1");
    expect(await runExecPlugin(plugin(script, { apiVersion: "client.authentication.k8s.io/v1beta1" }), cluster, noTerminal)).toEqual({
      cert: "c",
      key: "k",
    });
  });

  it("passes the environment and its additions, and cluster info only with provideClusterInfo", async () => {
    const script = `
      const token = JSON.stringify({ info: JSON.parse(process.env.KUBERNETES_EXEC_INFO), own: process.env.OWN, path: process.env.PATH !== undefined });
      console.log(JSON.stringify({ apiVersion: "${V1}", kind: "ExecCredential", status: { token } }));`;
    const runPlugin = async (more: Partial<ExecPlugin>) =>
      JSON.parse((await runExecPlugin(plugin(script, more), cluster, noTerminal)).token!);
    expect(await runPlugin({ env: { OWN: "yes" } })).toEqual({
      info: { apiVersion: V1, kind: "ExecCredential", spec: { interactive: false } },
      own: "yes",
      path: true,
    });
    expect((await runPlugin({ provideClusterInfo: true })).info.spec).toEqual({ interactive: false, cluster });
    expect((await runPlugin({ interactiveMode: "IfAvailable" })).info.spec).toEqual({ interactive: false });
  });

  it.each<[string, ExecPlugin, RegExp]>([
    [
      "with the install hint when the command is missing",
      plugin("", { command: "no-such-plugin", installHint: "brew install it\u001b[31m" }),
      /no-such-plugin was not found: brew install it\[31m$/,
    ],
    ["without a hint as well", plugin("", { command: "no-such-plugin" }), /install it, or correct the kubeconfig/],
    ["with what it complained about", plugin("console.error('token expired'); process.exit(3)"), /failed with exit code 3: token expired$/],
    ["when a signal terminates it", plugin("process.kill(process.pid, 'SIGTERM')"), /was terminated by SIGTERM/],
    ["when it does not print JSON", plugin("console.log('hello')"), /printed something other than JSON/],
    ["when it prints other JSON", plugin("console.log('{}')"), /not an ExecCredential/],
    [
      "when it returns another apiVersion",
      plugin(print({ token: "t" }, "client.authentication.k8s.io/v1beta1")),
      /returned apiVersion client.authentication.k8s.io\/v1beta1, but the kubeconfig requires/,
    ],
    ["when it returns no credential", plugin(print({})), /neither a token nor a certificate/],
    ["when it returns a key without a certificate", plugin(print({ clientKeyData: "k" })), /only one of certificate and key/],
    [
      "when its expirationTimestamp is invalid",
      plugin(print({ token: "t", expirationTimestamp: "soon" })),
      /invalid expirationTimestamp: "soon"/,
    ],
    ["when it requires a terminal and there is none", plugin("", { interactiveMode: "Always" }), /standard input is not a terminal/],
  ])("fails %s", async (_, given, message) => {
    const error = await runExecPlugin(given, cluster, noTerminal).catch((error) => error);
    expect(error).toBeInstanceOf(CredentialsError);
    expect(error.message).toMatch(message);
  });
});
