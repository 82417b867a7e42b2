import { versions } from "./versions.ts";

/** How to get one program out of the Go module proxy. */
export interface Recipe {
  /** The module the proxy serves, and its version. */
  readonly module: string;
  readonly version: string;
  /** The main package inside it. */
  readonly main: string;
  /** Go string variables set at link time; without them Kubernetes calls itself v0.0.0. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * What the module's `replace k8s.io/x => ./staging/...` lines become. The module zip does not
   * carry the staging folders; the same code is published as modules of this version.
   */
  readonly staging?: string;
  /** Files of the module that the program needs beside it at run time, joined into one. */
  readonly data?: { readonly file: string; readonly parts: readonly string[] };
  /** Faults of the module that a test would stumble over: `text`, found once in `file`, becomes `instead`. */
  readonly corrections?: readonly Correction[];
}

export interface Correction {
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

const [major = "", minor = "", patch = ""] = versions.kubernetes.split(".");

function kubernetes(command: string): Recipe {
  const version = "k8s.io/component-base/version";
  return {
    module: "k8s.io/kubernetes",
    version: `v${versions.kubernetes}`,
    main: `k8s.io/kubernetes/cmd/${command}`,
    variables: {
      [`${version}.gitVersion`]: `v${versions.kubernetes}`,
      [`${version}.gitMajor`]: major,
      [`${version}.gitMinor`]: minor,
    },
    staging: `v0.${minor}.${patch}`,
  };
}

function etcd(module: string, version: string = versions.etcd): Recipe {
  return { module, version: `v${version}`, main: module, variables: {} };
}

/** In build order: what a test needs first comes first. */
export const recipes = {
  etcd: etcd("go.etcd.io/etcd/server/v3"),
  "kube-apiserver": kubernetes("kube-apiserver"),
  kubectl: kubernetes("kubectl"),
  "kube-controller-manager": kubernetes("kube-controller-manager"),
  "kube-scheduler": kubernetes("kube-scheduler"),
  etcdctl: etcd("go.etcd.io/etcd/etcdctl/v3"),
  etcdutl: etcd("go.etcd.io/etcd/etcdutl/v3"),
  "etcd-3.5": etcd("go.etcd.io/etcd/server/v3", versions.oldEtcd),
  kwok: {
    module: "sigs.k8s.io/kwok",
    version: `v${versions.kwok}`,
    main: "sigs.k8s.io/kwok/cmd/kwok",
    variables: {},
    data: {
      file: "kwok-stages.yaml",
      parts: [
        "kustomize/stage/node/fast/node-initialize.yaml",
        "kustomize/stage/node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
        "kustomize/stage/pod/fast/pod-ready.yaml",
        "kustomize/stage/pod/fast/pod-complete.yaml",
        "kustomize/stage/pod/fast/pod-delete.yaml",
      ],
    },
    corrections: [
      {
        // A command never heard that its input had ended.
        file: "pkg/utils/exec/exec.go",
        text: "_, _ = io.Copy(inPipe, opt.In)",
        instead: "_, _ = io.Copy(inPipe, opt.In); _ = inPipe.Close()",
      },
      {
        // Its exit code was lost: the streaming server looks for this very type, unwrapped.
        file: "pkg/kwok/server/debugging_exec.go",
        text: "err := utilsexec.Exec(ctx, cmd[0], cmd[1:]...)",
        instead:
          "err := utilsexec.Exec(ctx, cmd[0], cmd[1:]...); if exited := new(exec.ExitError); errors.As(err, &exited) { return &utilexec.ExitErrorWrapper{ExitError: exited} }",
      },
      {
        file: "pkg/kwok/server/debugging_exec.go",
        text: "import (",
        instead: 'import ("errors"; "os/exec"; utilexec "k8s.io/utils/exec";',
      },
      {
        // A connection stayed open until both sides had hung up, each waiting for the other.
        file: "pkg/kwok/server/debugging_port_forword.go",
        text: "return utilsnet.Tunnel(ctx, stream, dial, buf1, buf2)",
        instead:
          "_ = utilsnet.Tunnel; go func() { _, _ = io.Copy(dial, stream); _ = dial.(*net.TCPConn).CloseWrite() }(); _, err = io.Copy(stream, dial); return err",
      },
    ],
  },
} as const satisfies Record<string, Recipe>;

export type Program = keyof typeof recipes;

export const programs = Object.keys(recipes) as readonly Program[];

/** What a built binary must have been built from; a changed recipe asks for a new build. */
export function stamp(program: Program): string {
  return `${JSON.stringify({ ...recipes[program], platform: process.platform, arch: process.arch })}\n`;
}
