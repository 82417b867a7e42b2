import { NotFound } from "pintle/client";
import { type RuleWithOperations, ValidatingAdmissionPolicy } from "pintle/kinds/admissionregistration/v1";
import { type CheckedKind, checkPolicyTypes, inlineReferences } from "../admission/index.ts";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "./component.ts";

const MANAGER = "validatingadmissionpolicy-status";
/** No more kinds of a policy are checked. */
const MAX_KINDS = 10;

type CheckedPolicySpec = Parameters<typeof checkPolicyTypes>[0];

/** Starts the controller that type-checks the expressions of policies, and writes the warnings to their status. */
export function startPolicyStatusController({
  client,
  cache,
  clock,
  createWorkQueue,
  fetchOpenApi,
}: ControllerContext): ControlPlaneComponent {
  const policies = cache.watch(ValidatingAdmissionPolicy);
  const work = createWorkQueue({ clock, work: ({ key }) => sync(key) });
  policies.addEventHandler(({ new: current }) => {
    if (current !== undefined && isOutdated(current)) work.add(current.metadata.name);
  });

  const sync = async (name: string): Promise<undefined> => {
    const policy = policies.get({ name });
    if (policy === undefined || !isOutdated(policy)) return undefined;
    const kinds = await findKinds(policy);
    const { apiVersion = "", kind = "" } = policy.spec.paramKind ?? {};
    const params = apiVersion === "" ? undefined : await findSchema(apiVersion, kind);
    const expressionWarnings = checkPolicyTypes(policy.spec as CheckedPolicySpec, kinds, params);
    const status = {
      observedGeneration: policy.metadata.generation,
      typeChecking: expressionWarnings.length === 0 ? {} : { expressionWarnings },
    };
    try {
      await client.status.apply(ValidatingAdmissionPolicy, { metadata: { name }, status } as never, { fieldManager: MANAGER, force: true });
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
    return undefined;
  };
  /** Finds the kinds that the rules name, ordered by group, version and kind; wildcards name none. */
  const findKinds = async ({ spec }: ValidatingAdmissionPolicy): Promise<readonly CheckedKind[]> => {
    const found = new Map<string, CheckedKind>();
    const served = await client.discoverKinds();
    for (const rule of spec.matchConstraints?.resourceRules ?? []) {
      for (const { group, version, plural } of listResources(rule)) {
        const kind = served.find((each) => each.group === group && each.version === version && each.plural === plural)?.kind;
        const schema = kind === undefined ? undefined : await findSchema(group === "" ? version : `${group}/${version}`, kind);
        if (kind === undefined || schema === undefined) continue;
        found.set(`${group}/${version}/${kind}`, { group, version, kind, schema });
        if (found.size === MAX_KINDS) break;
      }
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
  };
  /** Returns the schema of a kind; undefined if it is not served or contains itself. */
  const findSchema = async (apiVersion: string, kind: string) => {
    const schemas = (await fetchOpenApi(apiVersion))?.components?.schemas ?? {};
    const schema = Object.values(schemas).find((each) => hasKind(each["x-kubernetes-group-version-kind"], apiVersion, kind));
    try {
      return schema === undefined ? undefined : inlineReferences(schema, schemas);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  };
  return createQueueComponent("validatingadmissionpolicy-status-controller", work, [policies]);
}

function isOutdated({ metadata, status }: ValidatingAdmissionPolicy): boolean {
  return status.observedGeneration !== metadata.generation;
}

function listResources({ apiGroups = [], apiVersions = [], resources = [] }: RuleWithOperations) {
  const named = (values: readonly string[]) => (values.includes("*") ? [] : [...values].sort());
  const plurals = resources.some((each) => each.startsWith("*")) ? [] : resources.filter((each) => !each.includes("/")).toSorted();
  return named(apiGroups).flatMap((group) =>
    named(apiVersions).flatMap((version) => plurals.map((plural) => ({ group, version, plural }))),
  );
}

function hasKind(value: unknown, apiVersion: string, kind: string): boolean {
  if (!Array.isArray(value)) return false;
  return value.some((each) => each.kind === kind && (each.group === "" ? each.version : `${each.group}/${each.version}`) === apiVersion);
}
