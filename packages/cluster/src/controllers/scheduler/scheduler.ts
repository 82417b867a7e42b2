import { Conflict, NotFound } from "pintle/client";
import { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { StorageClass } from "pintle/kinds/storage/v1";
import { queue } from "pintle/queue";
import { timestamp } from "../../api/index.ts";
import { type Part, type Plant, queued } from "../part.ts";
import { podsByClaim, podsByNode } from "../pods-by.ts";
import { SELECTED_NODE } from "../volume/match.ts";
import { claimMisfit, claimsOf, type Storage } from "./claims.ts";
import { type Company, caresForCompany, companyMisfit, repels } from "./company.ts";
import { type Misfit, misfit, unschedulableAnywhere, unschedulableMessage } from "./fit.ts";
import { ledger, shareOf } from "./ledger.ts";

const NAME = "default-scheduler";
const SAID_BY = { component: NAME, manager: "kube-scheduler" };
const MANAGED = { fieldManager: "kube-scheduler" };
const WAITING = "waits for a node";
const REPELS = "keeps others away";

const isWaiting = ({ spec, metadata }: Pod) =>
  !spec.nodeName && metadata.deletionTimestamp === undefined && (spec.schedulerName ?? NAME) === NAME && !spec.schedulingGates?.length;
const isOver = ({ status }: Pod) => status.phase === "Succeeded" || status.phase === "Failed";
const waitingKeys = (pod: Pod) => (isWaiting(pod) ? [WAITING] : []);
const repellingKeys = (pod: Pod) => (pod.spec.nodeName && repels(pod) && !isOver(pod) ? [REPELS] : []);

/** Finds a node for every pod that has none and asks for this scheduler; the emptiest fitting node gets it. Nobody is sent away for another. */
export function scheduler({ client, cache, clock, events }: Plant): Part {
  const nodes = cache.watch(Node);
  const pods = cache.watch(Pod);
  const claims = cache.watch(PersistentVolumeClaim);
  const volumes = cache.watch(PersistentVolume);
  const classes = cache.watch(StorageClass);
  pods.index(WAITING, waitingKeys);
  pods.index(REPELS, repellingKeys);
  const podsOn = podsByNode(pods);
  const podsWith = podsByClaim(pods);
  const booked = ledger();
  /** Chosen by us and not yet shown by the watch. */
  const assumed = new Map<string, { readonly pod: Pod; readonly node: string }>();
  const work = queue({ clock, concurrency: 16, work: ({ key }) => attend(key) });
  const keyOf = ({ metadata }: Pod) => `${metadata.namespace}/${metadata.name}`;
  const wakeAll = () => {
    if (pods.isSynced) for (const pod of pods.by(WAITING, WAITING)) work.add(keyOf(pod));
  };
  pods.on(({ old, new: seen }) => {
    const { uid } = (seen ?? old)!.metadata;
    if (seen !== undefined && isWaiting(seen)) return work.add(keyOf(seen));
    assumed.delete(uid);
    if (seen?.spec.nodeName && !isOver(seen)) return booked.put(uid, seen.spec.nodeName, seen);
    booked.remove(uid);
    // Somebody made room.
    if (old?.spec.nodeName && (seen === undefined || !isOver(old))) wakeAll();
  });
  // A new or changed node may be the one somebody waits for; a heartbeat is no change.
  nodes.on(({ old, new: seen }) => {
    if (
      seen !== undefined &&
      (old === undefined ||
        old.spec !== seen.spec ||
        old.metadata.labels !== seen.metadata.labels ||
        old.status.allocatable !== seen.status.allocatable)
    )
      wakeAll();
  });
  claims.on(({ new: seen }) => {
    if (seen === undefined || !pods.isSynced) return;
    for (const pod of podsWith(`${seen.metadata.namespace}/${seen.metadata.name}`)) if (isWaiting(pod)) work.add(keyOf(pod));
  });
  const storage: Storage = {
    claim: (name, namespace) => claims.get({ name, namespace }),
    volume: (name) => volumes.get({ name }),
    class: (name) => classes.get({ name }),
    volumes: () => volumes.list(),
  };

  const attend = async (key: string): Promise<undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const pod = pods.get({ name, namespace });
    if (pod === undefined || !isWaiting(pod) || assumed.has(pod.metadata.uid)) return;
    try {
      await place(pod);
    } catch (error) {
      // Gone, or bound by someone else.
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  };
  const place = async (pod: Pod) => {
    const all = nodes.list();
    const asked = claimsOf(pod, storage);
    if (asked.type === "refused") return refuse(pod, unschedulableAnywhere(all.length, asked.why));
    const share = shareOf(pod);
    const company = companyOf(pod, all);
    const misfits: Misfit[] = [];
    let best: { readonly node: Node; readonly load: number } | undefined;
    for (const node of all) {
      const taken = booked.taken(node.metadata.name);
      const wrong = misfit(pod, share, node, taken) ?? claimMisfit(asked, node, storage) ?? (company && companyMisfit(pod, node, company));
      if (wrong !== undefined) misfits.push(wrong);
      else if (best === undefined || taken.pods < best.load) best = { node, load: taken.pods };
    }
    if (best === undefined) return refuse(pod, unschedulableMessage(misfits));
    const { name } = best.node.metadata;
    // Its volumes come first; when they are there, the claim's change brings the pod back.
    const unplaced = asked.open.filter(({ metadata }) => metadata.annotations?.[SELECTED_NODE] === undefined);
    for (const { metadata } of unplaced) {
      await client.patch(PersistentVolumeClaim, metadata, { merge: { metadata: { annotations: { [SELECTED_NODE]: name } } } }, MANAGED);
    }
    if (asked.open.length === 0) return bind(pod, name);
    if (pod.status.nominatedNodeName === name) return;
    await client.status.patch(Pod, pod.metadata, { strategic: { status: { nominatedNodeName: name } } }, MANAGED);
  };
  /** Who else is there, for those who care and for those whom others keep away. */
  const companyOf = (pod: Pod, all: readonly Node[]): Company | undefined => {
    const repelling = pods.by(REPELS, REPELS);
    const coming = [...assumed.values()];
    if (!caresForCompany(pod) && repelling.length === 0 && !coming.some((each) => repels(each.pod))) return undefined;
    return {
      nodes: all,
      repelling: [...repelling, ...coming.map((each) => each.pod).filter(repels)],
      podsOn: (node) => [
        ...podsOn(node).filter((each) => !isOver(each)),
        ...coming.filter((each) => each.node === node).map((each) => each.pod),
      ],
    };
  };
  const bind = async (pod: Pod, node: string) => {
    const { uid } = pod.metadata;
    assumed.set(uid, { pod, node });
    booked.put(uid, node, pod);
    try {
      await client.bind(Pod, pod.metadata, node);
    } catch (error) {
      assumed.delete(uid);
      booked.remove(uid);
      throw error;
    }
    const message = `Successfully assigned ${keyOf(pod)} to ${node}`;
    events.announce({ ...SAID_BY, kind: Pod, object: pod, type: "Normal", reason: "Scheduled", message, action: "Binding" });
  };
  const refuse = async (pod: Pod, message: string) => {
    const old = pod.status.conditions?.find((c) => c.type === "PodScheduled");
    if (old?.reason === "Unschedulable" && old.message === message) return;
    events.announce({ ...SAID_BY, kind: Pod, object: pod, type: "Warning", reason: "FailedScheduling", message, action: "Scheduling" });
    const lastTransitionTime = old?.status === "False" ? old.lastTransitionTime : timestamp(clock.now());
    const { generation: observedGeneration } = pod.metadata;
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message, lastTransitionTime, observedGeneration };
    await client.status.patch(Pod, pod.metadata, { strategic: { status: { conditions: [condition] } } }, MANAGED);
  };
  return queued("scheduler", work, [nodes, pods, claims, volumes, classes]);
}
