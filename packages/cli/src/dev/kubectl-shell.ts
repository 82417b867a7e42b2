import { spawn } from "node:child_process";

/** The user's own shell in this terminal, in which kubectl finds the cluster; resolves when it ends. */
export function kubectlShell(kubeconfig: string | undefined, cwd: string, signal: AbortSignal): Promise<void> {
  const windows = process.platform === "win32";
  const program = (windows ? process.env["ComSpec"] : process.env["SHELL"]) ?? (windows ? "cmd.exe" : "sh");
  const env = { ...process.env, ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }) };
  process.stdout.write("kubectl finds the cluster here; exit leads back\n");
  const child = spawn(program, [], { cwd, env, stdio: "inherit" });
  const end = () => child.kill("SIGHUP");
  signal.addEventListener("abort", end, { once: true });
  return new Promise((resolve) => {
    const over = () => {
      signal.removeEventListener("abort", end);
      resolve();
    };
    child.once("exit", over);
    child.once("error", (error) => {
      process.stderr.write(`${program} cannot be started: ${error.message}\n`);
      over();
    });
  });
}
