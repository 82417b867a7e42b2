import { spawn } from "node:child_process";

/** Runs the Go command in `folder` and returns what it printed. */
export async function go(args: readonly string[], options: { readonly folder: string; readonly signal: AbortSignal }): Promise<string> {
  options.signal.throwIfAborted();
  const child = spawn("go", args, {
    cwd: options.folder,
    env: {
      ...process.env,
      // The scratch go.mod is ours to complete, whatever the user's own flags and workspaces say.
      GOFLAGS: "-mod=mod -buildvcs=false",
      GOWORK: "off",
      GOTOOLCHAIN: "local",
      // No C compiler needed, and the binary runs on any libc.
      CGO_ENABLED: "0",
      // So that whatever a killed build leaves goes with the scratch folder.
      GOTMPDIR: options.folder,
    },
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own, so that an interrupt ends the compilers that go started too.
    detached: true,
  });
  const kill = () => {
    // SIGINT is the one that Go tidies up after. Its group may be gone already.
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

/** The end of Go's output: its first thousand lines say only what it downloads. */
function tail(text: string): string {
  return text.trimEnd().split("\n").slice(-20).join("\n");
}
