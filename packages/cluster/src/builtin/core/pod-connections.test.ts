import { describe, expect, test } from "vitest";
import { podConnections } from "./pod-connections.ts";

const pod = (nodeName: string | undefined, ...names: string[]) => ({
  metadata: { name: "web" },
  spec: { ...(nodeName === undefined ? {} : { nodeName }), containers: names.map((name) => ({ name })) },
});
const query = (text: string) => new Map([...new URLSearchParams(text)].map(([name, value]) => [name, [value]]));
const asked = async (what: string, of: ReturnType<typeof pod>, text = "") => podConnections[what]!(of, query(text));

describe("streams of pods", () => {
  test("a pod without a node has an empty log, and nothing to talk to", async () => {
    expect(await asked("log", pod(undefined, "a"))).toMatchObject({ status: 200, body: { type: "none" } });
    await expect(asked("exec", pod(undefined, "a"))).rejects.toMatchObject({ code: 400, message: "pod web does not have a host assigned" });
  });

  test.each(["log", "exec", "attach"])("%s: of several containers one must be named, and must be there", async (what) => {
    await expect(asked(what, pod("n", "a", "b"))).rejects.toMatchObject({
      code: 400,
      message: "a container name must be specified for pod web, choose one of: [a b]",
    });
    await expect(asked(what, pod("n", "a", "b"), "container=c")).rejects.toMatchObject({
      code: 400,
      message: "container c is not valid for pod web",
    });
  });

  test.each(["log", "exec", "attach", "portforward", "proxy"])("%s: on a simulated node it is refused with the reason", async (what) => {
    await expect(asked(what, pod("n", "a"))).rejects.toMatchObject({
      code: 400,
      message: expect.stringMatching(/^pod web .*: its node n is simulated, and no container of it really runs$/),
    });
  });

  test("options of a log are checked", async () => {
    await expect(asked("log", pod(undefined, "a"), "tailLines=-1&limitBytes=0")).rejects.toMatchObject({
      code: 422,
      message:
        'PodLogOptions "web" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0]',
    });
  });
});
