import type { Pod } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { containerOf } from "./container.ts";
import { logOptions } from "./log-options.ts";
import { checkLogged } from "./logged-run.ts";

const query = (text: string) => new Map([...new URLSearchParams(text)].map(([name, value]) => [name, [value]]));
const pod = (containers: readonly string[], status: object = {}, initContainers: readonly string[] = []) =>
  ({
    metadata: { name: "web" },
    spec: { containers: containers.map((name) => ({ name })), initContainers: initContainers.map((name) => ({ name })) },
    status,
  }) as unknown as Pod;

describe("the container that is meant", () => {
  test.each([
    [["a"], "", "a"],
    [["a", "b"], "container=b", "b"],
  ])("of %j by %j is %s", (names, text, expected) => {
    expect(containerOf(pod(names), query(text))).toBe(expected);
  });
  test.each([
    [["a", "b"], "", "a container name must be specified for pod web, choose one of: [i a b]"],
    [["a", "b"], "container=c", "container c is not valid for pod web"],
  ])("of %j by %j is none", (names, text, message) => {
    expect(() => containerOf(pod(names, {}, ["i"]), query(text))).toThrow(message);
  });
});

describe("options of a log", () => {
  test("are read as Go reads them", () => {
    expect(logOptions("web", query("follow=true&timestamps=1&previous=false&tailLines=0&sinceSeconds=10&stream=Stderr"), 60_000)).toEqual({
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
  ])("%s is refused", (text, message) => {
    expect(() => logOptions("web", query(text), 0)).toThrow(message);
  });
});

describe("whether there is a log", () => {
  const run = (state: object, lastState: object = {}) => ({ phase: "Running", containerStatuses: [{ name: "a", state, lastState }] });
  const ended = { terminated: { exitCode: 1, containerID: "c://1" } };

  test.each([
    ["runs", run({ running: {} }), false],
    ["has ended", run(ended), false],
    ["waits to be started again", run({ waiting: { reason: "CrashLoopBackOff" } }, ended), false],
    ["ran before", run({ running: {} }, ended), true],
  ])("there is one of a container that %s", (_, status, previous) => {
    expect(() => checkLogged(pod(["a"], status), "a", previous)).not.toThrow();
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
  ])("%s", (message, status, previous) => {
    expect(() => checkLogged(pod(["a"], status), "a", previous)).toThrow(message);
  });

  test("a pod that is being initialized says so", () => {
    expect(() => checkLogged(pod(["a"], { phase: "Pending" }, ["i"]), "a", false)).toThrow(
      'container "a" in pod "web" is waiting to start: PodInitializing',
    );
  });
});
