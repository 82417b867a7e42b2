import { spawn } from "node:child_process";

/** Runs the Go command in `folder` and returns its stdout. */
export async function go(args: readonly string[], options: { readonly folder: string; readonly signal: AbortSignal }): Promise<string> {
  options.signal.throwIfAborted();
  const child = spawn("go", args, {
    cwd: options.folder,
    env: {
      ...process.env,
      // Lets go complete the scratch go.mod, regardless of the user's own flags and workspaces.
      GOFLAGS: "-mod=mod -buildvcs=false",
      GOWORK: "off",
      GOTOOLCHAIN: "local",
      // Needs no C compiler, and the binary runs on any libc.
      CGO_ENABLED: "0",
      // Temporary files of a killed build are removed with the scratch folder.
      GOTMPDIR: options.folder,
    },
    stdio: ["ignore", "pipe", "pipe"],
    // A separate process group, so that an interrupt also ends the compilers that go started.
    detached: true,
  });
  const kill = () => {
    // Go cleans up after SIGINT. The group may have exited already.
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGINT");
    } catch {}
  };
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  options.signal.addEventListener("abort", kill);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", (error) => reject(notStarted(error)));
      child.once("close", resolve);
    });
    options.signal.throwIfAborted();
    if (code !== 0) throw new Error(`go ${args.join(" ")} failed:\n${tail(errors || output)}`);
    return output;
  } finally {
    options.signal.removeEventListener("abort", kill);
  }
}

function notStarted(error: Error): Error {
  if (!("code" in error) || error.code !== "ENOENT") return error;
  return new Error(
    "Go is not on PATH, and the real control plane is built with it: install Go from https://go.dev/dl, or set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kubectl.",
  );
}

/** Returns the end of Go's output: the first thousand lines only list downloads. */
function tail(text: string): string {
  return text.trimEnd().split("\n").slice(-20).join("\n");
}
