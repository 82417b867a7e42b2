import type { Pod } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { parseLogOptions, requireLogAvailable } from "./log-request.ts";
import { resolveContainer } from "./pod-subresources.ts";

const query = (text: string) => new Map([...new URLSearchParams(text)].map(([name, value]) => [name, [value]]));
const pod = (containers: readonly string[], status: object = {}, initContainers: readonly string[] = []) =>
  ({
    metadata: { name: "web" },
    spec: { containers: containers.map((name) => ({ name })), initContainers: initContainers.map((name) => ({ name })) },
    status,
  }) as unknown as Pod;

describe("the container of a request", () => {
  test.each([
    [["a"], "", "a"],
    [["a", "b"], "container=b", "b"],
  ])("is chosen from %j by %j: %s", (names, text, expected) => {
    expect(resolveContainer(pod(names), query(text))).toBe(expected);
  });
  test.each([
    [["a", "b"], "", "a container name must be specified for pod web, choose one of: [i a b]"],
    [["a", "b"], "container=c", "container c is not valid for pod web"],
  ])("is refused for %j by %j", (names, text, message) => {
    expect(() => resolveContainer(pod(names, {}, ["i"]), query(text))).toThrow(message);
  });
});

describe("log options", () => {
  test("are parsed like Go's query codec does", () => {
    expect(
      parseLogOptions("web", query("follow=true&timestamps=1&previous=false&tailLines=0&sinceSeconds=10&stream=Stderr"), 60_000),
    ).toEqual({
      follow: true,
      previous: false,
      timestamps: true,
      tailLines: 0,
      limitBytes: undefined,
      since: 50_000,
      stream: "Stderr",
    });
  });
  test.each([
    [
      "tailLines=-1&limitBytes=0",
      'PodLogOptions "web" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0]',
    ],
    ["sinceSeconds=5&sinceTime=2026-03-01T12:00:00Z", "at most one of `sinceTime` or `sinceSeconds` may be specified"],
  ])("are refused for %s", (text, message) => {
    expect(() => parseLogOptions("web", query(text), 0)).toThrow(message);
  });
});

describe("the availability of a log", () => {
  const run = (state: object, lastState: object = {}) => ({ phase: "Running", containerStatuses: [{ name: "a", state, lastState }] });
  const ended = { terminated: { exitCode: 1, containerID: "c://1" } };

  test.each([
    ["is running", run({ running: {} }), false],
    ["has terminated", run(ended), false],
    ["waits for a restart", run({ waiting: { reason: "CrashLoopBackOff" } }, ended), false],
    ["ran before", run({ running: {} }, ended), true],
  ])("is given for a container that %s", (_, status, previous) => {
    expect(() => requireLogAvailable(pod(["a"], status), "a", previous)).not.toThrow();
  });

  test.each([
    ['previous terminated container "a" in pod "web" not found', run({ running: {} }), true],
    ['container "a" in pod "web" is waiting to start: ContainerCreating', run({ waiting: { reason: "ContainerCreating" } }), false],
    ['container "a" in pod "web" is waiting to start: image can\'t be pulled', run({ waiting: { reason: "ErrImagePull" } }), false],
    [
      'container "a" in pod "web" is waiting to start: trying and failing to pull image',
      run({ waiting: { reason: "ImagePullBackOff" } }),
      false,
    ],
    ['container "a" in pod "web" is waiting to start: ContainerCreating', { phase: "Pending" }, false],
    ['container "a" in pod "web" is not available', { phase: "Running" }, false],
    ['container "a" in pod "web" is terminated', run({ terminated: { exitCode: 128 } }), false],
    ['container "a" in pod "web" is waiting to start - no logs yet', run({}), false],
  ])("is refused with %s", (message, status, previous) => {
    expect(() => requireLogAvailable(pod(["a"], status), "a", previous)).toThrow(message);
  });

  test("is refused with PodInitializing for a pod that is being initialized", () => {
    expect(() => requireLogAvailable(pod(["a"], { phase: "Pending" }, ["i"]), "a", false)).toThrow(
      'container "a" in pod "web" is waiting to start: PodInitializing',
    );
  });
});
