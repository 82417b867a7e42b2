import { NotFound } from "pintle/client";
import { HorizontalPodAutoscaler } from "pintle/kinds/autoscaling/v2";
import { canonical } from "pintle/merge";
import { type Outcome, queue } from "pintle/queue";
import { timestamp } from "../../api/index.ts";
import { MANAGED } from "../managed.ts";
import { type Part, type Plant, queued } from "../part.ts";
import { textOf } from "../pod-control.ts";
import { autoscalerStep, type Target } from "./step.ts";

const COMPONENT = "horizontal-pod-autoscaler";
const PERIOD = 15_000;

/** Says where autoscalers stand. This cluster has no metrics, and so nobody is scaled. */
export function autoscalers({ client, cache, clock, events }: Plant): Part {
  const all = cache.watch(HorizontalPodAutoscaler);
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  all.on(({ old, new: seen }) => {
    const changed = seen !== undefined && (old === undefined || canonical(old.spec) !== canonical(seen.spec));
    if (changed) work.add(`${seen.metadata.namespace}/${seen.metadata.name}`);
  });

  const attend = async (key: string): Promise<Outcome | undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const scaler = all.get({ name, namespace });
    if (scaler === undefined) return undefined;
    const { status, complaints } = autoscalerStep(scaler, await targetOf(scaler), timestamp(clock.now()));
    for (const complaint of complaints) {
      events.announce({ component: COMPONENT, kind: HorizontalPodAutoscaler, object: scaler, type: "Warning", ...complaint });
    }
    if (canonical(status) !== canonical(scaler.status)) {
      try {
        await client.status.replace(HorizontalPodAutoscaler, { ...scaler, status }, MANAGED);
      } catch (error) {
        if (!(error instanceof NotFound)) throw error;
      }
    }
    return { type: "again", after: PERIOD };
  };
  const targetOf = async ({ spec: { scaleTargetRef: target }, metadata: { namespace } }: HorizontalPodAutoscaler): Promise<Target> => {
    try {
      const kind = await client.kind(target.apiVersion ?? "v1", target.kind);
      const scale = await client.scale.get(kind as never, { name: target.name, namespace } as never);
      return { replicas: scale.spec?.replicas ?? 0 };
    } catch (error) {
      return { failure: textOf(error) };
    }
  };
  return queued("horizontal-pod-autoscaler-controller", work, [all]);
}
