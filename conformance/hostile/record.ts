/** Asks a real server how it answers the attacks, and writes that down: `node --import tsx conformance/hostile/record.ts`. */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { answersFile, recorded } from "../../packages/cluster/test/hostile/answers.ts";
import { attacks } from "../../packages/cluster/test/hostile/attacks.ts";
import { type Answer, credentialsOf, exchange } from "../../packages/cluster/test/hostile/exchange.ts";
import { layGround } from "../../packages/cluster/test/hostile/ground.ts";
import { startControlPlane } from "../real/index.ts";

const real = await startControlPlane();
try {
  const asked = exchange(credentialsOf(await readFile(real.kubeconfig, "utf8")));
  await layGround(asked);
  const answers: Record<string, Pick<Answer, "code" | "reason">> = {};
  // A server that hangs up has no code to give.
  for (const attack of attacks) answers[attack.name] = recorded(await asked.send(attack).catch(() => ({ code: 0 })));
  asked.close();
  await writeFile(fileURLToPath(answersFile), `${JSON.stringify(answers, null, 2)}\n`);
} finally {
  await real.stop();
}
