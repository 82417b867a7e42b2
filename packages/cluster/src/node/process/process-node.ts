import type { Cache } from "pintle/cache";
import { Pod } from "pintle/kinds/core/v1";
import { type Outcome, queue } from "pintle/queue";
import type { Part } from "../../controllers/index.ts";
import { isMirror } from "../mirror.ts";
import type { NodeStreams } from "../streams.ts";
import { type FaultKit, faultKit } from "./fault-kit.ts";
import type { Ground } from "./ground.ts";
import { memoryWatch } from "./memory-watch.ts";
import { type PodWorker, podWorker } from "./pod-worker.ts";
import { type ProcessNodeFacts, registration } from "./registration.ts";
import { nodeStreams } from "./stream/node-streams.ts";

/** A node whose pods are processes of this machine. */
export interface ProcessNode extends Part {
  readonly node: string;
  /** What the node is reached at. */
  readonly address: string;
  /** The far end of `kubectl logs`, `exec` and the like. */
  readonly streams: NodeStreams;
  /** What tests let go wrong. */
  readonly faults: FaultKit;
  /** Pods it has, by uid. */
  readonly workers: ReadonlyMap<string, PodWorker>;
}

export function processNode(cache: Cache, ground: Ground, facts: ProcessNodeFacts): ProcessNode {
  const { client, clock, faults } = ground;
  const pods = cache.watch(Pod, { fields: `spec.nodeName=${facts.name}` });
  const workers = new Map<string, PodWorker>();
  const leaving = new Set<Promise<void>>();
  const own = registration(client, clock, facts, () => faults.isLost);
  const watchMemory = memoryWatch(ground, workers);

  const attend = async (uid: string): Promise<Outcome | undefined> => workers.get(uid)?.step();
  const work = queue({ clock, concurrency: 16, backoff: { first: 100, cap: 10_000 }, work: ({ key }) => attend(key) });
  const see = (pod: Pod) => {
    if (isMirror(pod)) return;
    const { uid } = pod.metadata;
    const known = workers.get(uid);
    if (known !== undefined) known.update(pod);
    else
      workers.set(
        uid,
        podWorker(ground, pod, () => work.add(uid)),
      );
    work.add(uid);
  };
  const leave = (uid: string) => {
    const worker = workers.get(uid);
    workers.delete(uid);
    if (worker === undefined) return;
    const done = worker.remove().finally(() => leaving.delete(done));
    leaving.add(done);
  };
  /** What a lost node hears when it is back. */
  const seeAll = () => {
    const all = pods.list();
    const uids = new Set(all.map(({ metadata }) => metadata.uid));
    for (const uid of [...workers.keys()]) if (!uids.has(uid)) leave(uid);
    for (const pod of all) see(pod);
  };
  pods.on(({ old, new: seen }) => {
    if (faults.isLost) return;
    if (old !== undefined && old.metadata.uid !== seen?.metadata.uid) leave(old.metadata.uid);
    if (seen !== undefined) see(seen);
  });

  return {
    name: `node ${facts.name}`,
    node: facts.name,
    address: facts.address,
    workers,
    streams: nodeStreams(ground, workers),
    faults: faultKit(ground, workers, async () => {
      seeAll();
      await own.hello();
    }),
    ready: (async () => {
      await own.register();
      await pods.synced();
      work.start();
    })(),
    async stop() {
      own.stop();
      watchMemory.stop();
      await work.stop();
      await pods.close();
      await Promise.all([...[...workers.values()].map((worker) => worker.close()), ...leaving]);
    },
  };
}
