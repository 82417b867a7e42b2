import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Kubeconfig, mergeKubeconfigs, readKubeconfig, readKubeconfigs } from "./kubeconfig.ts";

const cluster = (name: string, server: string) => ({ name, cluster: { server } });
const context = (name: string, of: string) => ({ name, context: { cluster: of, user: of } });

describe("mergeKubeconfigs", () => {
  it.each<[string, readonly Kubeconfig[], Kubeconfig]>([
    ["nothing", [{}], { "current-context": undefined, clusters: [], users: [], contexts: [] }],
    [
      "entries of all files",
      [{ clusters: [cluster("a", "1")] }, { clusters: [cluster("b", "2")], contexts: [context("b", "b")] }],
      { "current-context": undefined, clusters: [cluster("a", "1"), cluster("b", "2")], users: [], contexts: [context("b", "b")] },
    ],
    [
      "the first of two entries of one name, whole",
      [
        { clusters: [{ name: "a", cluster: { server: "1" } }] },
        { clusters: [{ name: "a", cluster: { server: "2", "proxy-url": "http://p" } }] },
      ],
      { "current-context": undefined, clusters: [cluster("a", "1")], users: [], contexts: [] },
    ],
    [
      "the first current context that is set",
      [{ "current-context": "" }, { "current-context": "b" }, { "current-context": "c" }],
      { "current-context": "b", clusters: [], users: [], contexts: [] },
    ],
    [
      "a current context of one file with the context of another",
      [{ "current-context": "b" }, { contexts: [context("b", "x")] }],
      { "current-context": "b", clusters: [], users: [], contexts: [context("b", "x")] },
    ],
  ])("merges: %s", (_, configs, expected) => {
    expect(mergeKubeconfigs(configs)).toEqual(expected);
  });
});

describe("readKubeconfig", () => {
  let folder: string;
  const write = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pintle-kubeconfig-"));
    await mkdir(join(folder, "sub"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("resolves relative paths against the folder of the file, but not command names", async () => {
    const path = await write(
      join("sub", "config"),
      `
clusters: [{ name: a, cluster: { server: s, certificate-authority: ca.crt } }]
users:
- { name: a, user: { client-certificate: ../a.crt, client-key: /abs/a.key, tokenFile: token } }
- { name: b, user: { exec: { command: ./bin/login } } }
- { name: c, user: { exec: { command: aws } } }
`,
    );
    const read = await readKubeconfig(path);
    expect(read?.clusters?.[0]?.cluster?.["certificate-authority"]).toBe(join(folder, "sub", "ca.crt"));
    expect(read?.users?.[0]?.user).toMatchObject({
      "client-certificate": join(folder, "a.crt"),
      "client-key": "/abs/a.key",
      tokenFile: join(folder, "sub", "token"),
    });
    expect(read?.users?.map(({ user }) => user?.exec?.command)).toEqual([undefined, join(folder, "sub", "bin", "login"), "aws"]);
  });

  it("skips missing files of a list, and returns undefined when none exists", async () => {
    const a = await write("a", JSON.stringify({ clusters: [cluster("a", "1")], "current-context": "a" }));
    const b = await write("b", "clusters: [{ name: b, cluster: { server: '2' } }]");
    const list = [join(folder, "none"), "", a, b].join(delimiter);
    expect(await readKubeconfigs(list)).toMatchObject({ "current-context": "a", clusters: [{ name: "a" }, { name: "b" }] });
    expect(await readKubeconfigs(join(folder, "none"))).toBeUndefined();
  });

  it("reads an empty file as an empty kubeconfig", async () => {
    expect(await readKubeconfig(await write("empty", ""))).toEqual({});
  });

  it.each([
    ["a: [", /is not valid YAML/],
    ["just text", /is not a kubeconfig/],
    ["users: [{ name: a }, { name: a }]", /has "a" twice among its users/],
  ])("refuses %j", async (text, message) => {
    await expect(readKubeconfig(await write("bad", text))).rejects.toThrow(message);
  });
});

describe("a kubeconfig with malformed entries", () => {
  it.each(["clusters: [null]", "users: [{}]", "contexts: 5", "contexts: [{name: a, context: []}]"])("is refused: %s", async (text) => {
    const folder = await mkdtemp(join(tmpdir(), "pintle-kubeconfig-"));
    await writeFile(join(folder, "config"), `${text}\n`);
    await expect(readKubeconfig(join(folder, "config"))).rejects.toThrow(/must have a name and a (cluster|user|context)$/);
    await rm(folder, { recursive: true });
  });
});
