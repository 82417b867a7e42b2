import { type BenchmarkOptions, type BenchmarkResult, selectSizes } from "../harness/benchmark.ts";
import { prepareLoadGenerator } from "../harness/load/load-generator.ts";
import { buildPackages } from "../harness/subjects/build-packages.ts";
import { buildRealServer } from "../harness/subjects/real-server.ts";
import { type ApiServer, startEmbeddedServer, startRealServer } from "./api-server.ts";
import { measureCreates, type ServersUnderLoad, type ServerUnderLoad } from "./creates.ts";
import { measureInProcess } from "./in-process.ts";
import { measureLists } from "./lists.ts";
import { measureMemory } from "./memory.ts";
import { SIZES } from "./sizes.ts";
import { measureStartups } from "./starts.ts";
import { measureWatches } from "./watches.ts";

/** Measures the embedded API server and kube-apiserver with etcd, in turn and with the same load generator. */
export async function run(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const sizes = selectSizes(options, SIZES);
  buildRealServer();
  await buildPackages();
  const startGenerator = await prepareLoadGenerator();
  const tables = [await measureStartups(sizes), await measureInProcess(sizes)];
  const addGenerator = (server: ApiServer): ServerUnderLoad => ({ server, generator: startGenerator(server.target) });
  const servers: ServersUnderLoad = [addGenerator(await startEmbeddedServer()), addGenerator(await startRealServer())];
  try {
    return {
      tables: [
        ...tables,
        await measureCreates(servers, sizes),
        await measureLists(servers, sizes),
        await measureWatches(servers, sizes),
        await measureMemory(servers, sizes),
      ],
    };
  } finally {
    for (const { server, generator } of servers) {
      generator.stop();
      await server.stop();
    }
  }
}
