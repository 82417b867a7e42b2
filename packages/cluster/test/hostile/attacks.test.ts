import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";
import { realAnswers, recorded } from "./answers.ts";
import { attacks } from "./attacks.ts";
import { differences } from "./differences.ts";
import { credentialsOf, type Exchange, exchange } from "./exchange.ts";
import { canaries, layGround } from "./ground.ts";

const real = await realAnswers();

describe("what no well-meaning client sends", { timeout: 60_000 }, () => {
  let cluster: Cluster;
  let asked: Exchange;
  const faults = vi.spyOn(console, "error");
  beforeAll(async () => {
    cluster = await startCluster({ without: true, http: true });
    asked = exchange(credentialsOf(cluster.kubeconfig));
    await layGround(asked);
  }, 60_000);
  afterAll(async () => {
    asked?.close();
    await cluster?.stop();
    faults.mockRestore();
  });

  test("is answered as a real server answers it, and is no fault of the server's", async () => {
    const wrong: unknown[] = [];
    for (const attack of attacks) {
      const answer = recorded(await asked.send(attack));
      const expected = real[attack.name];
      const same = answer.code === expected?.code && answer.reason === expected.reason;
      if (!same && !Object.hasOwn(differences, attack.name)) wrong.push({ attack: attack.name, answer, expected });
      if (same && Object.hasOwn(differences, attack.name)) wrong.push({ attack: attack.name, "is no difference any more": answer });
      if (answer.code >= 500 && expected?.code !== answer.code) wrong.push({ attack: attack.name, answer });
    }
    expect(wrong).toEqual([]);
    expect(faults.mock.calls).toEqual([]);
  });

  test("changes nothing else, neither stored nor in the process", async () => {
    expect(await canaries(asked)).toEqual({ config: "sings", widget: 1 });
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    const proto = await asked.json("GET", "/api/v1/namespaces/default/configmaps/proto");
    expect(Object.getOwnPropertyDescriptor(proto.data, "__proto__")?.value).toBe("polluted");
  });
});
