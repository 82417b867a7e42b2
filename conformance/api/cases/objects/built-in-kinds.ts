import { type ApiCase, type CaseContext, MERGE, requestCases } from "../../case.ts";

/** Behaviour that is specific to built-in kinds. */
export function builtInKinds({ namespace, runId }: CaseContext): readonly ApiCase[] {
  const here = `/api/v1/namespaces/${namespace}`;
  const of = (group: string, plural: string, version = "v1") => `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
  const at = (group: string, plural: string) => `/apis/${group}/v1/${plural}`;
  const RBAC = "rbac.authorization.k8s.io";
  const meta = (name: string) => ({ metadata: { name } });
  const missing: readonly (readonly [kind: string, path: string, body: object])[] = [
    ["config map", `${here}/configmaps`, {}],
    ["secret", `${here}/secrets`, {}],
    ["service account", `${here}/serviceaccounts`, {}],
    ["limit range", `${here}/limitranges`, { spec: { limits: [] } }],
    ["endpoints", `${here}/endpoints`, {}],
    ["service", `${here}/services`, { spec: { clusterIP: "None", ports: [{ port: 80 }] } }],
    ["role", of(RBAC, "roles"), { rules: null }],
    ["cluster role", at(RBAC, "clusterroles"), { rules: null }],
    ["runtime class", at("node.k8s.io", "runtimeclasses"), { handler: "x" }],
    ["storage class", at("storage.k8s.io", "storageclasses"), { provisioner: "a.b/c" }],
    ["event", `${here}/events`, { involvedObject: { namespace, kind: "Pod", name: "x" } }],
  ];
  const unconditional: readonly (readonly [kind: string, path: string, body: object])[] = [
    ["held lease", of("coordination.k8s.io", "leases"), { spec: {} }],
    ["budget", of("policy", "poddisruptionbudgets"), { spec: { selector: {} } }],
    ["runtime class", at("node.k8s.io", "runtimeclasses"), { handler: "x" }],
    ["webhook configuration", at("admissionregistration.k8s.io", "mutatingwebhookconfigurations"), { webhooks: [] }],
    ["driver", at("storage.k8s.io", "csidrivers"), { spec: {} }],
    ["priority class", at("scheduling.k8s.io", "priorityclasses"), { value: 7 }],
  ];
  const name = `built-${runId}`;
  const deployments = of("apps", "deployments");
  const labels = { a: "b" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  const leases = of("coordination.k8s.io", "leases");
  const event = {
    metadata: { name: "ev" },
    involvedObject: { namespace, kind: "Pod", name: "x" },
    reason: "R",
    message: "m",
    type: "Normal",
  };
  return [
    ...requestCases(
      ...missing.map(
        ([kind, path, body]) => [`A10 replace a missing ${kind}`, "PUT", `${path}/${name}`, { ...meta(name), ...body }] as const,
      ),
      ...unconditional.map(([kind, path, body]) => [`A8 a ${kind}`, "POST", path, { ...meta(`${name}-u`), ...body }] as const),
      ...unconditional.map(
        ([kind, path, body]) =>
          [`A8 replace a ${kind} without resourceVersion`, "PUT", `${path}/${name}-u`, { ...meta(`${name}-u`), ...body }] as const,
      ),
      ...missing.map(([kind, path]) => [`C1 delete a ${kind}`, "DELETE", `${path}/${name}`] as const),
      [
        "A15 B2 a deployment",
        "POST",
        deployments,
        { ...meta("built"), spec: { replicas: 2, selector: { matchLabels: labels }, template } },
      ],
      ["B2 its scale", "GET", `${deployments}/built/scale`],
      ["B2 scale it", "PATCH", `${deployments}/built/scale`, { spec: { replicas: 5 } }, MERGE],
      ["B2 scale it below none", "PATCH", `${deployments}/built/scale`, { spec: { replicas: -5 } }, MERGE],
      ["B2 scale it with a word", "PATCH", `${deployments}/built/scale`, { spec: { replicas: "many" } }, MERGE],
      ["A15 what was scaled", "GET", `${deployments}/built`],
      ["A15 a label does not count", "PATCH", `${deployments}/built`, { metadata: { labels: { x: "y" } } }, MERGE],
      ["A15 an annotation does not count", "PATCH", `${deployments}/built`, { metadata: { annotations: { x: "y" } } }, MERGE],
      ["B1 status beside the object", "PATCH", `${deployments}/built`, { status: { replicas: 4 } }, MERGE],
      ["B1 status with a spec", "PATCH", `${deployments}/built/status`, { spec: { replicas: 1 }, status: { replicas: 4 } }, MERGE],
      ["B1 status with labels", "PATCH", `${deployments}/built/status`, { metadata: { labels: { z: "z" } } }, MERGE],
      ["F3 what cannot change", "PATCH", `${deployments}/built`, { spec: { selector: { matchLabels: { a: "c" } } } }, MERGE],
      [
        "F3 a selector that does not select",
        "POST",
        deployments,
        { ...meta("bad"), spec: { selector: { matchLabels: { z: "z" } }, template } },
      ],
      [
        "F3 no containers",
        "POST",
        deployments,
        { ...meta("bad"), spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: {} } } },
      ],
      [
        "C4 a job keeps its pods by default",
        "POST",
        of("batch", "jobs"),
        { ...meta("job"), spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } } },
      ],
      ["C4 delete the job", "DELETE", `${of("batch", "jobs")}/job`],
      ["C4 delete the job in the background", "DELETE", `${of("batch", "jobs")}/job`, { propagationPolicy: "Background" }],
      ["G8 an event", "POST", `${here}/events`, event],
      ["G8 the event in the other group", "GET", `${of("events.k8s.io", "events")}/ev`],
      [
        "G8 an event of the other group",
        "POST",
        of("events.k8s.io", "events"),
        {
          ...meta("ev2"),
          eventTime: "2026-01-01T00:00:00.123456Z",
          reportingController: "c",
          reportingInstance: "i",
          action: "A",
          reason: "R",
          type: "Normal",
          regarding: { namespace, kind: "Pod", name: "x" },
        },
      ],
      ["G8 it in the first", "GET", `${here}/events/ev2`],
      ["G8 an event of no type", "POST", of("events.k8s.io", "events"), { ...meta("ev3"), eventTime: "2026-01-01T00:00:00.123456Z" }],
      [
        "G8 an event of another namespace",
        "POST",
        `${here}/events`,
        { ...event, metadata: { name: "ev4" }, involvedObject: { namespace: "other", kind: "Pod", name: "x" } },
      ],
      ["G8 D7 events of an object", "GET", `${here}/events?fieldSelector=involvedObject.name%3Dx,reason%3DR,type%3DNormal`],
      [
        "G8 a lease",
        "POST",
        leases,
        { ...meta("l"), spec: { holderIdentity: "a", renewTime: "2026-01-01T00:00:00.123456Z", leaseDurationSeconds: 15 } },
      ],
      ["G8 a lease without microseconds", "POST", leases, { ...meta("l2"), spec: { renewTime: "2026-01-01T00:00:00Z" } }],
      ["G8 a lease of no duration", "POST", leases, { ...meta("l3"), spec: { leaseDurationSeconds: 0 } }],
      [
        "G8 A8 a lease with a stale resourceVersion",
        "PUT",
        `${leases}/l`,
        { metadata: { name: "l", resourceVersion: "1" }, spec: { holderIdentity: "b" } },
      ],
      [
        "G5 a namespace made by hand",
        "POST",
        "/api/v1/namespaces",
        {
          metadata: { name: `${namespace}-hand`, labels: { "kubernetes.io/metadata.name": "x" } },
          spec: { finalizers: ["example.com/x"] },
        },
      ],
      [
        "G5 its name cannot be relabelled",
        "PATCH",
        `/api/v1/namespaces/${namespace}-hand`,
        { metadata: { labels: { "kubernetes.io/metadata.name": "y" } } },
        MERGE,
      ],
      ["G5 kube-system stays", "DELETE", "/api/v1/namespaces/kube-system"],
      ["G5 all namespaces at once", "DELETE", "/api/v1/namespaces"],
      [
        "G9 limits",
        "POST",
        `${here}-hand/limitranges`,
        {
          ...meta("l"),
          spec: {
            limits: [
              { type: "Container", default: { cpu: "1" }, defaultRequest: { cpu: "500m" }, max: { cpu: "2" }, min: { cpu: "100m" } },
            ],
          },
        },
      ],
      ["G9 a pod gets them", "POST", `${here}-hand/pods`, { ...meta("p"), spec: { containers: [{ name: "c", image: "i" }] } }],
      [
        "G9 a pod above them",
        "POST",
        `${here}-hand/pods`,
        { ...meta("q"), spec: { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "3" } } }] } },
      ],
      [
        "G9 a pod below them",
        "POST",
        `${here}-hand/pods`,
        { ...meta("r"), spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1m" } } }] } },
      ],
      [
        "G9 limits that contradict themselves",
        "POST",
        `${here}/limitranges`,
        { ...meta("bad"), spec: { limits: [{ type: "Container", max: { cpu: "1" }, min: { cpu: "2" } }] } },
      ],
      ["A1 a component that is missing", "GET", "/api/v1/componentstatuses/nope"],
      ["A3 a component by hand", "POST", "/api/v1/componentstatuses", { metadata: { name: "x" } }],
    ),
    [
      "W2 the components of the control plane",
      async (target) => {
        const { status, warning, body } = await target.send("GET", "/api/v1/componentstatuses");
        const etcd = await target.send("GET", "/api/v1/componentstatuses/etcd-0");
        return [status, warning, body.kind, body.metadata, body.items.map((item: any) => item.metadata.name).sort(), etcd];
      },
    ],
  ];
}
