import { controller } from "pintle";
import { Job } from "pintle/kinds/batch/v1";
import { PersistentVolumeClaim, Pod, Secret, Service } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { act } from "./act.ts";
import { type Call, call } from "./call.ts";
import {
  budgetFor,
  claimFor,
  credentialsOf,
  isFitted,
  outcomeOf,
  podFor,
  secretNames,
  secretsFor,
  servicesFor,
  settingsOf,
  unpackJobFor,
} from "./children/index.ts";
import { analyse, highestOrdinal, type Volume, type Wanted } from "./decide/index.ts";
import { EtcdCluster, RECOVER_FROM } from "./etcd-cluster.ts";
import { EtcdRestore, pendingOf } from "./etcd-restore.ts";
import { observe } from "./observe.ts";
import { report } from "./report.ts";
import { soundness } from "./soundness.ts";
import { volumesFor } from "./volumes.ts";

/** Observes, decides on one safe step, and takes it. Everything it has to remember is on the volumes and in etcd itself. */
export function etcdController(reach: Call) {
  const sound = soundness();
  return controller(EtcdCluster, {
    owns: [Service, PodDisruptionBudget, PersistentVolumeClaim, Pod, Secret, Job],
    watches: { restores: { kind: EtcdRestore, by: ({ spec: { cluster } }) => [{ name: cluster }] } },
    async reconcile({ object: cluster, owned, related, signal, event, want }) {
      const now = Date.now();
      const pods = owned(Pod).all();
      const credentials = credentialsOf(owned(Secret).get(secretNames(cluster).client));
      const claims = owned(PersistentVolumeClaim).all();
      const observed = await observe({ cluster, pods, claims, credentials, call: reach, soundness: sound, now, signal });
      const lastOrdinal = Math.max(cluster.status?.lastOrdinal ?? 0, highestOrdinal(observed.seen));
      const restore = pendingOf(related.restores);
      const step = analyse(observed, { ...wantedOf(cluster), lastOrdinal, restore });
      const deed = await act(step, cluster, observed);
      signal.throwIfAborted();
      if (deed.done !== undefined) {
        const isRefused = step.do === "refuse";
        event(isRefused ? step.reason : "Step", deed.done, { type: isRefused ? "Warning" : "Normal" });
      }

      const jobs = owned(Job).all();
      const unpacking = (outcome: "done" | "failed") =>
        new Set(jobs.filter((job) => outcomeOf(job) === outcome).map(({ metadata }) => metadata.name));
      const stays = owned(PersistentVolumeClaim)
        .all()
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const there = new Set(stays.map(({ metadata }) => metadata.name));
      const volumes = volumesFor(cluster, observed, step, { there, unpacked: unpacking("done"), spoilt: unpacking("failed"), now });
      const isInTheWay = (volume: Volume) => pods.some((pod) => pod.metadata.name === volume.name && !isFitted(pod, volume));
      const { status, conditions } = report(cluster, observed, step, deed, volumes);
      return want({
        children: {
          services: servicesFor(cluster),
          budget: budgetFor(cluster),
          secrets: secretsFor(cluster, (name) => owned(Secret).get(name), now),
          claims: volumes.map((volume) => claimFor(cluster, volume)),
          jobs: volumes.filter(({ state }) => state === "restoring").map((volume) => unpackJobFor(cluster, volume)),
          pods: volumes.filter((volume) => volume.state !== "restoring" && !isInTheWay(volume)).map((volume) => podFor(cluster, volume)),
        },
        status: { ...status, lastOrdinal },
        conditions,
        requeueAfter: step.do === "nothing" ? "15s" : "1s",
      });
    },
  });
}

export const etcd = etcdController(call);

function wantedOf(cluster: EtcdCluster): Omit<Wanted, "lastOrdinal"> {
  const { size, version, replaceAfterSeconds, defragmentAtPercent } = cluster.spec;
  return {
    size,
    version,
    settings: settingsOf(cluster),
    replaceAfter: replaceAfterSeconds * 1000,
    defragmentAt: defragmentAtPercent,
    recoverFrom: cluster.metadata.annotations?.[RECOVER_FROM],
  };
}
