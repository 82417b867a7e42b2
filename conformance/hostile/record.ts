/** Sends the attacks to a real server and records its responses: `node --import tsx conformance/hostile/record.ts`. */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createFixtures } from "../../packages/cluster/test/hostile/fixtures.ts";
import { hostileRequests } from "../../packages/cluster/test/hostile/hostile-requests.ts";
import { createRawClient, type ResponseSummary, readCredentials } from "../../packages/cluster/test/hostile/raw-client.ts";
import { recordedResponsesFile, toRecordedResponse } from "../../packages/cluster/test/hostile/recorded-responses.ts";
import { startControlPlane } from "../real/index.ts";

const real = await startControlPlane();
try {
  const client = createRawClient(readCredentials(await readFile(real.kubeconfig, "utf8")));
  await createFixtures(client);
  const answers: Record<string, Pick<ResponseSummary, "code" | "reason">> = {};
  // A server that closes the connection returns no status code.
  for (const attack of hostileRequests) answers[attack.name] = toRecordedResponse(await client.send(attack).catch(() => ({ code: 0 })));
  client.close();
  await writeFile(fileURLToPath(recordedResponsesFile), `${JSON.stringify(answers, null, 2)}\n`);
} finally {
  await real.stop();
}
