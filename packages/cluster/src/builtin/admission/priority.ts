import type { Pod } from "pintle/kinds/core/v1";
import type { PriorityClass } from "pintle/kinds/scheduling/v1";
import type { AdmissionPlugin, AdmissionRequest } from "../../api/index.ts";
import type { Store } from "../../store/index.ts";
import type { Draft, Loose } from "../draft.ts";
import { pluginFor, refusal, stored, storedOne } from "./plugin.ts";

const GROUP = "scheduling.k8s.io";

/** Turns the name of a priority class into a number, and keeps it. */
export function priority(store: Store): readonly AdmissionPlugin[] {
  const classes = () => stored<PriorityClass>(store, GROUP, "priorityclasses");
  const pods = pluginFor<Pod>("Priority", {
    group: "",
    plural: "pods",
    on: ["CREATE", "UPDATE"],
    async change(draft, request) {
      draft.spec ??= {};
      const { live } = request;
      if (live !== undefined) return keep(draft.spec, (live as Loose<Pod>).spec ?? {});
      const { priorityClassName } = draft.spec;
      if (!priorityClassName) return usual(draft.spec, await classes(), request);
      const found = await storedOne<PriorityClass>(store, GROUP, "priorityclasses", priorityClassName);
      if (found === undefined) throw refusal(request, `no PriorityClass with name ${priorityClassName} was found`);
      set(draft.spec, found, request);
    },
  });
  const only = pluginFor<PriorityClass>("Priority", {
    group: GROUP,
    plural: "priorityclasses",
    on: ["CREATE", "UPDATE"],
    async check({ metadata, globalDefault }, request) {
      if (!globalDefault) return;
      const other = lowestDefault(await classes());
      if (other === undefined || (request.operation === "UPDATE" && other.metadata?.name === metadata?.name)) return;
      throw refusal(request, `PriorityClass ${other.metadata?.name} is already marked as default. Only one default can exist`);
    },
  });
  return [pods, only];
}

type Spec = NonNullable<Draft<Pod>["spec"]>;

function keep(spec: Spec, was: NonNullable<Loose<Pod>["spec"]>): void {
  if (spec.priority == null && was.priority != null) spec.priority = was.priority;
  if (spec.preemptionPolicy == null && was.preemptionPolicy != null) spec.preemptionPolicy = was.preemptionPolicy;
}

function usual(spec: Spec, classes: readonly Loose<PriorityClass>[], request: AdmissionRequest): void {
  const marked = lowestDefault(classes);
  if (marked?.metadata?.name) spec.priorityClassName = marked.metadata.name;
  set(spec, marked ?? { value: 0, preemptionPolicy: "PreemptLowerPriority" }, request);
}

function lowestDefault(classes: readonly Loose<PriorityClass>[]): Loose<PriorityClass> | undefined {
  return classes.filter(({ globalDefault }) => globalDefault).sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
}

function set(spec: Spec, { value, preemptionPolicy }: Loose<PriorityClass>, request: AdmissionRequest): void {
  const computed = (what: string, given: unknown, right: unknown) =>
    refusal(
      request,
      `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${right} from the given PriorityClass name`,
    );
  const right = value ?? 0;
  if (spec.priority != null && spec.priority !== right) throw computed("integer value of priority", spec.priority, right);
  spec.priority = right;
  if (!preemptionPolicy) return;
  if (spec.preemptionPolicy != null && spec.preemptionPolicy !== preemptionPolicy) {
    throw computed("string value of PreemptionPolicy", spec.preemptionPolicy, preemptionPolicy);
  }
  spec.preemptionPolicy = preemptionPolicy;
}
