import type {
  DeviceClaim,
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from "pintle/kinds/resource/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { resourceClaimTable, resourceSliceTable } from "../table/others.ts";
import { AGED } from "../table/printer.ts";
import { dnsLabel, dnsSubdomain, immutable, maybeOneOf, type Problems } from "../validate/problems.ts";
import { nodeSelector } from "../validate/scheduling.ts";
import { csiDriverName } from "../validate/volumes.ts";

export const resourceClaim = rules<ResourceClaim>({
  validate: ({ spec }) => claimProblems("spec.devices", spec?.devices),
  validateUpdate: (object, live) => immutable("spec", object.spec, live.spec),
  table: resourceClaimTable,
});

export const resourceClaimTemplate = rules<ResourceClaimTemplate>({
  validate: ({ spec }) => claimProblems("spec.spec.devices", spec?.spec?.devices),
  validateUpdate: function* (object, live) {
    yield* claimProblems("spec.spec.devices", object.spec?.spec?.devices);
    yield* immutable("spec", object.spec, live.spec);
  },
  table: AGED,
});

const EITHER = "exactly one of `exactly` or `firstAvailable` is required";

function* claimProblems(field: string, claim: Loose<DeviceClaim> | null | undefined): Problems {
  yield* distinct(`${field}.requests`, claim?.requests, 32, requestProblems);
}

function* requestProblems(field: string, { name, exactly, firstAvailable }: Loose<DeviceRequest>): Problems {
  yield* dnsLabel(`${field}.name`, name ?? "");
  if (exactly && firstAvailable?.length) yield fieldError.invalid(field, null, `${EITHER}, but multiple fields are set`);
  else if (exactly) yield* deviceProblems(`${field}.exactly`, exactly);
  else if (firstAvailable?.length) yield* distinct(`${field}.firstAvailable`, firstAvailable, 8, subRequestProblems);
  else yield fieldError.required(field, EITHER);
}

function* subRequestProblems(field: string, request: Loose<DeviceSubRequest>): Problems {
  yield* dnsLabel(`${field}.name`, request.name ?? "");
  yield* deviceProblems(field, request);
}

function* deviceProblems(field: string, { deviceClassName, allocationMode, count }: Loose<ExactDeviceRequest>): Problems {
  if (deviceClassName) yield* dnsSubdomain(`${field}.deviceClassName`, deviceClassName);
  else yield fieldError.required(`${field}.deviceClassName`);
  const devices = count ?? 0;
  if (allocationMode === "All" && devices !== 0) {
    yield fieldError.invalid(`${field}.count`, devices, "must not be specified when allocationMode is 'All'");
  }
  if (allocationMode === "ExactCount" && devices <= 0) yield fieldError.invalid(`${field}.count`, devices, "must be greater than zero");
  yield* maybeOneOf(`${field}.allocationMode`, allocationMode ?? "", ["All", "ExactCount"]);
}

export const resourceSlice = rules<ResourceSlice>({
  validate: function* (object) {
    yield* poolProblems(object);
    yield* contentProblems(object);
  },
  validateUpdate: function* (object, live) {
    yield* poolProblems(object);
    yield* immutable("spec.pool.name", object.spec?.pool?.name, live.spec?.pool?.name);
    yield* immutable("spec.driver", object.spec?.driver, live.spec?.driver);
    yield* immutable("spec.nodeName", object.spec?.nodeName, live.spec?.nodeName);
    yield* contentProblems(object);
  },
  table: resourceSliceTable,
  selectableFields: { "spec.nodeName": ({ spec }) => spec?.nodeName ?? "", "spec.driver": ({ spec }) => spec?.driver ?? "" },
});

const WHERE = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

function* poolProblems({ spec }: Loose<ResourceSlice>): Problems {
  yield* csiDriverName("spec.driver", spec?.driver);
  yield* poolName("spec.pool.name", spec?.pool?.name ?? "");
  const { resourceSliceCount = 0, generation = 0 } = spec?.pool ?? {};
  if ((resourceSliceCount ?? 0) <= 0) {
    yield fieldError.invalid("spec.pool.resourceSliceCount", resourceSliceCount, "must be greater than zero");
  }
  if ((generation ?? 0) < 0) yield fieldError.invalid("spec.pool.generation", generation, "must be greater than or equal to zero");
}

function* contentProblems({ spec }: Loose<ResourceSlice>): Problems {
  yield* whereProblems(spec ?? {});
  yield* distinct("spec.devices", spec?.devices, 128, function* (field, { name }) {
    yield* dnsLabel(`${field}.name`, name ?? "");
  });
}

function* whereProblems(spec: NonNullable<Loose<ResourceSlice>["spec"]>): Problems {
  const { nodeName, nodeSelector: selector } = spec;
  if (nodeName === "") yield fieldError.invalid("spec.nodeName", nodeName, "must be either unset or set to a non-empty string");
  if (nodeName) yield* dnsSubdomain("spec.nodeName", nodeName);
  if (selector) yield* nodeSelector("spec.nodeSelector", selector);
  for (const field of ["allNodes", "perDeviceNodeSelection"] as const) {
    if (spec[field] === false) yield fieldError.invalid(`spec.${field}`, false, "must be either unset or set to true");
  }
  const fields = ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"] as const;
  const given = fields.filter((field) => spec[field]).map((field) => `\`${field}\``);
  if (given.length === 0) yield fieldError.required("spec", WHERE);
  if (given.length > 1) yield fieldError.invalid("spec", `{${given.join(", ")}}`, `${WHERE}, but multiple fields are set`);
}

function* poolName(field: string, name: string): Problems {
  if (name === "") return yield fieldError.required(field);
  if (name.length > 253) yield fieldError.tooLong(field, 253);
  for (const part of name.split("/")) yield* dnsSubdomain(field, part);
}

/** A list of things that each have a name of their own. */
function* distinct<T extends { readonly name?: string | null | undefined }>(
  field: string,
  items: readonly T[] | null | undefined,
  most: number,
  problemsOf: (field: string, item: T) => Problems,
): Problems {
  const names = new Set<string>();
  for (const [i, item] of (items ?? []).entries()) {
    yield* problemsOf(`${field}[${i}]`, item);
    if (names.has(item.name ?? "")) yield fieldError.duplicate(`${field}[${i}]`, item.name ?? "");
    names.add(item.name ?? "");
  }
  if ((items?.length ?? 0) > most) yield fieldError.tooMany(field, items!.length, most);
}
