import type { Pod } from "pintle/kinds/core/v1";
import type { PriorityClass } from "pintle/kinds/scheduling/v1";
import type { AdmissionPlugin, AdmissionRequest } from "../../api/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import type { Draft, Unvalidated } from "../draft.ts";
import { createForbiddenError, createResourcePlugin, getStored, listStored } from "./resource-plugin.ts";

const SCHEDULING_GROUP = "scheduling.k8s.io";

/** Resolves the priority class of pods, and ensures that there is only one global default. */
export function createPriorityPlugins(store: ObjectStore): readonly AdmissionPlugin[] {
  const classes = () => listStored<PriorityClass>(store, SCHEDULING_GROUP, "priorityclasses");
  const pods = createResourcePlugin<Pod>("Priority", {
    group: "",
    plural: "pods",
    operations: ["CREATE", "UPDATE"],
    async mutate(draft, request) {
      draft.spec ??= {};
      const { live } = request;
      if (live !== undefined) return keepPriority(draft.spec, (live as Unvalidated<Pod>).spec ?? {});
      const { priorityClassName } = draft.spec;
      if (!priorityClassName) return setDefaultPriority(draft.spec, await classes(), request);
      const found = await getStored<PriorityClass>(store, SCHEDULING_GROUP, "priorityclasses", priorityClassName);
      if (found === undefined) throw createForbiddenError(request, `no PriorityClass with name ${priorityClassName} was found`);
      setPriority(draft.spec, found, request);
    },
  });
  const defaultClasses = createResourcePlugin<PriorityClass>("Priority", {
    group: SCHEDULING_GROUP,
    plural: "priorityclasses",
    operations: ["CREATE", "UPDATE"],
    async validate({ metadata, globalDefault }, request) {
      if (!globalDefault) return;
      const other = findLowestDefault(await classes());
      if (other === undefined || (request.operation === "UPDATE" && other.metadata?.name === metadata?.name)) return;
      throw createForbiddenError(request, `PriorityClass ${other.metadata?.name} is already marked as default. Only one default can exist`);
    },
  });
  return [pods, defaultClasses];
}

type PodSpecDraft = NonNullable<Draft<Pod>["spec"]>;

function keepPriority(spec: PodSpecDraft, was: NonNullable<Unvalidated<Pod>["spec"]>): void {
  if (spec.priority == null && was.priority != null) spec.priority = was.priority;
  if (spec.preemptionPolicy == null && was.preemptionPolicy != null) spec.preemptionPolicy = was.preemptionPolicy;
}

function setDefaultPriority(spec: PodSpecDraft, classes: readonly Unvalidated<PriorityClass>[], request: AdmissionRequest): void {
  const marked = findLowestDefault(classes);
  if (marked?.metadata?.name) spec.priorityClassName = marked.metadata.name;
  setPriority(spec, marked ?? { value: 0, preemptionPolicy: "PreemptLowerPriority" }, request);
}

function findLowestDefault(classes: readonly Unvalidated<PriorityClass>[]): Unvalidated<PriorityClass> | undefined {
  return classes.filter(({ globalDefault }) => globalDefault).sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
}

function setPriority(spec: PodSpecDraft, { value, preemptionPolicy }: Unvalidated<PriorityClass>, request: AdmissionRequest): void {
  const createMismatchError = (what: string, specified: unknown, computed: unknown) =>
    createForbiddenError(
      request,
      `the ${what} (${specified}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`,
    );
  const computed = value ?? 0;
  if (spec.priority != null && spec.priority !== computed) throw createMismatchError("integer value of priority", spec.priority, computed);
  spec.priority = computed;
  if (!preemptionPolicy) return;
  if (spec.preemptionPolicy != null && spec.preemptionPolicy !== preemptionPolicy) {
    throw createMismatchError("string value of PreemptionPolicy", spec.preemptionPolicy, preemptionPolicy);
  }
  spec.preemptionPolicy = preemptionPolicy;
}
