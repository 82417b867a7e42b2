import { spawn } from "node:child_process";

/** Opens the user's shell in this terminal with KUBECONFIG set; resolves when the shell exits. */
export function openKubectlShell(kubeconfig: string | undefined, cwd: string, signal: AbortSignal): Promise<void> {
  const windows = process.platform === "win32";
  const program = (windows ? process.env["ComSpec"] : process.env["SHELL"]) ?? (windows ? "cmd.exe" : "sh");
  const env = { ...process.env, ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }) };
  process.stdout.write("kubectl uses this cluster; exit to return\n");
  const child = spawn(program, [], { cwd, env, stdio: "inherit" });
  const hangUp = () => child.kill("SIGHUP");
  signal.addEventListener("abort", hangUp, { once: true });
  return new Promise((resolve) => {
    const finish = () => {
      signal.removeEventListener("abort", hangUp);
      resolve();
    };
    child.once("exit", finish);
    child.once("error", (error) => {
      process.stderr.write(`cannot start ${program}: ${error.message}\n`);
      finish();
    });
  });
}
