import { prepareLoadGenerator } from "../harness/load/load-generator.ts";
import { buildPackages } from "../harness/subjects/build-packages.ts";
import { startEmbeddedServer } from "../server/api-server.ts";
import { reserveNumbers } from "../server/creates.ts";
import { sampleObjects } from "../server/sample-objects.ts";

/** Creates pods on the embedded API server over TLS. */
export async function loadServer(count: number, flags: readonly string[]): Promise<void> {
  await buildPackages();
  const startGenerator = await prepareLoadGenerator();
  const apiServer = await startEmbeddedServer(flags);
  const generator = startGenerator(apiServer.target);
  const { path, object } = sampleObjects.Pod;
  await generator.create({ protocol: "h2", path, body: JSON.stringify(object), first: reserveNumbers(), concurrency: 32, count });
  generator.stop();
  await apiServer.stop();
}
