import { describe, expect, test } from "vitest";
import { formatProgramHelp, parseProgramFlags } from "../../src/program/index.ts";

const parse = (...args: string[]) => parseProgramFlags(args, {});

describe("parseProgramFlags", () => {
  test("has the defaults of catalogd and operator-controller", () => {
    expect(parse()).toEqual({
      help: false,
      kubeconfig: undefined,
      leaderElect: false,
      leaseTimings: { leaseDuration: 137_000, renewDeadline: 107_000, retryPeriod: 26_000 },
      healthAddress: ":8081",
      catalogAddress: ":8443",
      webhookAddress: ":9443",
      externalAddress: "catalogd-service.olmv1-system.svc",
      systemNamespace: "olmv1-system",
      cacheFolder: "/var/cache",
      certificates: undefined,
      insecureRegistries: [],
      globalPullSecret: undefined,
      gates: {},
      metas: true,
    });
  });

  test("reads gates, logins, certificates and the namespace of the pod", () => {
    const args = ["--feature-gates=DeploymentConfig=true,APIV1MetasHandler=false", "--feature-gates", "BoxcutterRuntime=true"];
    const flags = parseProgramFlags(
      [...args, "--global-pull-secret=ns/logins", "--tls-cert=/c", "--tls-key=/k", "--insecure-registry=r:5000", "--webhook-server-port=0"],
      { POD_NAMESPACE: "olm" },
    );
    expect(flags).toMatchObject({
      gates: { DeploymentConfig: true },
      metas: false,
      globalPullSecret: { namespace: "ns", name: "logins" },
      certificates: { cert: "/c", key: "/k" },
      insecureRegistries: ["r:5000"],
      webhookAddress: "0",
      systemNamespace: "olm",
      externalAddress: "catalogd-service.olm.svc",
    });
  });

  test.each([
    [["--tls-cert=/c"], "--tls-cert and --tls-key must be used together"],
    [["--tls-cert=/c", "--tls-key=/k", "--issue-certificates"], "exclude each other"],
    [["--global-pull-secret=x"], "value of global-pull-secret should be of the format <namespace>/<name>"],
    [["--feature-gates=Nothing=true"], "unrecognized feature gate: Nothing"],
    [["--feature-gates=BoxcutterRuntime=false"], "this manager has only one runtime"],
    [["--feature-gates=DeploymentConfig"], 'invalid feature gate "DeploymentConfig"'],
    [["--leader-elect-lease-duration=fast"], 'invalid duration "fast"'],
    [["--unknown"], "Unknown option '--unknown'"],
    [["word"], "Unexpected argument 'word'"],
  ])("refuses %j", (args, message) => {
    expect(() => parse(...args)).toThrow(expect.objectContaining({ code: "PINTLE8052", message: expect.stringContaining(message) }));
  });

  test("lists every flag in the help", () => {
    expect(formatProgramHelp()).toContain("--leader-elect-retry-period");
  });
});
