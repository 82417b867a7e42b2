import { inspect } from "node:util";
import { allow, controller, createFlightRecorder, createLogger, defineResource, sensitive, startManager, z } from "pintle";
import { seededRandom } from "pintle/internal/clock";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Secret } from "pintle/kinds/core/v1";
import { expect, onTestFinished, test } from "vitest";
import { startCluster } from "../../src/index.ts";
import { readRecordedTrace } from "./read-trace.ts";

const SEED = 20_261_118;

/** Of a field of the schema, so it is in the CustomResourceDefinition. */
const DEFAULT = "planted-default-7f3a";

const Login = defineResource({
  group: "leak.example.com",
  version: "v1",
  kind: "Login",
  spec: z.object({
    token: sensitive(z.string()),
    users: z.array(z.object({ name: z.string(), password: sensitive(z.string()) })).default([]),
    initial: sensitive(z.string()).default(DEFAULT),
  }),
  status: z.object({ seen: z.string() }),
});

/** A controller that leaks every secret it sees, wherever it can. */
const leaky = controller(Login, {
  owns: [ConfigMap, Secret, Deployment],
  needs: [allow(Secret, "get", "create"), allow(ConfigMap, "create", "list", "patch")],
  async reconcile({ object, owned, want, log, event, client }) {
    const { name, namespace } = object.metadata;
    const { data = {} } = await client.get(Secret, { name, namespace });
    const values = Object.values(data).map((value) => Buffer.from(value, "base64").toString());
    const all = [object.spec.token, ...object.spec.users.map(({ password }) => password), ...values];
    log.info(`reconciling with ${all.join(" and ")}`, {
      all,
      url: `https://user:${encodeURIComponent(all[0]!)}@db`,
      nested: { json: JSON.stringify(all), twice: JSON.stringify(JSON.stringify(all)), inspected: inspect(all) },
      header: all.map((value) => `Basic ${Buffer.from(`admin:${value}:x`).toString("base64")}`),
      bytes: all.map((value) => Buffer.from(value)),
      serialized: JSON.parse(JSON.stringify(all.map((value) => Buffer.from(value)))),
      hex: all.map((value) => Buffer.from(value).toString("hex").toUpperCase()),
      urls: all.map((value) => Object.assign(new URL("postgres://app@db/app"), { password: value })),
      characters: all.map((value) => [...value]),
      numbers: all.filter((value) => /^[1-9][0-9]{5,14}$/.test(value)).map(Number),
      [all[0]!]: "as a name",
    });
    event("Leaked", `the token is ${all[0]}`);
    event("Cut", `${"long ".repeat(202)}${all.at(-1)!.repeat(3)}`);
    await client.list(ConfigMap, { namespace, fields: { "metadata.name": all[0]! } }).catch(() => {});
    const settings = { name, namespace };
    await client
      .patch(
        ConfigMap,
        settings,
        { merge: { metadata: { annotations: { patched: all.join() } } } },
        { fieldManager: all[0]!.slice(0, 128) },
      )
      .catch(() => {});
    for (const value of all)
      await client.create(ConfigMap, { metadata: { name: "Not A Name", namespace }, data: { value } }).catch(() => {});
    const known = owned(Secret).get(`${name}-copy`);
    if (known !== undefined) throw new Error(`cannot go on: ${all.at(-1)} (base64 ${Buffer.from(all[0]!).toString("base64")})`);
    return want({
      children: {
        settings: ConfigMap.desired({
          metadata: { name, annotations: { copy: all.join(",") } },
          data: { settings: JSON.stringify({ all }), [`line`]: all.join("\n") },
        }),
        web: Deployment.desired({
          metadata: { name },
          spec: {
            replicas: 1,
            selector: { matchLabels: { app: name } },
            template: {
              metadata: { labels: { app: name } },
              spec: {
                containers: [
                  {
                    name: "web",
                    image: "web:1",
                    args: [`--url=${Object.assign(new URL("postgres://app@db/app"), { password: all[0] }).href}`],
                    env: all.map((value, i) => ({ name: `SECRET_${i}`, value })),
                  },
                ],
              },
            },
          },
        }),
        copy: Secret.desired({ metadata: { name: `${name}-copy` }, data }),
      },
      status: { seen: all.join(" ") },
    });
  },
});

/** Secrets of many shapes: short and long, with characters that JSON, URLs and YAML escape, in any language. */
function createSecrets(random: () => number, count: number): readonly string[] {
  const alphabets = ["abcdefghijklmnopqrstuvwxyz0123456789", "ABC+/=&?%#:@", "\"\\'{}[]<>$`\t", "äöüß漢字Ωλ🔑", "0123456789"];
  return Array.from({ length: count }, () => {
    const alphabet = [...alphabets[Math.floor(random() * alphabets.length)]!];
    const length = 8 + Math.floor(random() * 40);
    return Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
  });
}

/** A secret in the forms in which it is printed, without the characters of base64 that depend on what is before and after it. */
const formsOf = (value: string) => [
  value,
  value.slice(0, 12),
  JSON.stringify(value).slice(1, -1),
  inspect(value).slice(1, -1),
  encodeURIComponent(value),
  Object.assign(new URL("http://a@b"), { password: value }).password,
  ...["", "a", "ab"].map((before) =>
    Buffer.from(before + value)
      .toString("base64")
      .slice(4, -4),
  ),
  Buffer.from(value).toString("hex"),
  Buffer.from(value).toString("hex").toUpperCase(),
  Buffer.from(value).join(","),
  JSON.stringify([...value]).slice(1, -1),
];

test(`no planted secret is in any byte of facts, stream, explanations or trace file (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  const planted = [...createSecrets(random, 31), "481516234259", DEFAULT];
  await using cluster = await startCluster({ recorder: true });
  const client = cluster.client();
  await client.create(CustomResourceDefinition, Login.crd() as never);
  await cluster.settled();
  const streamed: string[] = [];
  // A recorder of its own, as in production: it learns only what the operator sees.
  const own = createFlightRecorder({ clock: cluster.clock, onFact: (line) => streamed.push(line) });
  const managers = [cluster.recorder, own].map((recorder, i) =>
    startManager({
      controllers: [{ ...leaky, name: `leaky-${i}` }],
      client: cluster.client(),
      recorder,
      clock: cluster.clock,
      logger: createLogger({ write() {}, level: "debug" }),
    }),
  );
  onTestFinished(async () => {
    for (const manager of managers) await manager.stop();
  });
  for (const manager of managers) await manager.ready;
  for (let i = 0; i < 5; i++) {
    const [token, first, second, a, b, c] = planted.slice(6 * i, 6 * i + 6) as [string, string, string, string, string, string];
    const metadata = { name: `l${i}`, namespace: "default" };
    await client.create(Secret, { metadata, data: { a: Buffer.from(a).toString("base64") }, stringData: { b, c } } as never);
    await client.create(Login, {
      metadata,
      spec: {
        token,
        users: [
          { name: "one", password: first },
          { name: "two", password: second },
        ],
      },
    });
    // Refused: the API server quotes the value.
    await client.patch(Login, metadata, { merge: { spec: { users: [{ name: 7, password: [second] }] } } } as never).catch(() => {});
  }
  await cluster.settled();
  for (let i = 0; i < 5; i++)
    await client.patch(Login, { name: `l${i}`, namespace: "default" }, { merge: { metadata: { labels: { again: "yes" } } } });
  await client.patch(Secret, { name: "l1", namespace: "default" }, {
    merge: { stringData: { b: planted[30], pin: planted[31] } },
  } as never);
  await client.patch(
    Login,
    { name: "l1", namespace: "default" },
    { merge: { metadata: { labels: { again: "and again".replace(" ", "-") } } } },
  );
  await cluster.settled();

  const recorder = cluster.recorder!;
  const types = new Set(recorder.facts().map(({ type }) => type));
  for (const type of ["request", "commit", "enqueue", "run", "plan", "object", "log"] as const) expect(types).toContain(type);
  const explanations = await Promise.all([
    cluster.why(Login, { namespace: "default", name: "l1" }),
    cluster.why(ConfigMap, { namespace: "default", name: "l1" }),
    cluster.why(Secret, { namespace: "default", name: "l1" }),
  ]);
  const outputs = {
    facts: recorder.text(),
    ownFacts: own.text(),
    streamed: streamed.join("\n"),
    explanations: JSON.stringify(explanations),
    trace: await readRecordedTrace(cluster, {
      source: "test",
      test: {
        name: `logs in with ${planted[0]}`,
        error: `Error: ${planted.join()}`,
        expected: inspect(planted),
        actual: JSON.stringify(planted),
      },
      output: planted.join("\n"),
    }),
  };
  const leaks: string[] = [];
  for (const [name, output] of Object.entries(outputs)) {
    expect(output.length, name).toBeGreaterThan(500);
    expect(output, name).toContain("(redacted ");
    for (const value of planted)
      for (const form of formsOf(value))
        if (output.includes(form))
          leaks.push(`${name}: ${form} near ${output.slice(Math.max(0, output.indexOf(form) - 300), output.indexOf(form))}`);
  }
  expect(leaks.slice(0, 3)).toEqual([]);
});
