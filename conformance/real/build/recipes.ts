import { versions } from "../versions.ts";

/** How to build one program from the Go module proxy. */
export interface Recipe {
  /** Module path at the proxy, and its version. */
  readonly module: string;
  readonly version: string;
  /** The main package inside it. */
  readonly main: string;
  /** Go string variables set at link time; without them Kubernetes reports v0.0.0. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * What the module's `replace k8s.io/x => ./staging/...` lines become. The module zip does not
   * carry the staging folders; the same code is published as modules of this version.
   */
  readonly staging?: string;
  /** Files of the module that the program needs at run time, concatenated into one. */
  readonly data?: { readonly file: string; readonly parts: readonly string[] };
  /** Bugs of the module that affect tests: `text`, found exactly once in `file`, becomes `instead`. */
  readonly corrections?: readonly Correction[];
}

export interface Correction {
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

function kubernetes(command: string, release: string): Recipe {
  const [major = "", minor = "", patch = ""] = release.split(".");
  const version = "k8s.io/component-base/version";
  return {
    module: "k8s.io/kubernetes",
    version: `v${release}`,
    main: `k8s.io/kubernetes/cmd/${command}`,
    variables: {
      [`${version}.gitVersion`]: `v${release}`,
      [`${version}.gitMajor`]: major,
      [`${version}.gitMinor`]: minor,
    },
    staging: `v0.${minor}.${patch}`,
  };
}

function etcd(module: string, version: string = versions.etcd): Recipe {
  return { module, version: `v${version}`, main: module, variables: {} };
}

/** The file that kwok's stages are written to, beside the program. */
export const KWOK_STAGES = "kwok-stages.yaml";

const kwok: Recipe = {
  module: "sigs.k8s.io/kwok",
  version: `v${versions.kwok}`,
  main: "sigs.k8s.io/kwok/cmd/kwok",
  variables: {},
  data: {
    file: KWOK_STAGES,
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
      // A command was never notified that its stdin had ended.
      file: "pkg/utils/exec/exec.go",
      text: "_, _ = io.Copy(inPipe, opt.In)",
      instead: "_, _ = io.Copy(inPipe, opt.In); _ = inPipe.Close()",
    },
    {
      // The exit code was lost: the streaming server checks for this exact type, unwrapped.
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
      // A connection stayed open until both sides had closed it, each waiting for the other.
      file: "pkg/kwok/server/debugging_port_forword.go",
      text: "return utilsnet.Tunnel(ctx, stream, dial, buf1, buf2)",
      instead:
        "_ = utilsnet.Tunnel; go func() { _, _ = io.Copy(dial, stream); _ = dial.(*net.TCPConn).CloseWrite() }(); _, err = io.Copy(stream, dial); return err",
    },
  ],
};

/** In build order: what tests need first is built first. */
const recipes = {
  etcd: () => etcd("go.etcd.io/etcd/server/v3"),
  "kube-apiserver": (release) => kubernetes("kube-apiserver", release),
  kubectl: (release) => kubernetes("kubectl", release),
  "kube-controller-manager": (release) => kubernetes("kube-controller-manager", release),
  "kube-scheduler": (release) => kubernetes("kube-scheduler", release),
  etcdctl: () => etcd("go.etcd.io/etcd/etcdctl/v3"),
  etcdutl: () => etcd("go.etcd.io/etcd/etcdutl/v3"),
  "etcd-3.5": () => etcd("go.etcd.io/etcd/server/v3", versions.oldEtcd),
  kwok: () => kwok,
} as const satisfies Record<string, (release: string) => Recipe>;

export type Program = keyof typeof recipes;

export const programs = Object.keys(recipes) as readonly Program[];

/** What the compatibility suites need of an older Kubernetes version. */
export const COMPATIBILITY_PROGRAMS: readonly Program[] = [
  "etcd",
  "kube-apiserver",
  "kubectl",
  "kube-controller-manager",
  "kube-scheduler",
  "kwok",
];

/** Returns the recipe of a program of the control plane of one Kubernetes version. */
export function recipeOf(program: Program, kubernetes: string): Recipe {
  return recipes[program](kubernetes);
}

/** Identifies the inputs of a built binary; a changed recipe requires a new build. */
export function stamp(recipe: Recipe): string {
  return `${JSON.stringify({ ...recipe, platform: process.platform, arch: process.arch })}\n`;
}
