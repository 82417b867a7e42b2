import { AlreadyExists, Conflict, Forbidden, NotFound } from "pintle/client";
import { canonicalJson } from "pintle/internal/merge";
import { Endpoints, Pod, Service } from "pintle/kinds/core/v1";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { getObjectKey, splitObjectKey } from "../shared/object-key.ts";
import { buildSubsets } from "./endpoint-subsets.ts";
import { trackServicePods } from "./service-pod-tracker.ts";
import { isHeadless } from "./service-pods.ts";
import { createTriggerTimeTracker, TRIGGER_TIME_ANNOTATION } from "./trigger-time-tracker.ts";

const HEADLESS_LABEL = "service.kubernetes.io/headless";
const MANAGED_BY_LABEL = "endpoints.kubernetes.io/managed-by";

/** Starts the controller that maintains the legacy Endpoints of every Service with a selector. */
export function startEndpointsController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const services = cache.watch(Service);
  const pods = cache.watch(Pod);
  const endpoints = cache.watch(Endpoints);
  const triggerTimes = createTriggerTimeTracker();
  const work = createWorkQueue({ clock, concurrency: 8, work: ({ key }) => sync(key) });
  const listPods = trackServicePods({ services, pods, enqueue: (key) => work.add(key) });
  endpoints.addEventHandler(({ event, old, new: current }) => {
    // As in kube-controller-manager: Endpoints created without a Service are ignored; only those found at the start are cleaned up.
    if (current === undefined || event === "listed") work.add(getObjectKey((current ?? old)!));
  });

  const sync = async (key: string): Promise<undefined> => {
    const { namespace, name } = splitObjectKey(key);
    const service = services.get({ name, namespace });
    const existing = endpoints.get({ name, namespace });
    try {
      if (service === undefined) {
        triggerTimes.deleteService(key);
        if (existing !== undefined && services.isSynced)
          await client.delete(Endpoints, { name, namespace }, { uid: existing.metadata.uid });
      } else if (service.spec.selector !== undefined && service.spec.type !== "ExternalName") await syncService(service, existing);
    } catch (error) {
      // The object was deleted or changed in the meantime; its event enqueues the key again.
      if (
        !(error instanceof NotFound) &&
        !(error instanceof Forbidden) &&
        !(error instanceof Conflict) &&
        !(error instanceof AlreadyExists)
      )
        throw error;
    }
  };
  const syncService = async (service: Service, existing: Endpoints | undefined) => {
    const { name, namespace, labels: copiedLabels } = service.metadata;
    const selectedPods = listPods(service);
    const triggerTime = triggerTimes.computeTriggerTime(service, selectedPods);
    const subsets = buildSubsets(service, selectedPods);
    const labels = { ...copiedLabels, ...(isHeadless(service) ? { [HEADLESS_LABEL]: "" } : {}), [MANAGED_BY_LABEL]: "endpoint-controller" };
    if (
      existing !== undefined &&
      canonicalJson(existing.subsets ?? []) === canonicalJson(subsets) &&
      canonicalJson(existing.metadata.labels ?? {}) === canonicalJson(labels)
    )
      return;
    const { [TRIGGER_TIME_ANNOTATION]: _, ...others } = existing?.metadata.annotations ?? {};
    const annotations = { ...others, ...(triggerTime === undefined ? {} : { [TRIGGER_TIME_ANNOTATION]: triggerTime }) };
    if (existing === undefined)
      await client.create(Endpoints, { metadata: { name, namespace, labels, annotations }, subsets }, FIELD_MANAGER);
    else await client.replace(Endpoints, { ...existing, metadata: { ...existing.metadata, labels, annotations }, subsets }, FIELD_MANAGER);
  };
  return createQueueComponent("endpoints-controller", work, [services, pods, endpoints]);
}
