import type { JsonObject } from "pintle/kinds";
import { describe, expect, test } from "vitest";
import { getStructName } from "./go-structs.ts";
import { getRoundTrip } from "./round-trip.ts";

const trip = (apiVersion: string, kind: string, object: object) => {
  const unknown: string[] = [];
  const stored = getRoundTrip(getStructName(apiVersion, kind))({ apiVersion, kind, ...object } as JsonObject, unknown);
  return { stored: stored as Record<string, any>, unknown };
};

describe("round trip of JSON through Go structs", () => {
  test("omits zero values of omitempty fields and writes those of other fields", () => {
    const { stored } = trip("apps/v1", "ReplicaSet", { spec: { minReadySeconds: 0 }, status: { readyReplicas: 0 } });
    expect(stored["spec"]).toEqual({ selector: null, template: { metadata: {}, spec: { containers: null } } });
    expect(stored["status"]).toEqual({ replicas: 0 });
  });

  test("keeps an explicit zero of a pointer field", () => {
    const { stored } = trip("apps/v1", "ReplicaSet", { spec: { replicas: 0 } });
    expect(stored["spec"].replicas).toBe(0);
  });

  test("treats null as missing, and a null item as a zero value", () => {
    const { stored } = trip("v1", "ConfigMap", { data: null, immutable: null });
    expect(stored).toEqual({ apiVersion: "v1", kind: "ConfigMap", metadata: {} });
    expect(trip("v1", "Pod", { spec: { containers: [null] } }).stored["spec"].containers).toEqual([{ name: "", resources: {} }]);
  });

  test("returns a value in stored form unchanged", () => {
    const { stored } = trip("v1", "Pod", { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i" }] } });
    expect(getRoundTrip(getStructName("v1", "Pod"))(stored, [])).toBe(stored);
  });

  test("drops unknown fields and reports their paths", () => {
    const { stored, unknown } = trip("v1", "Pod", { spec: { containers: [{ name: "c", imag: "x" }], nodName: "y" }, foo: 1 });
    expect(unknown.sort()).toEqual(["foo", "spec.containers[0].imag", "spec.nodName"]);
    expect(stored["spec"].containers[0]).toEqual({ name: "c", resources: {} });
  });

  test("normalizes quantities and times", () => {
    const pod = trip("v1", "Pod", { spec: { containers: [{ name: "c", resources: { limits: { cpu: 0.5, memory: "1024Ki" } } }] } });
    expect(pod.stored["spec"].containers[0].resources.limits).toEqual({ cpu: "500m", memory: "1Mi" });
    const lease = trip("coordination.k8s.io/v1", "Lease", { spec: { renewTime: "2026-01-01T02:00:00.123456+01:00" } });
    expect(lease.stored["spec"].renewTime).toBe("2026-01-01T01:00:00.123456Z");
  });

  test.for([
    ["v1", "Pod", { spec: [] }, "cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec"],
    [
      "v1",
      "Pod",
      { spec: { containers: {} } },
      "cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container",
    ],
    ["v1", "Service", { spec: { type: 7 } }, "cannot unmarshal number into Go struct field ServiceSpec.spec.type of type v1.ServiceType"],
    [
      "apps/v1",
      "Deployment",
      { spec: { replicas: "3" } },
      "cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      "apps/v1",
      "Deployment",
      { spec: { replicas: 1.5 } },
      "cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    ["v1", "Secret", { data: { a: "?" } }, "illegal base64 data at input byte 0"],
    [
      "coordination.k8s.io/v1",
      "Lease",
      { spec: { renewTime: "2026-01-01T00:00:00Z" } },
      'parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    ],
  ] as const)("rejects %s %s %j with the error text of Go", ([apiVersion, kind, object, message]) => {
    expect(() => trip(apiVersion, kind, object)).toThrow(message);
  });
});
