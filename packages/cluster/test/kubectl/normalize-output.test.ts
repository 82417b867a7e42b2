import { expect, test } from "vitest";
import { normalizeOutput } from "./normalize-output.ts";

const normalizeText = (out: string) => normalizeOutput({ code: 0, out, err: "" }, { folder: "/nowhere" }).out;

test.each([
  ["uids", "uid: 0a1b2c3d-0000-4000-8000-000000000001", "uid: 9f8e7d6c-1111-4111-9111-111111111112"],
  ["revisions", 'resourceVersion: "12"', 'resourceVersion: "98765"'],
  ["times", 'creationTimestamp: "2026-01-01T00:00:00Z"', 'creationTimestamp: "2027-12-31T23:59:59Z"'],
  ["ages and their padding", "web   1/1   5s", "web    1/1    2m10s"],
  ["generated suffixes", "pod/web-5d4f8c7b9-x2k4p", "pod/web-7c9d8f6b4-zq9wr"],
  ["addresses", "clusterIP: 10.0.0.17", "clusterIP: 10.96.3.1"],
  ["node ports", "80:30080/TCP", "80:31234/TCP"],
  ["the key order of raw JSON", '{"a":1,"b":2}\n', '{"b":2,"a":1}\n'],
])("replaces %s", (_, one, other) => {
  expect(normalizeText(one)).toBe(normalizeText(other));
});

test.each([
  ["a name", "configmap/one created", "configmap/two created"],
  ["a name with a short number", "pod/web-1", "pod/web-2"],
  ["a name of plain letters", "deployment.apps/web-front", "deployment.apps/web-proxy"],
  ["a count", "web  2/3  3  2", "web  2/3  3  3"],
  ["a generation", "generation: 1", "generation: 2"],
  ["a port of a service", "80/TCP", "81/TCP"],
  ["a target port", "targetPort: 8080", "targetPort: 8081"],
  ["an address of the user", "172.16.0.1:80", "172.16.0.2:80"],
  [
    "the duration of a toleration",
    "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s",
    "node.kubernetes.io/not-ready:NoExecute op=Exists for 30s",
  ],
  ["a probe", "delay=0s timeout=1s period=10s", "delay=0s timeout=1s period=20s"],
  ["a duration in a field", "terminationGracePeriodSeconds: 30", "terminationGracePeriodSeconds: 31"],
  ["a missing uid", "uid: 0a1b2c3d-0000-4000-8000-000000000001", "uid: ''"],
  ["a missing time", 'creationTimestamp: "2026-01-01T00:00:00Z"', "creationTimestamp: null"],
  ["a missing column", "web  1/1  5s", "web  5s"],
  ["a headless service", "clusterIP: 10.0.0.17", "clusterIP: None"],
  ["indentation", "spec:\n  a: 1", "spec:\n    a: 1"],
  ["the order of lines", "a\nb", "b\na"],
  [
    "the version",
    'Server Version: version.Info{Major:"1", Minor:"36", GitCommit:"a"}',
    'Server Version: version.Info{Major:"1", Minor:"35", GitCommit:"a"}',
  ],
  ["a quantity", "cpu: 100m", "cpu: 200m"],
  ["a message", 'Error from server (NotFound): pods "x" not found', 'Error from server (NotFound): pod "x" not found'],
])("does not replace %s", (_, one, other) => {
  expect(normalizeText(one)).not.toBe(normalizeText(other));
});

test("keeps the exit code", () => {
  const [one, other] = [0, 1].map((code) => normalizeOutput({ code, out: "", err: "" }, { folder: "/nowhere" }));
  expect(one).not.toEqual(other);
});

test("removes only the descriptions of explain", () => {
  const explainOutput = (prose: string, field: string) =>
    normalizeOutput(
      { code: 0, out: `KIND:  Pod\n\nDESCRIPTION:\n    ${prose}\n\nFIELDS:\n  ${field}\n    ${prose}\n`, err: "" },
      { folder: "/nowhere", prose: true },
    ).out;
  expect(explainOutput("one", "spec\t<PodSpec>")).toBe(explainOutput("another", "spec\t<PodSpec>"));
  expect(explainOutput("one", "spec\t<PodSpec>")).not.toBe(explainOutput("one", "spec\t<string>"));
  expect(explainOutput("one", "spec\t<PodSpec>")).not.toBe(explainOutput("one", "specs\t<PodSpec>"));
});
